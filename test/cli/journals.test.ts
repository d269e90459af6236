// Journals in SQLite files from the command line: recording, listing, looking back, taking out and in, repairing.
import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { DatabaseSync } from '@photostructure/sqlite'
import { describe, expect, it } from 'vitest'
import { scratchFolder } from '../support/scratchFolder.ts'
import { callCommand } from './callCommand.ts'

const goal = 'test/cli/fixtures/goal.ts'
const tools = 'test/cli/fixtures/tools.ts'
const watching = 'test/cli/fixtures/watching.ts'
const amending = 'test/cli/fixtures/amending.ts'
const paying = 'test/cli/fixtures/paying.ts'
const hopeless = 'test/cli/fixtures/hopeless.ts'

/** A journal with a run that is done and one that failed after it. */
async function recorded(): Promise<string> {
  const journal = join(scratchFolder(), 'runs.db')
  expect((await callCommand('run', goal, '--journal', journal, '-q')).code).toBe(0)
  expect((await callCommand('run', hopeless, '--journal', journal, '-q')).code).toBe(1)
  return journal
}

async function idsIn(journal: string, ...more: string[]): Promise<string[]> {
  const { json } = await callCommand('runs', '-j', journal, '--json', ...more)
  return (json as { readonly runs: readonly { readonly runId: string }[] }).runs.map(({ runId }) => runId)
}

describe('planloom runs', () => {
  it('lists the runs of a journal, newest first, with how far they have come', async () => {
    const journal = await recorded()
    const { code, stdout } = await callCommand('runs', '-j', journal)
    expect(code).toBe(0)
    const [failed, done] = stdout.split('\n')
    expect(failed).toMatch(/^run-\w+ +gave up +0 of 0 .*Fly to the sun/)
    expect(done).toMatch(/^run-\w+ +completed +5 of 5 .*Double the numbers/)
  })

  it('lists those that fit a filter', async () => {
    const journal = await recorded()
    const [failed = '', done = ''] = await idsIn(journal)
    expect(await idsIn(journal, '--state', 'completed')).toEqual([done])
    expect(await idsIn(journal, '--state', 'completed', '--state', 'failed')).toEqual([failed, done])
    expect(await idsIn(journal, '--goal', 'sun')).toEqual([failed])
    expect(await idsIn(journal, '--limit', '1')).toEqual([failed])
    expect(await idsIn(journal, '--label', 'team=red')).toEqual([])
  })

  it('says where there is no journal, and makes none', async () => {
    const path = join(scratchFolder(), 'none.db')
    const { code, stderr } = await callCommand('runs', '-j', path)
    expect(code).toBe(2)
    expect(stderr).toContain('JOURNAL_UNKNOWN')
    expect(existsSync(path)).toBe(false)
  })
})

describe('planloom show', () => {
  it('shows the latest run, one by the beginning of its id, or as it was after an event', async () => {
    const journal = await recorded()
    const [, done = ''] = await idsIn(journal)
    expect((await callCommand('show', '-j', journal)).stdout).toContain('gave up')
    const whole = await callCommand('show', done.slice(0, 8), '-j', journal, '--json')
    expect(whole.json).toMatchObject({ runId: done, state: 'completed', outcome: { reason: 'done' } })
    const before = await callCommand('show', done, '-j', journal, '--at', '1', '--json')
    expect(before.json).toMatchObject({ runId: done, state: 'awaiting', at: 1 })
    const said = await callCommand('show', done, '-j', journal, '--at', '1')
    expect(said.stdout).toContain('as it was after event 1')
    expect(said.stdout).toContain('1 running')
  })

  it('says when there is no such run or event, or more than one', async () => {
    const journal = await recorded()
    const codes = await Promise.all(
      [['nobody'], ['run-'], ['--at', '999']].map(async (args) => {
        const { code, stderr } = await callCommand('show', ...args, '-j', journal)
        return [code, /\[([A-Z_]+)\]/.exec(stderr)?.[1]]
      }),
    )
    expect(codes).toEqual([
      [2, 'RUN_UNKNOWN'],
      [2, 'RUN_AMBIGUOUS'],
      [2, 'EVENT_UNKNOWN'],
    ])
  })
})

