import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, describe, expect, it } from 'vitest'
import { applyPatch, parsePlan, planHash, type Patch } from '../../src/plan/index.ts'
import { callCommand } from './callCommand.ts'

const folder = mkdtempSync(join(tmpdir(), 'planloom-cli-'))
afterAll(() => {
  rmSync(folder, { recursive: true })
})

const tools = 'test/cli/fixtures/tools.ts'
const goal = 'test/cli/fixtures/goal.ts'
let files = 0

/** A file that holds a value; its path. */
function document(value: unknown, ending = '.json'): string {
  const path = join(folder, `document${files++}${ending}`)
  writeFileSync(path, typeof value === 'string' ? value : JSON.stringify(value))
  return path
}
const planOf = (...steps: object[]) => ({ id: 'p', goal: { text: 'Some work' }, steps })
const list = { id: 'list', tool: 'list', input: { length: 2 } }
const wrong = planOf(
  { id: 'a', tool: 'lits', input: {} },
  { id: 'b', tool: 'double', input: { number: 'two' }, after: ['gone'] },
)

describe('planloom run', () => {
  it('carries a goal out, and says how it ended', async () => {
    const { code, stdout, stderr } = await callCommand('run', goal)
    expect(code).toBe(0)
    expect(stdout).toContain('✓ completed')
    expect(stdout).toContain('5 steps: 5 succeeded')
    expect(stdout).toContain('✓ numbers  [0,1,2]')
    expect(stderr).toContain('◆ planned 2 steps (doubler)')
    expect(stderr).toMatch(/✓ double\[2\]/)
  })

  it('gives one JSON document, with facts given on the command line', async () => {
    const { code, json } = await callCommand('run', goal, '--json', '--quiet', '--fact', 'length=5')
    expect(code).toBe(0)
    expect(json).toMatchObject({
      goal: { text: 'Double the numbers', facts: { length: 5 } },
      outcome: { status: 'completed', reason: 'done', counts: { succeeded: 7 } },
      facts: { numbers: [0, 1, 2, 3, 4] },
      plan: { revision: 2, steps: expect.arrayContaining([expect.objectContaining({ id: 'double[4]', item: '4' })]) },
      revisions: [
        { revision: 1, because: { type: 'first', text: 'first plan' }, by: { planner: 'doubler' } },
        { revision: 2, because: { type: 'expanded' }, by: { planner: 'coordinator' } },
      ],
    })
    const { steps } = json as { steps: { id: string; status: string }[] }
    expect(steps.map(({ id }) => id)).toContain('double[4]')
    expect(steps.every(({ status }) => status === 'succeeded')).toBe(true)
  })

  it('gives JSON lines on wish: each transition, then the document', async () => {
    const { stdout } = await callCommand('run', goal, '--json', '--events', '--quiet')
    const lines = stdout
      .trimEnd()
      .split('\n')
      .map((line) => JSON.parse(line) as { n?: number; outcome?: object })
    expect(lines.slice(0, -1).map(({ n }) => n)).toEqual(lines.slice(0, -1).map((_, index) => index))
    expect(lines.at(-1)).toHaveProperty('outcome.reason', 'done')
  })

  it('carries a plan out with the tools that are named', async () => {
    const { code, stdout } = await callCommand(
      'run',
      document('id: p\ngoal: { text: g }\nsteps: [{ id: a, tool: list, input: { length: 1 } }]', '.yaml'),
      '-t',
      tools,
    )
    expect(code).toBe(0)
    expect(stdout).toContain('1 step: 1 succeeded')
  })

  it.runIf(existsSync('/dev/full'))('says what to do where it was the disk that was full', async () => {
    const { code, stdout } = await callCommand('run', goal, '--journal', '/dev/full', '-q')
    expect(code).toBe(1)
    expect(stdout).toMatch(/✗ failed \(internal error\): .*ENOSPC.*\n {2}hint Choose a file in a folder/)
  })

  it('ends with 1 when the run fails, says what went wrong, and keeps the terminal safe', async () => {
    const { code, stdout, stderr } = await callCommand(
      'run',
      document(planOf({ id: 'a', tool: 'fail', onFailure: 'fail' })),
      '-t',
      tools,
    )
    expect(code).toBe(1)
    expect(stdout).toContain('✗ failed')
    expect(stdout).toMatch(/what went wrong\n {2}✗ a: .*it broke \\x1b\[2J here/)
    expect(stdout + stderr).not.toContain('\u001b')
  })

  it('refuses an invalid plan with 3, names every problem with place and hint, and runs nothing', async () => {
    const path = document(wrong)
    const { code, stderr, stdout } = await callCommand(
      'run',
      path,
      '-t',
      tools,
      '--journal',
      join(folder, 'none.jsonl'),
    )
    expect(code).toBe(3)
    expect(stdout).toBe('')
    expect(stderr).toMatch(/error .*lits.* \[TOOL_UNKNOWN\]\n {2}at step a, \/steps\/0\/tool\n {2}hint .*list/)
    expect(stderr).toMatch(/\[STEP_UNKNOWN\]\n {2}at step b, \/steps\/1\/after\/0\n {2}hint /)
    expect(stderr).toMatch(/\[INPUT_INVALID\]\n {2}at step b, \/steps\/1\/input\/number\n {2}hint /)
    expect(stderr).toMatch(/nothing was run: \d+ errors/)
    expect(() => readFileSync(join(folder, 'none.jsonl'))).toThrow('ENOENT')
    const { json } = await callCommand('run', path, '-t', tools, '--json')
    expect(json).toMatchObject({ error: { code: 'PLAN_INVALID' } })
    expect((json as { error: { findings: unknown[] } }).error.findings.length).toBeGreaterThanOrEqual(3)
  })

  it('refuses an invalid goal with 3, naming the place', async () => {
    const { code, stderr } = await callCommand('run', document({ text: '', want: [{ fact: '' }] }))
    expect(code).toBe(3)
    expect(stderr).toContain('at /text')
    expect(stderr).toContain('at /want/0/fact')
  })

  it.each([
    ['not JSON', '{ "id": ', '.json', /line 1, column 9: Expected a value, but the text ends[^]*Mend the JSON/],
    [
      'not JSON in the middle',
      '{\n  "id": "p" "goal": 1\n}',
      '.json',
      /line 2, column 13: Expected "," or "}", but a double quote/,
    ],
    ['YAML by another name', 'id: p\n', '.json', /line 1, column 1: Expected a value, but "id" stands there/],
    ['empty', ' \n', '.yaml', /is empty/],
    ['not YAML', 'id: [1\nsteps: 2', '.yaml', /line \d/],
    ['neither goal nor plan', '[1, 2]', '.json', /neither a goal nor a plan/],
  ])('refuses a file that is %s with 3', async (_, text, ending, message) => {
    const { code, stderr } = await callCommand('run', document(text, ending))
    expect(code).toBe(3)
    expect(stderr).toMatch(message)
  })

  it.each([
    ['a file that is not there', ['run', 'gone.json'], /gone\.json cannot be read: there is no such file/],
    ['a folder', ['run', 'src'], /src cannot be read: it is a folder/],
    ['a module that is not there', ['run', 'gone.ts'], /There is no file gone\.ts/],
    ['a module without a goal', ['run', 'test/cli/fixtures/tools.ts'], /exports neither `goal` nor `plan`/],
    ['tools that are none', ['validate', 'gone.json', '-t', 'test/cli/callCommand.ts'], /exports no tools/],
    [
      'a journal that cannot be written',
      ['run', 'test/cli/fixtures/goal.ts', '-j', 'no/such/folder/x'],
      /cannot be written/,
    ],
  ])('ends with 2 for %s', async (_, args, message) => {
    const { code, stderr, stdout } = await callCommand(...args)
    expect(code).toBe(2)
    expect(stdout).toBe('')
    expect(stderr).toMatch(message)
    expect(await callCommand(...args, '--json')).toHaveProperty('json.error.code')
  })

  it('answers a person’s step from the command line, and refuses at once where there is nobody to ask', async () => {
    const plan = document(
      planOf(
        { id: 'ask', executor: 'person', instruction: 'How many?' },
        { id: 'list', tool: 'list', input: { length: { $from: 'ask' } } },
      ),
    )
    expect(await callCommand('run', plan, '-t', tools, '--answer', 'ask=3', '--json')).toMatchObject({
      code: 0,
      json: { facts: { numbers: [0, 1, 2] } },
    })
    const { code, stdout } = await callCommand('run', plan, '-t', tools)
    expect(code).toBe(1)
    expect(stdout).toContain('there is no terminal to ask at')
    expect(stdout).toContain('--answer ask=')
  })

  it('says of an answer that answers no step, before the run where that is known, and otherwise at its end', async () => {
    const asking = document(
      planOf({ id: 'ask', executor: 'person', instruction: 'How many?' }, { ...list, id: 'other' }),
    )
    const slip = await callCommand('run', asking, '-t', tools, '--answer', 'aks=3')
    expect(slip).toMatchObject({ code: 2, stdout: '' })
    expect(slip.stderr).toMatch(/the plan has no step "aks"[^]*Did you mean "ask"\?/)
    const other = await callCommand('run', asking, '-t', tools, '-q', '--answer', 'other=3', '--answer', 'ask=1')
    expect(other).toMatchObject({ code: 0, stderr: '--answer other=… was not used: that step asked for none\n' })
    const planned = await callCommand('run', goal, '-q', '--answer', 'duoble=3', '--json')
    expect(planned.json).toHaveProperty('outcome.status', 'completed')
    expect(planned.stderr).toBe('--answer duoble=… was not used: there was no such step. Did you mean "double"?\n')
    expect((await callCommand('run', asking, '-t', tools, '-q', '--answer', 'ask=1')).stderr).toBe('')
  })

  it('takes facts for a plan as for a goal', async () => {
    const path = document({ ...planOf(list), goal: { text: 'g', facts: { a: 1, b: 2 } } })
    const { json } = await callCommand('run', path, '-t', tools, '-q', '--json', '--fact', 'b=3', '--fact', 'c=4')
    expect(json).toMatchObject({ goal: { facts: { a: 1, b: 3, c: 4 } }, facts: { a: 1, b: 3, c: 4 } })
  })

  it('wants approval from somebody, and takes --yes for it', async () => {
    const plan = document(planOf({ ...list, approval: 'required' }))
    expect(await callCommand('run', plan, '-t', tools, '--yes', '--approval', 'required')).toMatchObject({ code: 0 })
    const { code, stdout } = await callCommand('run', document(planOf(list)), '-t', tools, '--approval', 'required')
    expect(code).toBe(1)
    expect(stdout).toContain('--yes')
  })

  it('asks for approval of sub-runs as well', async () => {
    const args = ['run', 'test/cli/fixtures/subGoal.ts', '--approval', 'required']
    expect(await callCommand(...args, '--yes')).toMatchObject({ code: 0 })
    expect(await callCommand(...args)).toMatchObject({ code: 1 })
  })
})

describe('planloom plan', () => {
  it('shows the plan, and runs nothing', async () => {
    const { code, stdout } = await callCommand('plan', goal)
    expect(code).toBe(0)
    expect(stdout).toMatch(/Double the numbers\n└─ list.*\n {3}└─ double/)
  })

  it('says what does not stand in it yet because a list is not known', async () => {
    const own = await callCommand('plan', goal)
    expect(own.stderr).toContain('double becomes one step for each item, once list has given the list')
    const found = await callCommand('plan', 'test/cli/fixtures/sorting.ts', '--json')
    expect(found.stderr).toContain('more steps follow once find has given the list that sort goes over')
    expect(found.json).toHaveProperty('steps.length', 2)
    const whole = await callCommand('plan', document(planOf(list)))
    expect(whole.stderr).toBe('')
  })

  it('gives a document that the other commands take', async () => {
    const path = document((await callCommand('plan', goal, '--json')).stdout)
    expect(await callCommand('validate', path, '-t', tools)).toMatchObject({ code: 0 })
    expect(await callCommand('run', path, '-t', tools)).toMatchObject({ code: 0 })
  })

  it('ends with 1 when the planner finds none, and says why', async () => {
    const { code, stderr } = await callCommand('plan', 'test/cli/fixtures/hopeless.ts')
    expect(code).toBe(1)
    expect(stderr).toContain('nobody can do that')
  })
})

describe('planloom validate', () => {
  it('ends with 0 for a valid plan, and says when it could not look at tools', async () => {
    const { code, stdout, stderr } = await callCommand('validate', document(planOf(list)))
    expect(code).toBe(0)
    expect(stdout).toMatch(/✓ .* is a valid plan/)
    expect(stderr).toContain('tools were not checked')
  })

  it('ends with 3 and all findings for another', async () => {
    const path = document(wrong)
    const { code, stdout } = await callCommand('validate', path, '-t', tools)
    expect(code).toBe(3)
    expect(stdout).toContain('[TOOL_UNKNOWN]')
    expect(stdout).toContain('[STEP_UNKNOWN]')
    expect(stdout).toMatch(/✗ .* cannot run \(3 errors\)\n$/)
    expect(await callCommand('validate', path, '-t', tools, '--json')).toMatchObject({
      code: 3,
      json: { valid: false },
    })
  })
})

describe('planloom graph and diff', () => {
  const path = document(
    planOf(list, {
      id: 'each',
      tool: 'double',
      forEach: { $from: 'list', path: '/items' },
      input: { number: { $item: '' } },
    }),
  )

  it.each([
    ['tree', /└─ list/],
    ['mermaid', /^flowchart|^graph/],
    ['dot', /^digraph/],
    ['md', /^# /],
  ])('draw a plan as %s', async (format, start) => {
    const { code, stdout } = await callCommand('graph', path, '--format', format)
    expect(code).toBe(0)
    expect(stdout).toMatch(start)
    expect(await callCommand('graph', path, '--format', format, '--json')).toMatchObject({
      json: { format, drawing: stdout.trimEnd() },
    })
  })

  it('show what turns one plan into another, as a patch that does it', async () => {
    const a = planOf(list, { id: 'old', tool: 'fail' })
    const b = planOf({ ...list, input: { length: 3 } }, { id: 'new', tool: 'fail', after: ['list'] })
    const { stdout } = await callCommand('diff', document(a), document(b))
    expect(stdout).toMatch(/~ list/)
    expect(stdout).toMatch(/- old/)
    expect(stdout).toMatch(/\+ new/)
    const { json } = await callCommand('diff', document(a), document(b), '--json')
    const patched = applyPatch(parsePlan(a), json as Patch)
    expect(planHash(patched)).toBe(planHash(parsePlan(b)))
    expect((await callCommand('diff', document(a), document(a))).stdout).toContain('are the same')
  })

  it('say of a plan that is not valid which file it is, and nothing of a run', async () => {
    const [good, bad] = [document(planOf(list)), document(planOf({ ...list, after: ['gone'] }))]
    for (const args of [['graph', bad], ['diff', good, bad], ['plan', bad]]) {
      const { code, stdout, stderr } = await callCommand(...args)
      expect({ code, stdout }).toEqual({ code: 3, stdout: '' })
      expect(stderr).toMatch(/\[STEP_UNKNOWN\]/)
      expect(stderr.trimEnd().split('\n').at(-1)).toBe(`${bad} is not a valid plan: 1 error`)
      expect((await callCommand(...args, '--json')).json).toMatchObject({
        error: { code: 'PLAN_INVALID', where: { path: bad }, findings: [{ code: 'STEP_UNKNOWN' }] },
      })
    }
  }) // prettier-ignore

  it('says what has changed of goal, assumptions and id', async () => {
    const plan = {
      id: 'p',
      goal: { text: 'go', facts: { x: 1 } },
      steps: [],
      assumptions: [{ id: 'u', statement: 'one', fact: 'f', is: true, steps: [] }],
    }
    const other = {
      ...plan,
      id: 'q',
      goal: { text: 'stay', facts: { x: 2 }, partial: 'allow' },
      assumptions: [{ ...plan.assumptions[0], statement: 'two' }],
    }
    const { stdout } = await callCommand('diff', document(plan), document(other))
    expect(stdout).toContain('id: p becomes q')
    expect(stdout).toContain('goal: text: "go" becomes "stay"; facts: /x 1 becomes 2; partial: nothing becomes "allow"')
    expect(stdout).toContain('assumes u: two')
  })
})

describe('planloom replay', () => {
  it('tells a run again from its journal', async () => {
    const journal = join(folder, 'run.jsonl')
    const live = await callCommand('run', goal, '--json', '--journal', journal)
    const again = await callCommand('replay', journal, '--json')
    expect(again.code).toBe(0)
    expect(again.json).toEqual({ ...(live.json as object), replay: { compared: 5, comparesEnd: true } })
    const { stdout } = await callCommand('replay', journal)
    expect(stdout).toContain('decides as it did then, at all of 5 events, and comes to the same end')
    expect(stdout).toMatch(/◆ planned 2 steps \(doubler\)[^]*✓ double\[2\][^]*✓ completed/)

    const lines = readFileSync(journal, 'utf8').split('\n')
    const cut = document(lines.slice(0, 4).join('\n'), '.jsonl')
    const unfinished = await callCommand('replay', cut, '--unchecked')
    expect(unfinished.stdout).toMatch(/^goal {2}Double the numbers\n[^]*The journal ends while the run is/)
    expect((await callCommand('replay', cut, '--unchecked', '--json')).json).toMatchObject({
      goal: { text: 'Double the numbers' },
      plan: { revision: 2 },
      revisions: [
        { revision: 1, because: { type: 'first' } },
        { revision: 2, because: { type: 'expanded' } },
      ],
    })
  })

  it('ends with 2 for what is no journal, or a broken one', async () => {
    const none = await callCommand('replay', document(planOf(list)))
    expect(none.code).toBe(2)
    expect(none.stderr).toMatch(/is not the journal of a run[^]*--journal run\.jsonl writes one/)
    const journal = join(folder, 'broken.jsonl')
    await callCommand('run', goal, '-q', '--journal', journal)
    const lines = readFileSync(journal, 'utf8').split('\n')
    const broken = await callCommand('replay', document(lines.toSpliced(2, 1).join('\n'), '.jsonl'))
    expect(broken.code).toBe(2)
    expect(broken.stderr).toMatch(/from line 3 on, which has event 2 where 1 should be/)
  })
})

describe('planloom run --journal', () => {
  it.runIf(existsSync('/dev/full'))(
    'ends the run with 1 where the journal cannot be written, and says why',
    async () => {
      const { code, stdout } = await callCommand('run', goal, '--journal', '/dev/full')
      expect(code).toBe(1)
      expect(stdout).toMatch(/The journal could not be written: \/dev\/full cannot be written: .*no space left/)
    },
  )

  it('keeps the file as it was when the run is refused', async () => {
    const journal = document('what was there', '.jsonl')
    const refused = await callCommand('run', document(wrong), '-t', tools, '--journal', journal, '--overwrite')
    expect(refused).toMatchObject({ code: 3 })
    expect(readFileSync(journal, 'utf8')).toBe('what was there')
  })

  it('takes the place of what stands in the file only when it is told to', async () => {
    const journal = document('the only record of another run', '.jsonl')
    const { code, stdout, stderr } = await callCommand('run', goal, '--journal', journal)
    expect({ code, stdout }).toEqual({ code: 2, stdout: '' })
    expect(stderr).toMatch(/is there already[^]*\[FILE_EXISTS\][^]*hint .*--overwrite/)
    expect(readFileSync(journal, 'utf8')).toBe('the only record of another run')
    expect(await callCommand('run', goal, '-q', '--journal', journal, '--overwrite')).toMatchObject({ code: 0 })
    expect(await callCommand('replay', journal)).toMatchObject({ code: 0 })
    expect(await callCommand('run', goal, '-q', '--journal', document('', '.jsonl'))).toMatchObject({ code: 0 })
    expect(await callCommand('run', goal, '-q', '--journal', folder)).toMatchObject({
      code: 2,
      stderr: expect.stringContaining('it is a folder'),
    })
  })
})

describe('planloom tools', () => {
  it('says how to name a module where none is named', async () => {
    const { code, stdout, stderr } = await callCommand('tools')
    expect(code).toBe(2)
    expect(stdout).toBe('')
    expect(stderr).toMatch(/No module is named[^]*planloom tools \.\/tools\.js/)
    expect(await callCommand('tools', '--json')).toHaveProperty('json.error.code', 'USAGE')
  })

  it('lists tools with what they need and give', async () => {
    const { code, stdout } = await callCommand('tools', tools)
    expect(code).toBe(0)
    expect(stdout).toMatch(/^list {2}Gives a list\n {2}gives numbers\n {2}effects none · idempotent · cost 1/)
    const { json } = await callCommand('tools', '--tools', tools, '--json')
    expect((json as { tools: { name: string }[] }).tools.map(({ name }) => name)).toEqual([
      'list',
      'double',
      'fail',
      'wait',
      'ignore',
    ])
  })
})

describe('usage', () => {
  it('has help for every command, with examples', async () => {
    const { code, stdout } = await callCommand('--help')
    expect(code).toBe(0)
    for (const name of ['run', 'fork', 'plan', 'validate', 'graph', 'diff', 'replay', 'tools']) {
      expect(stdout).toMatch(new RegExp(`^ {2}${name} `, 'm'))
      expect((await callCommand(name, '--help')).stdout).toMatch(/Examples:\n {2}\$ planloom /)
    }
  })

  it('prints the help of a command by either name, as wide as the terminal', async () => {
    expect((await callCommand('help', 'run')).stdout).toBe((await callCommand('run', '--help')).stdout)
    expect((await callCommand('help')).stdout).toBe((await callCommand('--help')).stdout)
    const { code, stdout } = await callCommand('--help')
    expect(code).toBe(0)
    expect(stdout.split('\n').filter((line) => line.length > 100)).toEqual([])
  })

  it.each([
    [['rnu'], /unknown command 'rnu'\n\(Did you mean run\?\)/],
    [[], /Usage: planloom/],
    [['run'], /missing required argument 'file'/],
    [['run', ''], /The name of a file is empty/],
    [['help', 'rnu'], /There is no command "rnu"[^]*There are run, resume, fork, plan/],
    [['run', goal, '--events'], /goes with --json only/],
    [['replay', 'x.jsonl', '--events'], /goes with --json only/],
    [['run', 'x.json', '--time', '0s'], /It is more than 0/],
    [['diff', '-', '-'], /Only one of the two plans/],
    [['tools', 'plan.yaml'], /plan\.yaml is no module, and tools come from one/],
    [['run', 'x.json', '--bogus'], /unknown option '--bogus'/],
    [['run', 'x.json', '--concurrency', '0'], /It is at least 1/],
    [['run', 'x.json', '--time', '5'], /with its unit/],
    [['run', 'x.json', '--fact', 'folder'], /the form name=value/],
    [['graph', 'x.json', '--format', 'svg'], /Allowed choices are tree, mermaid, dot, md/],
  ])('ends with 2 for %j', async (args, message) => {
    const { code, stdout, stderr } = await callCommand(...args)
    expect(code).toBe(2)
    expect(stdout).toBe('')
    expect(stderr).toMatch(message)
  })

  it('says so in JSON as well', async () => {
    expect(await callCommand('--json', 'graph', document(planOf(list)))).toHaveProperty('json.format', 'tree')
    expect(await callCommand('help', 'rnu', '--json')).toMatchObject({ code: 2, json: { error: { code: 'USAGE' } } })
    expect(await callCommand('rnu', '--json')).toMatchObject({ code: 2, json: { error: { code: 'USAGE' } } })
  })
})
