// The coordinator's chart and plans that stream in, whoever sends them: it relies on no check of the planner's side.
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import type { CoordinatorContext } from '../../src/machines/coordinator.context.ts'
import { coordinator } from '../../src/machines/coordinator.machine.ts'
import type { CoordinatorMessage, Draft, RunStarted } from '../../src/machines/coordinator.messages.ts'
import type { RunLimits } from '../../src/machines/settings.messages.ts'
import { isSettled } from '../../src/machines/decisions/ledger.ts'
import { initialTransition, transition } from '../../src/machines/xstate.ts'
import { stepHash } from '../../src/plan/hash.ts'
import { parsePlan } from '../../src/plan/parse.ts'
import type { Plan, Step } from '../../src/plan/schema.ts'
import { testTools } from './coordinatorDriver.ts'

const most = Number.MAX_SAFE_INTEGER
const limits: RunLimits = {
  concurrency: 2,
  roles: {},
  plannerCalls: 100,
  replans: 8,
  tokens: most,
  cost: most,
  timeMs: most,
  plannerMs: most,
  graceMs: 10,
  steps: 100,
  sameFailure: 3,
  depth: 8,
}

/** A run whose planner has been asked for its first plan. */
class Stream {
  #snapshot: ReturnType<typeof initialTransition<typeof coordinator>>[0]
  #events = 0

  constructor(settings: Partial<RunStarted['settings']> = {}) {
    const run: RunStarted = {
      type: 'run.started',
      id: 'e0',
      at: 0,
      runId: 'run-1',
      goal: { text: 'go', partial: 'allow' },
      planner: 'test',
      tools: testTools,
      settings: { limits, approval: 'none', dispatch: 'eager', seed: 1, ...settings },
    }
    this.#snapshot = initialTransition(coordinator, run)[0]
  }

  get held(): CoordinatorContext {
    return this.#snapshot.context.held
  }

  get state(): string {
    return this.#snapshot.value
  }

  get requestId(): string {
    return this.held.asked?.requestId ?? 'none'
  }