describe('planloom events', () => {
  it('lists what happened, from an event on', async () => {
    const journal = await recorded()
    const [, done = ''] = await idsIn(journal)
    const { stdout } = await callCommand('events', done, '-j', journal, '--from', '2', '--json')
    const events = stdout
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line) as { readonly seq: number })
    expect(events.map(({ seq }) => seq)).toEqual([2, 3, 4, 5])
    expect((await callCommand('events', done, '-j', journal)).stdout).toContain(
      'run.started         Double the numbers',
    )
  })

  it('says at which the planner was asked to replan, and which brought another plan, from any event on', async () => {
    const journal = join(scratchFolder(), 'runs.db')
    expect((await callCommand('run', amending, '--journal', journal, '-q')).code).toBe(0)
    const [run = ''] = await idsIn(journal)
    const { stdout } = await callCommand('events', '-j', journal)
    const marked = stdout.split('\n').filter((line) => line.includes('↻'))
    expect(marked).toEqual([
      expect.stringMatching(/^ +\d+ .* step\.failed +↻ the planner is asked to replan · get · /),
      expect.stringMatching(/^ +\d+ .* plan\.patchProposed +↻ revision 2 · /),
    ])
    const [asked = 0, revised = 0] = marked.map((line) => Number.parseInt(line, 10))
    expect((await callCommand('events', '-j', journal, '--from', String(revised))).stdout).toContain('↻ revision 2')
    const { stdout: lines } = await callCommand('events', '-j', journal, '--json', '--from', String(asked))
    const [first, second] = lines
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line) as object)
    expect([first, second]).toMatchObject([
      { seq: asked, replan: { asked: true } },
      { seq: revised, replan: { revision: 2 } },
    ])
    for (const at of [String(asked), 'first-replan']) {
      const { stderr } = await callCommand('fork', amending, run, '--at', at, '-j', journal, '-q')
      expect(stderr).toContain(`after event ${String(asked)}\n`)
    }
    const { stdout: unmarked } = await callCommand('run', goal, '--journal', journal, '-q').then(() =>
      callCommand('events', '-j', journal),
    )
    expect(unmarked).not.toContain('↻') // a list that gets its items is no replanning
  })

  it('that are followed end with the run', async () => {
    const journal = await recorded()
    expect((await callCommand('events', '--follow', '-j', journal)).code).toBe(0)
  })
})

describe('a run', () => {
  it('is taken out as a file, and into another journal, where it is the same', async () => {
    const journal = await recorded()
    const [, done = ''] = await idsIn(journal)
    const [file, other] = [join(scratchFolder(), 'run.jsonl'), join(scratchFolder(), 'other.db')]
    expect((await callCommand('export', done, '-j', journal, '--out', file)).code).toBe(0)
    expect((await callCommand('import', file, '-j', other)).code).toBe(0)
    const [here, there] = await Promise.all(
      [journal, other].map(async (path) => (await callCommand('show', done, '-j', path, '--json')).stdout),
    )
    expect(there).toBe(here)
    expect((await callCommand('runs', '-j', other)).stdout).toMatch(/completed +5 of 5/)
    const again = await callCommand('import', file, '-j', other)
    expect([again.code, again.stderr]).toEqual([2, expect.stringMatching(/\[RUN_EXISTS\][^]*hint planloom show run-/)])
    expect(again.stderr).not.toContain('runId')
    for (const command of [['resume', goal], ['runs'], ['pause'], ['resume', goal, '--all']]) {
      const lines = await callCommand(...command, '-j', file)
      expect([lines.code, lines.stderr]).toEqual([
        2,
        expect.stringContaining(`planloom import ${file} --journal runs.db`),
      ])
    }
    expect((await callCommand('replay', file)).stdout).toContain('✓ completed')
  })

  it('that is old is removed', async () => {
    const journal = await recorded()
    expect((await callCommand('prune', '-j', journal, '--older-than', '1h')).stdout).toContain('0 runs removed')
    expect(await idsIn(journal)).toHaveLength(2)
  })

  it('can be told before it is removed', async () => {
    const journal = await recorded()
    const ids = await idsIn(journal)
    const database = new DatabaseSync(journal)
    database.exec('UPDATE runs SET changed_at = 0')
    database.close()
    const old = ['prune', '-j', journal, '--older-than', '1h']
    const { stdout } = await callCommand(...old, '--dry-run')
    for (const id of ids) expect(stdout).toContain(id)
    expect(stdout).toContain('2 runs would be removed')
    expect((await callCommand(...old, '--dry-run', '--json')).json).toMatchObject({
      dryRun: true,
      runs: expect.any(Array),
    })
    expect(await idsIn(journal)).toEqual(ids)
    expect((await callCommand(...old)).stdout).toContain('2 runs removed')
    expect(await idsIn(journal)).toEqual([])
  })
})

