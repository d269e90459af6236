// What is asked of a run through its journal: of one that a process has, and of one that nobody has.
import { describe, expect, it } from 'vitest'
import { z } from 'zod'
import {
  createRuntime,
  defineTool,
  memoryJournal,
  replayJournal,
  type Journal,
  type JournalEvent,
  type RunCommand,
  type RunRequest,
  type RuntimeOptions,
  type Tool,
} from '../../src/runtime/index.ts'
import { eventsOf, journalLeft } from '../support/lostProcess.ts'
import { planOf } from '../support/plans.ts'
import { statusesOf } from '../support/runs.ts'
import { echo } from '../support/tools.ts'
import { VirtualClock } from '../support/virtualClock.ts'

const plan = planOf([
  { id: 'ask', instruction: 'How many?' },
  { id: 'work', tool: 'note' },
  { id: 'pay', tool: 'pay' },
  { id: 'after', tool: 'note', after: ['work'] },
  { id: 'careful', tool: 'note', approval: 'required', after: ['work'] },
])

/** Notes which attempts it was called for, and takes 100 ms. */
function noting(clock: VirtualClock, calls: string[], name: 'note' | 'pay'): Tool {
  return defineTool({
    name,
    description: 'Notes.',
    ...(name === 'pay' && { effects: 'external' as const }),
    input: z.object({}),
    output: z.object({}),
    run: async (_, { stepId, attempt, signal }) => {
      calls.push(`${stepId} ${String(attempt)}`)
      await clock.wait(100, signal)
      return {}
    },
  })
}

interface Stage {
  readonly clock: VirtualClock
  readonly calls: string[]
  readonly options: RuntimeOptions
}

function stage(journal: Journal): Stage {
  const clock = new VirtualClock()
  const calls: string[] = []
  return {
    clock,
    calls,
    options: {
      tools: [echo, noting(clock, calls, 'note'), noting(clock, calls, 'pay')],
      clock,
      journal,
      uncertain: 'ask',
    },
  }
}

/** The journal of a run whose process ended while `ask`, `work` and `pay` were out. */
async function stopped(): Promise<Journal> {
  const { clock, options } = stage(memoryJournal())
  const runtime = createRuntime(options)
  runtime.start(plan, { runId: 'run' })
  await clock.runUntil(50)
  const left = journalLeft(options.journal!)
  await clock.until(runtime.close())
  return left
}

/** What came of the requests of the run: the type of the event, or the code of the refusal. */
function fates(journal: Journal): (string | undefined)[] {
  const events = eventsOf(journal, 'run')
  return [...(journal.requests?.('run') as Iterable<RunRequest>)].map(({ seq, refused }) =>
    seq === undefined ? refused?.code : events[seq]?.type,
  )
}

async function ask(journal: Journal, ...commands: readonly RunCommand[]): Promise<void> {
  for (const command of commands) await journal.request?.('run', command, { by: 'ann' })
}

describe('a run that somebody has', () => {
  it('takes what is asked of it, each as one event with who, and refuses the rest with the reason', async () => {
    const { clock, options } = stage(memoryJournal())
    await using runtime = createRuntime(options)
    const run = runtime.start(plan, { runId: 'run' })
    await clock.runUntil(50)
    await ask(
      options.journal!,
      { type: 'run.pause' },
      { type: 'step.answered', stepId: 'ask', value: 7 },
      { type: 'step.answered', stepId: 'ask', value: 8 },
      { type: 'step.retry', stepId: 'nobody' },
      { type: 'fact.reported', key: 'weather', value: 'fine' },
      { type: 'budget.extend', limits: { replans: 9 } },
      { type: 'budget.extend', limits: { replans: -1 } },
      { type: 'step.skip', stepId: 'after', because: 'no need' },
      { type: 'run.approve', stepId: 'careful' },
      { type: 'run.edit', operations: [{ op: 'remove', id: 'work' }] },
      { type: 'run.edit', operations: [{ op: 'remove', id: 'after' }] },
      { type: 'run.fly' } as unknown as RunCommand,
      { type: 'run.resume' },
    )
    expect(await clock.until(run.result)).toMatchObject({ reason: 'done' })
    expect(fates(options.journal!)).toEqual([
      'run.pause',
      'step.answered',
      'COMMAND_REFUSED',
      'COMMAND_REFUSED',
      'fact.reported',
      'budget.extend',
      'OPTIONS_INVALID',
      'step.skip',
      'run.approve',
      'PATCH_REFUSED',
      'run.edit',
      'COMMAND_INVALID',
      'run.resume',
    ])
    const events = eventsOf(options.journal!, 'run')
    expect(events.filter((event) => 'request' in event)).toHaveLength(8)
    expect(events.find(({ type }) => type === 'run.pause')).toMatchObject({ by: 'ann', request: 1 })
    expect([...(options.journal!.requests?.('run') as Iterable<RunRequest>)][2]?.refused).toMatchObject({
      reason: 'step_status',
      message: 'Step "ask" cannot be answered: it is succeeded.',
    })
    expect(replayJournal(events).outcome).toEqual(run.outcome)
  })

  it('that is over has nothing asked of it', async () => {
    const journal = memoryJournal()
    await using runtime = createRuntime({ tools: [echo], journal })
    await runtime.start(planOf([{ id: 'a', tool: 'echo' }]), { runId: 'run' }).result
    await expect(async () => journal.request?.('run', { type: 'run.cancel' })).rejects.toMatchObject({
      code: 'RUN_OVER',
    })
  })
})

