// Laws of what is asked of a run while nobody has it: whatever is asked, wherever the process ended.
import fc from 'fast-check'
import { expect, it } from 'vitest'
import { z } from 'zod'
import {
  createRuntime,
  defineTool,
  memoryJournal,
  replayJournal,
  type Journal,
  type Run,
  type RunCommand,
  type RunRequest,
  type RuntimeOptions,
} from '../../src/runtime/index.ts'
import type { Step } from '../../src/plan/schema.ts'
import { eventsOf, journalLeft } from '../support/lostProcess.ts'
import { planOf } from '../support/plans.ts'
import { VirtualClock } from '../support/virtualClock.ts'

const stepCount = 6

const steps = fc
  .array(
    fc.record({
      kind: fc.constantFrom('note', 'note', 'pay', 'person'),
      after: fc.array(fc.nat(stepCount - 1), { maxLength: 2 }),
      approval: fc.constantFrom(undefined, undefined, 'required' as const),
    }),
    { minLength: 1, maxLength: stepCount },
  )
  .map((drawn) =>
    drawn.map(({ kind, after, approval }, n): Step => ({
      id: `s${String(n)}`,
      ...(kind === 'person' ? { instruction: 'Well?' } : { tool: kind }),
      after: [...new Set(after)].filter((other) => other < n).map((other) => `s${String(other)}`),
      ...(approval && { approval }),
    })),
  )

const stepId = fc.nat(stepCount).map((n) => `s${String(n)}`)
const command: fc.Arbitrary<RunCommand> = fc.oneof(
  fc.constant<RunCommand>({ type: 'run.pause' }),
  fc.constant<RunCommand>({ type: 'run.resume' }),
  fc.constant<RunCommand>({ type: 'run.cancel' }),
  stepId.map((id): RunCommand => ({ type: 'step.skip', stepId: id })),
  stepId.map((id): RunCommand => ({ type: 'step.retry', stepId: id })),
  stepId.map((id): RunCommand => ({ type: 'step.answered', stepId: id, value: {} })),
  stepId.map((id): RunCommand => ({ type: 'run.approve', stepId: id })),
  stepId.map((id): RunCommand => ({ type: 'run.reject', because: 'no', stepId: id })),
  stepId.map((id): RunCommand => ({ type: 'run.edit', operations: [{ op: 'remove', id }] })),
  fc.constant<RunCommand>({ type: 'fact.reported', key: 'x', value: 1 }),
)

interface Call {
  readonly stepId: string
  readonly key: string
}

function stage(journal: Journal): {
  readonly clock: VirtualClock
  readonly calls: Call[]
  readonly options: RuntimeOptions
} {
  const clock = new VirtualClock()
  const calls: Call[] = []
  const tool = (name: string, effects: 'none' | 'external') =>
    defineTool({
      name,
      description: 'Takes time.',
      effects,
      input: z.object({}),
      output: z.object({}),
      run: async (_, { stepId: id, idempotencyKey: key, signal }) => {
        calls.push({ stepId: id, key })
        await clock.wait(100, signal)
        return {}
      },
    })
  const options = { tools: [tool('note', 'none'), tool('pay', 'external')], clock, journal, uncertain: 'ask' } as const
  return { clock, calls, options }
}

/** Answers whatever is asked, so that the run comes to its end. */
function help(run: Run): void {
  if (run.state === 'paused') run.resume()
  for (const { stepId: id, kind } of run.questions) {
    if (kind === 'approval') run.approve({ stepId: id })
    else run.answer(id, {})
  }
}

it('holds before anything is sent again; each request comes to one end, and the record tells the same run', async () => {
  await fc.assert(
    fc.asyncProperty(steps, fc.nat(450), fc.array(command, { maxLength: 6 }), async (drawn, untilMs, commands) => {
      const before = stage(memoryJournal())
      const lost = createRuntime(before.options)
      lost.start(planOf(drawn, { goal: { text: 'test', partial: 'allow' } }), { runId: 'run' })
      await before.clock.runUntil(untilMs)
      const journal = journalLeft(before.options.journal!)
      await before.clock.until(lost.close())
      if ([...(journal.runs() as Iterable<{ readonly reason?: string }>)][0]?.reason !== undefined) return

      for (const asked of commands) await journal.request?.('run', asked)
      const { clock, calls, options } = stage(journal)
      const runtime = createRuntime(options)
      const run = await runtime.resume('run')
      await clock.runUntil(0)
      const isPaused = run.state === 'paused'
      if (isPaused || run.outcome?.status === 'cancelled') expect(calls).toEqual([])
      const unattended = eventsOf(journal, 'run').filter((event) => 'unattended' in event)
      for (const event of unattended) {
        const isDone = event.type === 'step.skip' || event.type === 'step.answered'
        const isRetried = unattended.some((other) => other.type === 'step.retry' && other.seq > event.seq)
        if (isDone && !isRetried) expect(calls.map(({ stepId: id }) => id)).not.toContain(event.stepId)
      }

      for (let n = 0; run.outcome === undefined && n < 50; n++) {
        help(run)
        await clock.runUntil(clock.now() + 100)
      }
      const outcome = await clock.until(run.result)
      const events = eventsOf(journal, 'run')
      expect(events.map(({ seq }) => seq)).toEqual(events.map((_, seq) => seq))
      const recovered = events.findIndex(({ type }) => type === 'run.recovered')
      const last = events.findLastIndex((event) => 'unattended' in event)
      if (recovered >= 0) expect(last).toBeLessThan(recovered)
      const requests = [...(journal.requests?.('run') as Iterable<RunRequest>)]
      expect(requests).toHaveLength(commands.length)
      for (const { number, seq, refused } of requests) {
        expect([seq, refused].filter((end) => end !== undefined)).toHaveLength(1)
        const named = events.filter((event) => 'request' in event && event.request === number)
        expect(named.map((event) => event.seq)).toEqual(seq === undefined ? [] : [seq])
      }
      const replayed = replayJournal(events)
      expect(replayed.outcome).toEqual(outcome)
      expect([...replayed.ledger()]).toEqual([...run.ledger()])
      await clock.until(runtime.close())
    }),
    { numRuns: 150 },
  )
})
