// Controlling a run from the command line: one that another process has, and one that nobody has.
import { spawn, type ChildProcess } from 'node:child_process'
import { writeFileSync } from 'node:fs'
import { hostname } from 'node:os'
import { join } from 'node:path'
import { setImmediate } from 'node:timers/promises'
import { describe, expect, it, onTestFinished } from 'vitest'
import { createRuntime, sqliteJournal, type Run, type RuntimeOptions } from '../../src/runtime/index.ts'
import type { Plan, Step } from '../../src/plan/index.ts'
import { planOf } from '../support/plans.ts'
import { scratchFolder } from '../support/scratchFolder.ts'
import { echo } from '../support/tools.ts'
import { callCommand, type Called } from './callCommand.ts'

const ask: Step = { id: 'ask', instruction: 'How many?' }

interface Live {
  readonly run: Run
  /** Calls a command on the journal of the run. */
  readonly planloom: (...args: string[]) => Promise<Called>
  readonly folder: string
}

/** A run that goes on in a runtime with a connection of its own, as another process has it. */
async function live(steps: readonly Step[], options: Partial<RuntimeOptions> = {}): Promise<Live> {
  const folder = scratchFolder()
  const path = join(folder, 'runs.db')
  const journal = sqliteJournal(path)
  const runtime = createRuntime({ tools: [echo], journal, ...options })
  onTestFinished(() => runtime.close())
  const run = runtime.start(planOf(steps), { runId: 'run-live' })
  while (journal.runs().length === 0) await setImmediate() // until its start is written
  return { run, folder, planloom: (...args) => callCommand(...args, '--journal', path) }
}

const codeIn = ({ stderr }: Called): string | undefined => /\[([A-Z_]+)\]/.exec(stderr)?.[1]

/** The latest event as `planloom events` shows it. */
async function lastEvent(planloom: Live['planloom']): Promise<string | undefined> {
  return (await planloom('events')).stdout.trim().split('\n').at(-1)
}