describe('planloom resume', () => {
  /** A journal with the beginning of a run: what a killed process leaves. */
  async function interrupted(...more: string[]): Promise<string> {
    return interruptedRun(goal, { lines: 4 }, ...more)
  }

  async function interruptedRun(
    work: string,
    { lines }: { readonly lines: number },
    ...more: string[]
  ): Promise<string> {
    const [file, journal] = [join(scratchFolder(), 'run.jsonl'), join(scratchFolder(), 'left.db')]
    const whole = join(scratchFolder(), 'whole.db')
    await callCommand('run', work, '--journal', whole, '-q', ...more)
    await callCommand('export', '-j', whole, '--out', file)
    writeFileSync(file, readFileSync(file, 'utf8').split('\n').slice(0, lines).join('\n'))
    expect((await callCommand('import', file, '--unchecked', '-j', journal)).code).toBe(0)
    return journal
  }

  it('goes on with the run that is not over, to the end that it would have had', async () => {
    const journal = await interrupted()
    expect((await callCommand('runs', '-j', journal)).stdout).toMatch(/left awaiting/)
    const shown = (await callCommand('show', '-j', journal)).stdout
    expect(shown).toMatch(
      /‖ It was left awaiting: no process has it\. Go on with it:\n {2}planloom resume <file> run-\w+ --journal /,
    )
    expect(shown).toContain('steps when it was left: 1 succeeded')
    expect((await callCommand('show', '-j', journal, '--json')).json).toMatchObject({ owner: null })
    expect((await callCommand('runs', '-j', journal, '--json')).json).toMatchObject({ runs: [{ owner: null }] })
    const { code, stdout } = await callCommand('resume', goal, '-j', journal, '-q')
    expect(code).toBe(0)
    expect(stdout).toContain('✓ numbers  [0,1,2]')
    expect((await callCommand('runs', '-j', journal)).stdout).toMatch(/completed +5 of 5/)
    expect((await callCommand('resume', goal, '-j', journal)).stderr).toContain('holds no run that is not over')
  })

  it('tells a module that wants to watch which runtime it is, so that tools know what came before the end of the process', async () => {
    const journal = await interruptedRun(watching, { lines: 3 })
    expect((await callCommand('resume', watching, '-j', journal, '-q')).code).toBe(0)
    const { stdout } = await callCommand('events', '-j', journal, '--json')
    expect(stdout).toContain('"output":{"succeeded":["list"]}')
  }) // prettier-ignore

  it('goes on with the planner that reuses plans, where the run was begun with it', async () => {
    const journal = await interrupted('--reuse-plans')
    expect((await callCommand('resume', goal, '-j', journal, '-q')).code).toBe(0)
  })

  it('refuses what only the beginning of a run can take, and names what does it', async () => {
    const journal = await interrupted()
    const refused = async (...args: string[]): Promise<readonly [number, string | undefined]> => {
      const { code, stderr } = await callCommand('resume', goal, ...args, '-j', journal, '-q')
      return [code, /\[USAGE\]\n.*(planloom \w+|--yes)/.exec(stderr)?.[1]]
    }
    expect(await refused('--fact', 'a=1')).toEqual([2, 'planloom report'])
    expect(await refused('--all', '--fact', 'a=1')).toEqual([2, 'planloom report'])
    expect(await refused('--time', '2h')).toEqual([2, 'planloom extend'])
    expect(await refused('--approval', 'none')).toEqual([2, '--yes'])
    expect((await callCommand('runs', '-j', journal)).stdout).toMatch(/left awaiting/)
  })

  it('is refused when the work is another, unless that is accepted', async () => {
    const journal = await interrupted()
    const { code, stderr } = await callCommand('resume', hopeless, '-j', journal, '-q')
    expect(code).toBe(2)
    expect(stderr).toContain('RUN_CHANGED')
    expect(stderr).toContain('--accept-changes')
    expect(stderr).not.toContain("changes: 'accept'")
    expect((await callCommand('resume', hopeless, '-j', journal, '-q', '--accept-changes')).code).toBe(1)
  })
})