  send(draft: Draft<CoordinatorMessage>): void {
    if (this.#snapshot.status !== 'active') return
    this.#events += 1
    const event = { ...draft, id: `e${String(this.#events)}`, at: this.#events } as CoordinatorMessage
    this.#snapshot = transition(coordinator, this.#snapshot, event)[0]
  }

  propose(step: Step): void {
    this.send({ type: 'plan.stepProposed', requestId: this.requestId, step })
  }

  proposePlan(steps: readonly Step[]): void {
    this.send({ type: 'plan.proposed', requestId: this.requestId, plan: planOf(steps) })
  }

  breakOff(): void {
    const failure = { code: 'PLANNER_THREW', message: 'oh', retryable: true }
    this.send({ type: 'plan.failed', requestId: this.requestId, failure })
  }

  succeed(stepId: string): void {
    const attempt = this.held.entries.get(stepId)?.attempt ?? 0
    this.send({ type: 'step.succeeded', stepId, attempt, output: {}, facts: [] })
  }
}

function planOf(steps: readonly Step[]): Plan {
  return parsePlan({ id: 'run-1', goal: { text: 'go', partial: 'allow' }, steps: [...steps] })
}

const a: Step = { id: 'a', tool: 'noop' }
const b: Step = { id: 'b', tool: 'noop', after: ['a'] }

describe('a whole plan after streamed steps', () => {
  it.each([
    ['has succeeded', true],
    ['is running', false],
  ])(
    'that changes a step that %s is refused, the planner is told, and the second time the run ends',
    (_how, isDone) => {
      const stream = new Stream()
      stream.propose(a)
      if (isDone) stream.succeed('a')
      stream.proposePlan([{ ...a, input: { other: true } }, b])
      expect(stream.held.refused).toContain('"a"')
      expect(stream.held.commands).toMatchObject([
        {
          type: 'plan.request',
          begun: [a],
          troubles: [{ type: 'patch_refused', text: expect.stringContaining('"a"') as string }],
        },
      ])
      expect(stream.held.steps.get('a')).toBe(a)
      stream.proposePlan([{ id: 'c', tool: 'noop' }])
      expect(stream.held.verdict).toMatchObject({ reason: 'invalid_plan', failure: { code: 'PLAN_INVALID' } })
    },
  )

  it('that changes or leaves out steps that have not begun is taken as it is', () => {
    const stream = new Stream()
    stream.propose(a)
    stream.propose(b)
    stream.propose({ id: 'c', tool: 'noop', after: ['b'] })
    const other = { ...b, input: { other: true } }
    stream.proposePlan([a, other])
    stream.succeed('a')
    expect(stream.held.commands).toMatchObject([{ type: 'step.execute', stepId: 'b', input: { other: true } }])
    stream.succeed('b')
    expect(stream.held.outcome).toMatchObject({ reason: 'done', counts: { succeeded: 2 } })
    expect(stream.held.entries.get('c')?.status).toBe('abandoned')
  })
})

describe('what always holds of plans that stream in', () => {
  const ids = ['a', 'b', 'c', 'd']
  const anyStep = fc
    .record({ at: fc.nat(3), after: fc.option(fc.nat(3), { nil: undefined }), version: fc.nat(1) })
    .map(({ at, after, version }): Step => {
      const depends = after !== undefined && after < at ? { after: [ids[after] ?? 'a'] } : {}
      return { id: ids[at] ?? 'a', tool: 'noop', input: { version }, ...depends }
    })
  const anyDeed = fc.oneof(
    {
      weight: 4,
      arbitrary: anyStep.map((step) => (stream: Stream) => {
        stream.propose(step)
      }),
    },
    {
      weight: 3,
      arbitrary: fc.nat(3).map((at) => (stream: Stream) => {
        stream.succeed(ids[at] ?? 'a')
      }),
    },
    {
      weight: 1,
      arbitrary: fc.constant((stream: Stream) => {
        stream.breakOff()
      }),
    },
    {
      weight: 1,
      arbitrary: fc
        .uniqueArray(anyStep, { selector: ({ id }) => id, minLength: 1 })
        .map((steps) => (stream: Stream) => {
          const known = new Set(steps.map(({ id }) => id))
          if (steps.every(({ after = [] }) => after.every((id) => known.has(id)))) stream.proposePlan(steps)
        }),
    },
    {
      weight: 1,
      arbitrary: fc.constant((stream: Stream) => {
        stream.send({ type: 'run.pause' })
      }),
    },
    {
      weight: 2,
      arbitrary: fc.constant((stream: Stream) => {
        stream.send({ type: 'run.resume' })
      }),
    },
  )

  it('3, 7: what has begun is never changed, and what is ready goes unless a limit or a pause holds it', () => {
    fc.assert(
      fc.property(fc.array(anyDeed, { maxLength: 40 }), (deeds) => {
        const stream = new Stream()
        const begun = new Map<string, string>()
        for (const deed of deeds) {
          deed(stream)
          const { held } = stream
          for (const [id, hash] of begun) {
            const step = held.steps.get(id)
            expect(step && stepHash(step), `${id} is as it was when it began`).toBe(hash)
          }
          for (const [id, entry] of held.entries) {
            const step = held.steps.get(id)
            if (entry.attempt > 0 && step) begun.set(id, stepHash(step))
            if (entry.status === 'succeeded') expect(entry.attempt).toBe(1)
          }
          if (stream.state !== 'paused' && held.verdict === undefined && held.counts.ready > 0)
            expect(held.busy).toBe(held.limits.concurrency)
          if (held.outcome) for (const entry of held.entries.values()) expect(isSettled(entry.status)).toBe(true)
          if (held.planIsWhole)
            expect(held.plan?.steps.map(({ id }) => id).sort()).toEqual([...held.steps.keys()].sort())
        }
      }),
      { numRuns: 500 },
    )
  })
})