describe('a run that a process has', () => {
  it('is listed and shown as that, with the process that has it', async () => {
    const { run, planloom } = await live([ask])
    expect((await planloom('runs')).stdout).toMatch(/^run-live +awaiting /)
    const shown = (await planloom('show')).stdout
    expect(shown).toContain(`It is awaiting: process ${String(process.pid)} on ${hostname()} has it.\n`)
    expect(shown).not.toContain('planloom resume')
    const owner = { pid: process.pid, host: hostname() }
    expect((await planloom('runs', '--json')).json).toMatchObject({ runs: [{ runId: 'run-live', owner }] })
    expect((await planloom('show', '--json')).json).toMatchObject({ owner })
    run.cancel()
    await run.result
    expect((await planloom('runs', '--json')).stdout).not.toContain('"owner"')
  })

  it('is paused and continued', async () => {
    const { run, planloom } = await live([ask])
    const { code, stdout } = await planloom('pause', '--by', 'ann')
    expect([code, stdout, run.state]).toEqual([0, '✓ run-live: run.pause is event 1.\n', 'paused'])
    expect(await lastEvent(planloom)).toMatch(/ \d\d:\d\d:\d\d\.\d{3} {2}run\.pause +by ann · request 1$/)
    const shown = (await planloom('show')).stdout
    expect(shown).toContain('the end of the pause  planloom continue run-live')
    expect(shown).toContain('planloom answer run-live ask <value>')
    expect((await planloom('continue', 'run-l')).code).toBe(0)
    expect(run.state).toBe('awaiting')
  })

  it('is answered, with a value or a file, and once only', async () => {
    const { run, planloom, folder } = await live([ask, { id: 'other', instruction: 'And who?' }])
    const file = join(folder, 'answer.yaml')
    writeFileSync(file, 'name: ann\n')
    const [first, second] = await Promise.all([
      planloom('answer', 'latest', 'ask', '3', '--json'),
      planloom('answer', 'latest', 'ask', '4', '--json'),
    ])
    expect([first.code, second.code].sort()).toEqual([0, 1])
    const [taken, refused] = first.code === 0 ? [first, second] : [second, first]
    expect(taken.json).toMatchObject({ runId: 'run-live', command: { stepId: 'ask' }, state: 'taken' })
    expect(refused.json).toMatchObject({
      error: { code: 'COMMAND_REFUSED', message: 'Step "ask" cannot be answered: it is succeeded.' },
    })
    expect((await planloom('answer', 'run-live', 'other', `@${file}`)).code).toBe(0)
    expect(await run.result).toMatchObject({ reason: 'done' })
    expect([3, 4]).toContain(run.output('ask'))
    expect(run.output('other')).toEqual({ name: 'ann' })
  })

  it('goes on without a step, and tries it once more after all', async () => {
    const { run, planloom } = await live([ask, { id: 'b', tool: 'echo', after: ['ask'] }])
    expect((await planloom('skip', 'latest', 'b', '--because', 'no need')).code).toBe(0)
    expect(run.step('b')?.status).toBe('skipped')
    expect(await lastEvent(planloom)).toContain('b · no need · by ')
    expect((await planloom('retry', 'latest', 'b')).code).toBe(0)
    expect(run.step('b')?.status).toBe('waiting')
    const refused = await planloom('retry', 'latest', 'b')
    expect([refused.code, codeIn(refused)]).toEqual([1, 'COMMAND_REFUSED'])
  })

  it('has its plan and its steps approved and rejected', async () => {
    const steps: Step[] = [
      ask,
      ...['a', 'b'].map((id) => ({ id, tool: 'echo', approval: 'required' as const, onFailure: 'skip' as const })),
    ]
    const { run, planloom } = await live(steps, { approval: 'required' })
    expect(run.state).toBe('approving')
    expect((await planloom('show')).stdout).toContain('the plan  planloom approve run-live')
    expect((await planloom('approve')).code).toBe(0)
    expect(codeIn(await planloom('approve'))).toBe('COMMAND_REFUSED')
    expect((await planloom('approve', 'latest', '--step', 'a')).code).toBe(0)
    expect((await planloom('reject', 'latest', 'not on a Friday', '--step', 'b')).code).toBe(0)
    expect(run.step('b')).toMatchObject({ status: 'skipped', failure: { code: 'STEP_REJECTED' } })
    const other = await live([ask], { approval: 'required' })
    expect((await other.planloom('reject', 'latest', 'no')).code).toBe(0)
    expect(await other.run.result).toMatchObject({ reason: 'rejected' })
  })

  it('has its plan changed, by a patch or by the plan as it is to be', async () => {
    const { run, planloom, folder } = await live([ask, { id: 'b', tool: 'echo', after: ['ask'] }])
    const file = join(folder, 'edit.json')
    const edit = (value: unknown): Promise<Called> => {
      writeFileSync(file, JSON.stringify(value))
      return planloom('edit', 'latest', file, '--because', 'more')
    }
    expect((await edit({ operations: [{ op: 'insert', step: { id: 'c', tool: 'echo' } }] })).code).toBe(0)
    expect(run.plan).toMatchObject({ revision: 2, because: { text: 'more' } })
    const plan = ((await planloom('show', '--json')).json as { readonly plan: Plan }).plan
    const changed = { ...plan, steps: [...plan.steps, { id: 'd', tool: 'echo', after: ['b'] }] }
    expect((await edit(changed)).code).toBe(0)
    expect(run.plan?.steps.map(({ id }) => id)).toEqual(['ask', 'b', 'c', 'd'])
    expect(codeIn(await edit(changed))).toBe('USAGE') // it was made for the revision before
    expect(codeIn(await edit(run.plan))).toBe('USAGE') // it is the plan
    expect(codeIn(await edit([{ op: 'remove', id: 'c' }]))).toBe('PATCH_REFUSED') // it has succeeded
    const invalid = await edit([{ op: 'insert', step: { id: 'e', tool: 'fly' } }])
    expect([invalid.code, invalid.stderr]).toEqual([3, expect.stringContaining('fly')])
    expect((await edit(7)).code).toBe(3)
  })

  it('is told facts, and has its limits set anew', async () => {
    const { run, planloom } = await live([ask])
    expect((await planloom('report', 'latest', 'weather', 'fine')).code).toBe(0)
    expect(run.fact('weather')?.value).toBe('fine')
    expect((await planloom('extend', 'latest', '--time', '2h', '--replans', '9', '--cost', '1.5')).code).toBe(0)
    expect(await lastEvent(planloom)).toContain('{"timeMs":7200000,"replans":9,"cost":1.5}')
    expect(codeIn(await planloom('extend'))).toBe('USAGE')
    expect((await planloom('extend', '--cost', '2.5')).code).toBe(0) // the latest, as for pause and cancel
    expect((await planloom('extend', 'latest', '--cost', 'much')).code).toBe(2)
  })

  it('is cancelled, and then takes nothing more', async () => {
    const { run, planloom } = await live([ask])
    expect((await planloom('cancel', '--because', 'enough', '--by', 'ann')).code).toBe(0)
    expect(await run.result).toMatchObject({ status: 'cancelled', message: 'Cancelled by ann: enough.' })
    const late = await planloom('cancel', 'run-live')
    expect([late.code, codeIn(late)]).toEqual([1, 'RUN_OVER'])
    expect((await planloom('pause')).stderr).toContain('holds no run that is not over')
    expect(codeIn(await planloom('pause', 'run-x'))).toBe('RUN_UNKNOWN')
  })

  it('may be asked without waiting, and says when nobody answers', async () => {
    const { planloom, folder } = await live([ask])
    const asked = await planloom('report', 'latest', 'weather', 'fine', '--no-wait', '--json')
    expect(asked).toMatchObject({ code: 0, json: { number: 1, command: { key: 'weather' } } })
    const path = join(folder, 'silent.db')
    const silent = sqliteJournal(path)
    onTestFinished(() => {
      void silent.close()
    })
    const owner = silent.create('run-silent') // does not listen
    owner.append({ type: 'run.pause', id: 'e0', at: 0, seq: 0 })
    await owner.flush()
    const unanswered = await callCommand('pause', 'run-silent', '--wait', '1ms', '--journal', path)
    expect([unanswered.code, codeIn(unanswered)]).toEqual([1, 'REQUEST_UNANSWERED'])
  })
})