describe('planloom resume --all', () => {
  it('goes on with all that are not over, and says which it leaves to others or cannot go on with', async () => {
    const [file, journal] = [join(scratchFolder(), 'run.jsonl'), join(scratchFolder(), 'left.db')]
    await callCommand('run', goal, '--journal', file, '-q', '--overwrite')
    const lines = readFileSync(file, 'utf8').split('\n')
    for (const [id, keep] of [['first', 3], ['second', 4], ['third', 99]] as const) {
      const own = lines.slice(0, keep).join('\n').replaceAll(/run-\w+/g, id)
      writeFileSync(file, own)
      expect((await callCommand('import', file, '--unchecked', '-j', journal)).code).toBe(0)
    }
    writeFileSync(file, lines.slice(0, 3).join('\n').replaceAll(/run-\w+/g, 'other').replaceAll('"doubler"', '"tripler"'))
    await callCommand('import', file, '--unchecked', '-j', journal)
    const { code, json, stderr } = await callCommand('resume', goal, '--all', '-j', journal, '--json')
    expect(stderr).toMatch(/! other .*RUN_CHANGED/)
    expect(code).toBe(1)
    expect(json).toMatchObject({
      resumed: [{ runId: 'first', outcome: { reason: 'done' } }, { runId: 'second', outcome: { reason: 'done' } }],
      owned: [],
      failed: [{ runId: 'other', error: { code: 'RUN_CHANGED' } }],
    })
    expect(await idsIn(journal, '--state', 'completed')).toHaveLength(3)
    const none = await callCommand('resume', goal, '--all', '-j', journal, '--label', 'team=red')
    expect([none.code, none.stdout]).toEqual([0, 'No run was gone on with.\n'])
    expect((await callCommand('resume', goal, 'first', '--all', '-j', journal)).code).toBe(2)
  }) // prettier-ignore
})

describe('planloom import --unchecked', () => {
  it('marks that the end of a run was lost: what may have happened is not done again as if it had not', async () => {
    const [file, journal] = [join(scratchFolder(), 'run.jsonl'), join(scratchFolder(), 'left.db')]
    await callCommand('run', paying, '--uncertain', 'ask', '--answer', 'pay={"receipt":"seen"}', '-j', file, '-q')
    const lines = readFileSync(file, 'utf8').split('\n')
    writeFileSync(file, lines.slice(0, 2).join('\n')) // the header and `run.started`: nothing had been sent
    const imported = await callCommand('import', file, '--unchecked', '-j', journal)
    expect([imported.code, imported.stderr]).toEqual([0, expect.stringContaining('has no end')])
    expect((await callCommand('show', '-j', journal)).stdout).toContain('! Its end was lost after event 0')
    const { json } = await callCommand('resume', paying, '-j', journal, '--uncertain', 'fail', '--json', '-q')
    expect(json).toMatchObject({ outcome: { reason: 'step_failed' }, steps: [{ id: 'pay', status: 'uncertain' }] })
    const { stdout } = await callCommand('events', '-j', journal)
    expect(stdout).not.toContain('step.timedOut') // it was never sent
  })
})

describe('planloom export --overwrite', () => {
  it('of a run that is damaged leaves the export as it is that was there before', async () => {
    const journal = await recorded()
    const [, done = ''] = await idsIn(journal)
    const folder = scratchFolder()
    const file = join(folder, 'run.jsonl')
    const exportIt = ['export', done, '-j', journal, '--out', file, '--overwrite']
    expect((await callCommand(...exportIt)).code).toBe(0)
    const before = readFileSync(file, 'utf8')
    expect((await callCommand(...exportIt)).code).toBe(0)
    expect(readFileSync(file, 'utf8')).toBe(before)
    const database = new DatabaseSync(journal)
    database.prepare(`UPDATE events SET body = replace(body, 'succeeded', 'sucksided') WHERE seq = 4`).run()
    database.close()
    const { code, stderr } = await callCommand(...exportIt)
    expect([code, stderr]).toEqual([2, expect.stringContaining('JOURNAL_BROKEN')])
    expect(readFileSync(file, 'utf8')).toBe(before)
    expect(readdirSync(folder)).toEqual(['run.jsonl'])
  })
})

describe('planloom replay of a run of a journal', () => {
  it('compares how it ended, too', async () => {
    const journal = await recorded()
    const [, done = ''] = await idsIn(journal)
    expect((await callCommand('replay', done, '-j', journal, '-q')).stdout).toContain('comes to the same end')
    const database = new DatabaseSync(journal)
    database.prepare(`UPDATE runs SET state = 'failed', reason = 'goal_unmet' WHERE run_id = ?`).run(done)
    database.close()
    const { code, stdout } = await callCommand('replay', done, '-j', journal, '-q')
    expect(code).toBe(1)
    expect(stdout).toContain(
      'at event 5, the last one: then the run was failed (goal unmet); today the run was completed (done)',
    )
  })

  it('does so of an export, and of where that was imported', async () => {
    const journal = await recorded()
    const [, done = ''] = await idsIn(journal)
    const file = join(scratchFolder(), 'done.jsonl')
    await callCommand('export', done, '-j', journal, '--out', file)
    expect((await callCommand('replay', file, '-q')).stdout).toContain('comes to the same end')
    const database = new DatabaseSync(journal)
    database.prepare(`UPDATE runs SET state = 'failed', reason = 'goal_unmet' WHERE run_id = ?`).run(done)
    database.close()
    await callCommand('export', done, '-j', journal, '--out', file, '--overwrite')
    expect((await callCommand('replay', file, '-q')).stdout).toContain('then the run was failed (goal unmet)')
    const other = join(scratchFolder(), 'other.db')
    await callCommand('import', file, '-j', other)
    expect((await callCommand('runs', '-j', other)).stdout).toContain('goal unmet')
    expect((await callCommand('replay', done, '-j', other, '-q')).stdout).toContain(
      'then the run was failed (goal unmet)',
    )
  })
})