describe('a run that nobody has, when it is gone on with', () => {
  async function resumed(...commands: readonly RunCommand[]) {
    const journal = await stopped()
    await ask(journal, ...commands)
    const { clock, calls, options } = stage(journal)
    const runtime = createRuntime(options)
    const run = await runtime.resume('run')
    const close = () => clock.until(runtime.close())
    return { journal, clock, calls, run, close }
  }

  it('is cancelled before anything of it goes out', async () => {
    const { journal, clock, calls, run, close } = await resumed({ type: 'run.cancel', because: 'enough' })
    expect(await clock.until(run.result)).toMatchObject({ status: 'cancelled', message: 'Cancelled by ann: enough.' })
    expect(calls).toEqual([])
    expect(statusesOf(run)).toMatchObject({ ask: 'cancelled', work: 'cancelled', pay: 'uncertain' })
    expect(fates(journal)).toEqual(['run.cancel'])
    await close()
  })

  it('is paused before anything of it goes out, and sends it when the pause ends, as the same try', async () => {
    const { clock, calls, run, close } = await resumed({ type: 'run.pause' })
    await clock.runUntil(1_000)
    expect([run.state, calls]).toEqual(['paused', []])
    expect(statusesOf(run)).toMatchObject({ ask: 'running', work: 'ready', pay: 'uncertain' })
    run.resume()
    await clock.runUntil(1_050)
    expect(calls).toEqual(['work 2'])
    run.approve({ stepId: 'careful' })
    run.answer('ask', 1)
    run.answer('pay', {})
    expect(await clock.until(run.result)).toMatchObject({ reason: 'done' })
    expect(run.step('work')).toMatchObject({ attempt: 2 })
    await close()
  })

  it('does not send again what was skipped or answered meanwhile', async () => {
    const { journal, clock, calls, run, close } = await resumed(
      { type: 'step.answered', stepId: 'pay', value: {} },
      { type: 'step.retry', stepId: 'after' },
      { type: 'run.approve', stepId: 'careful' },
      { type: 'step.skip', stepId: 'work' },
    )
    run.answer('ask', 3)
    expect(await clock.until(run.result)).toMatchObject({ status: 'completed' })
    expect(calls.filter((call) => /^(work|pay)/.test(call))).toEqual([])
    expect(fates(journal)).toEqual(['step.answered', 'COMMAND_REFUSED', 'run.approve', 'step.skip'])
    expect(replayJournal(eventsOf(journal, 'run')).outcome).toEqual(run.outcome)
    await close()
  })

  it('sends a step again whose effect did not happen, as somebody has found out', async () => {
    const { clock, calls, run, close } = await resumed(
      { type: 'step.retry', stepId: 'pay' },
      { type: 'step.answered', stepId: 'ask', value: 3 },
      { type: 'run.approve', stepId: 'careful' },
    )
    expect(await clock.until(run.result)).toMatchObject({ reason: 'done' })
    expect(calls.filter((call) => call.startsWith('pay'))).toEqual(['pay 2'])
    await close()
  })

  it('takes what was asked exactly once, even when its process ends again right after', async () => {
    const { journal, run, close } = await resumed(
      { type: 'step.answered', stepId: 'ask', value: 3 },
      { type: 'run.pause' },
    )
    const left = journalLeft(journal)
    expect(run.state).toBe('paused')
    const again = stage(left)
    await using runtime = createRuntime(again.options)
    const second = await runtime.resume('run')
    await again.clock.runUntil(500)
    expect([second.state, again.calls, second.output('ask')]).toEqual(['paused', [], 3])
    const asked = (events: readonly JournalEvent[]) => events.filter((event) => 'request' in event).length
    expect(asked(eventsOf(left, 'run'))).toBe(2)
    await again.clock.until(runtime.close())
    await close()
  })
})