describe('a run of another process', () => {
  const tools = ['--tools', 'test/cli/fixtures/tools.ts']

  /** Starts a run in a process of its own, and waits until it asks its question. */
  async function started({ approval }: { approval?: 'required' } = {}) {
    const folder = scratchFolder()
    const [plan, journal] = [join(folder, 'plan.json'), join(folder, 'runs.db')]
    const steps = [
      { ...ask, approval },
      { id: 'use', tool: 'list', input: { length: { $from: 'ask' } } },
      { id: 'long', tool: 'wait' },
    ]
    writeFileSync(plan, JSON.stringify({ id: 'p', goal: { text: 'Wait' }, steps }))
    const args = ['run', plan, ...tools, '--journal', journal, '--people', 'journal', '-q']
    const child = spawn(process.execPath, ['--import', 'tsx', 'src/cli/main.ts', ...args], {
      stdio: ['ignore', 'ignore', 'pipe'],
    })
    onTestFinished(() => {
      child.kill('SIGKILL')
    })
    let said = ''
    await new Promise<void>((resolve) => {
      child.stderr.on('data', (chunk: Buffer) => {
        said += chunk.toString()
        if (said.includes(approval ? '<because>' : '<value>')) resolve()
      })
    })
    const planloom = (...more: string[]): Promise<Called> => callCommand(...more, '--journal', journal)
    return { child, plan, said: () => said, planloom }
  }

  const ended = (child: ChildProcess): Promise<number | null> =>
    new Promise((resolve) => {
      child.on('close', resolve)
    })

  it('is paused, looked at, answered, continued, and comes to its end', { timeout: 60_000 }, async () => {
    const { child, planloom } = await started()
    const end = ended(child)
    expect((await planloom('pause')).code).toBe(0)
    expect((await planloom('show', '--json')).json).toMatchObject({ state: 'paused', questions: [{ stepId: 'ask' }] })
    expect((await planloom('answer', 'latest', 'ask', '2')).code).toBe(0)
    expect((await planloom('show')).stdout).toContain('1 ready')
    expect((await planloom('continue')).code).toBe(0)
    expect((await planloom('skip', 'latest', 'long')).code).toBe(0)
    expect(await end).toBe(0)
    expect((await planloom('show', '--json')).json).toMatchObject({
      state: 'completed',
      outcome: { reason: 'partial' },
    })
  })

  it('says what waits for approval, and how to give it', { timeout: 60_000 }, async () => {
    const { child, planloom, said } = await started({ approval: 'required' })
    const end = ended(child)
    const [, run] = /step ask wants approval[^]*planloom approve (run-\w+) --step ask/.exec(said()) ?? []
    const approved = await planloom('approve', String(run), '--step', 'ask')
    expect([approved.code, approved.stderr]).toEqual([0, ''])
    expect((await planloom('answer', 'latest', 'ask', '2')).code).toBe(0)
    expect((await planloom('skip', 'latest', 'long')).code).toBe(0)
    expect(await end).toBe(0)
    expect((await planloom('events', String(run))).stdout).toMatch(/step\.failed +too late to count · ask/)
  })

  it('that has died takes what was asked of it when it is gone on with', { timeout: 60_000 }, async () => {
    const { child, plan, planloom } = await started()
    const end = ended(child)
    child.kill('SIGKILL')
    await end
    const waiting = await planloom('answer', 'latest', 'ask', '2')
    expect([waiting.code, waiting.stdout]).toEqual([0, expect.stringContaining('Nobody has run-')])
    expect((await planloom('skip', 'latest', 'long', '--by', 'ann', '--json')).json).toMatchObject({ state: 'waiting' })
    expect((await planloom('retry', 'latest', 'use')).code).toBe(0)
    expect((await planloom('show')).stdout).toMatch(
      /Asked of it[^]*1 {2}step\.answered ask by [^]*2 {2}step\.skip long by ann/,
    )
    const resumed = await planloom('resume', plan, ...tools, '--json', '-q')
    const taken = [
      { number: 1, command: { type: 'step.answered' }, seq: expect.any(Number) },
      { number: 2, command: { type: 'step.skip' }, by: 'ann', seq: expect.any(Number) },
      { number: 3, command: { type: 'step.retry' }, refused: { code: 'COMMAND_REFUSED' } },
    ]
    expect(resumed).toMatchObject({ code: 0, json: { outcome: { status: 'completed' }, requests: taken } })
    expect(resumed.stderr).toMatch(
      /✓ request 1: step\.answered ask by .* is event \d+\n✓ request 2: step\.skip long by ann is event/,
    )
    const refused = /step\.retry use by .*Step "use" cannot be retried: it is ready\. \[COMMAND_REFUSED\]/
    expect(resumed.stderr).toMatch(/✗ request 3: /)
    expect(resumed.stderr).toMatch(refused)
    const { stdout } = await planloom('events')
    expect(stdout).toMatch(/step\.answered +ask[^]*step\.skip +long[^]*run\.recovered[^]*step\.succeeded +use/)
    expect(stdout).toMatch(/request\.refused +step\.retry use by .*request 3 · Step "use"[^]*step\.answered/)
    const shown = await planloom('show', '--json')
    expect(shown.json).toMatchObject({ requests: [], refused: [{ number: 3, refused: { reason: 'step_status' } }] })
    expect((await planloom('show')).stdout).toMatch(
      /Asked of it, and refused:\n {2}3 {2}step\.retry use by .*\n +Step "use" cannot/,
    )
  })

  it('that has died is asked nothing that it could only refuse', { timeout: 60_000 }, async () => {
    const { child, planloom } = await started()
    const end = ended(child)
    child.kill('SIGKILL')
    await end
    const refused = await Promise.all(
      [['skip', 'latest', 'nope'], ['retry', 'latest', 'use'], ['approve']].map((args) => planloom(...args)),
    )
    expect(refused.map((one) => [one.code, codeIn(one)])).toEqual(Array(3).fill([1, 'COMMAND_REFUSED']))
    expect(refused[0]?.stderr).toContain('There is no step "nope" in the plan.')
    expect((await planloom('show', '--json')).json).toMatchObject({ requests: [], refused: [] })
    expect((await planloom('skip', 'latest', 'long')).code).toBe(0)
    expect(codeIn(await planloom('skip', 'latest', 'nope'))).toBe('COMMAND_REFUSED')
    expect((await planloom('retry', 'latest', 'use')).code).toBe(0) // what waits may come to allow for it
  })

  it('that has died ends as cancelled, when that was asked of it', { timeout: 60_000 }, async () => {
    const { child, plan, planloom } = await started()
    const end = ended(child)
    child.kill('SIGKILL')
    await end
    expect((await planloom('cancel')).code).toBe(0)
    const { code, json } = await planloom('resume', plan, ...tools, '--json', '-q')
    expect([code, statusesIn(json)]).toEqual([130, ['cancelled', 'cancelled', 'cancelled']])
  })
})

function statusesIn(json: unknown): string[] {
  return (json as { readonly steps: readonly { readonly status: string }[] }).steps.map(({ status }) => status)
}