describe('planloom journal', () => {
  it('finds the first event that is damaged, and saves those before it', async () => {
    const journal = await recorded()
    const [, done = ''] = await idsIn(journal)
    expect((await callCommand('journal', 'verify', journal)).stdout).toContain('2 runs with 8 events are intact')
    const database = new DatabaseSync(journal)
    database.prepare(`UPDATE events SET body = replace(body, 'succeeded', 'sucksided') WHERE seq = 4`).run()
    database.close()
    const verified = await callCommand('journal', 'verify', journal, '--json')
    expect(verified.code).toBe(1)
    expect(verified.json).toMatchObject({ events: 6, faults: [{ runId: done, seq: 4, code: 'JOURNAL_BROKEN' }] })
    expect((await callCommand('events', done, '-j', journal, '--from', '5')).stdout).toMatch(/^ +5 .*step\.succeeded/)
    const saved = join(scratchFolder(), 'saved.db')
    expect((await callCommand('journal', 'repair', journal, '--out', saved)).stdout).toContain(
      `${done}: 4 of 6 events.`,
    )
    expect((await callCommand('journal', 'verify', saved)).stdout).toContain('2 runs with 7 events are intact')
    const shown = await callCommand('show', done, '-j', saved, '--json')
    expect(shown.json).toMatchObject({ state: 'awaiting', at: 4, lostAfter: 3 })
    expect((await callCommand('show', done, '-j', saved)).stdout).toContain('Its end was lost after event 3')
    expect((await callCommand('events', done, '-j', saved)).stdout).toMatch(/^ +4 .*run\.endLost/m)
    expect((await callCommand('journal', 'repair', journal, '--out', saved)).stderr).toContain('JOURNAL_EXISTS')
  })
})

describe('what runs reuse', () => {
  it('takes plans of earlier runs with --reuse-plans, and prune --reuse drops them', async () => {
    const journal = join(scratchFolder(), 'runs.db')
    const run = ['run', goal, '--journal', journal, '--reuse-plans', '-q']
    expect((await callCommand(...run)).code).toBe(0)
    expect((await callCommand(...run)).code).toBe(0)
    const kept = await callCommand('prune', '-j', journal, '--json')
    expect(kept.json).toMatchObject({ runs: [], reuse: { entries: 0 } })
    const dropped = await callCommand('prune', '-j', journal, '--reuse', '--json')
    expect(dropped.json).toMatchObject({ runs: [], reuse: { entries: 1 } })
    expect(await idsIn(journal)).toHaveLength(2)
  })

  it('says of which steps the tools were not run', async () => {
    const [journal, plan] = [join(scratchFolder(), 'runs.db'), join(scratchFolder(), 'plan.json')]
    const step = { id: 'all', tool: 'list', input: { length: 2 }, cache: true }
    writeFileSync(plan, JSON.stringify({ id: 'p', goal: { text: 'List' }, steps: [step] }))
    const run = ['run', plan, '--tools', tools, '--journal', journal]
    expect((await callCommand(...run)).stdout).not.toContain('earlier run')
    const { stdout, stderr } = await callCommand(...run)
    expect(stdout).toContain('1 step: 1 succeeded (1 with the output of an earlier run)')
    const [, first = ''] = await idsIn(journal)
    expect(stderr).toContain(`(output of all in ${first})`)
    expect((await callCommand('show', '-j', journal)).stdout).toContain('(1 with the output of an earlier run)')
    expect((await callCommand('events', '-j', journal)).stdout).toContain(`all · output of all in ${first}`)
  })

  it('wants a journal for it', async () => {
    const { code, stderr } = await callCommand('run', goal, '--reuse-plans')
    expect(code).toBe(2)
    expect(stderr).toContain('runs.db')
  })
})
