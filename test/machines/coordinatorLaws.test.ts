import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { isSettled } from '../../src/machines/decisions/ledger.ts'
import { coordinator } from '../../src/machines/coordinator.machine.ts'
import type { CoordinatorMessage, RunStarted } from '../../src/machines/coordinator.messages.ts'
import { initialTransition, transition } from '../../src/machines/xstate.ts'
import { parsePlan } from '../../src/plan/parse.ts'
import { canDoWithout } from '../../src/plan/graph.ts'
import { applyPatch } from '../../src/plan/patch.ts'
import { canonicalJson, stepHash } from '../../src/plan/hash.ts'
import { dependenciesOf } from '../../src/plan/references.ts'
import type { Plan, Step } from '../../src/plan/schema.ts'
import { Drive, testTools, type Check, type DriveOptions, type Moment } from './coordinatorDriver.ts'

const runs = 300

/** Random plans: each step may depend, in each of the ways there are, on steps before it. */
const anyPlan: fc.Arbitrary<Plan> = fc
  .array(
    fc.record({
      tool: fc.constantFrom('noop', 'noop', 'narrow', 'retrying', 'pay', 'send'),
      after: fc.array(fc.nat(30), { maxLength: 3 }),
      reads: fc.option(fc.nat(30), { nil: undefined }),
      over: fc.option(fc.nat(30), { nil: undefined, freq: 6 }),
      onFailure: fc.constantFrom(undefined, undefined, undefined, 'skip' as const, 'fail' as const, 'replan' as const),
      onSkipped: fc.constantFrom(undefined, undefined, 'run' as const),
      gate: fc.boolean(),
    }),
    { minLength: 1, maxLength: 14 },
  )
  .map((specs) => {
    const steps = specs.map((spec, index): Step => {
      const before = (nth: number): string => `s${String(nth % index)}`
      const step: Step = { id: `s${String(index)}`, tool: spec.tool }
      if (spec.onFailure) step.onFailure = spec.onFailure
      if (spec.onSkipped) step.onSkipped = spec.onSkipped
      if (index === 0) return step
      if (spec.after.length > 0) step.after = [...new Set(spec.after.map(before))]
      if (spec.reads !== undefined) step.input = { it: { $from: before(spec.reads), path: '' } }
      if (spec.over !== undefined) step.forEach = { $from: before(spec.over), path: '/items' }
      if (spec.gate && spec.reads !== undefined && spec.over === undefined) {
        step.when = { value: { $from: before(spec.reads), path: '/value' }, is: { type: 'integer', minimum: 2 } }
      }
      return step
    })
    return parsePlan({
      id: 'p',
      goal: { text: 'anything', partial: specs.length % 2 === 0 ? 'allow' : 'forbid' },
      steps,
    })
  })

const anyOptions: fc.Arbitrary<DriveOptions> = fc.record({
  seed: fc.integer({ min: 0, max: 2 ** 31 }),
  failures: fc.constantFrom(0, 0.1, 0.4, 0.8),
  people: fc.boolean(),
  crashes: fc.boolean(),
  uncertain: fc.constantFrom('replan', 'ask', 'retry', 'fail'),
})

/** Drives random plans in random ways; `check` looks at each moment. */
function always(check: Check, atTheEnd: (drive: Drive) => void = () => undefined): void {
  fc.assert(
    fc.property(anyPlan, anyOptions, (plan, options) => {
      const drive = new Drive(plan, options, check)
      expect(drive.toTheEnd(), `the run is not over: ${drive.last.state}`).toBe(true)
      atTheEnd(drive)
    }),
    { numRuns: runs, examples: [[...givenUpAndRewired]] },
  )
}

const executes = (moment: Moment) => moment.commands.filter((command) => command.type === 'step.execute')
const aborts = (moment: Moment) => moment.commands.filter((command) => command.type === 'step.abort')

/** Found by property 10: a step given up with its branch, and rewired afterwards, ran all the same. */
const givenUpAndRewired: readonly [Plan, DriveOptions] = [
  {
    id: 'p',
    goal: { text: 'anything', partial: 'allow' },
    revision: 1,
    parent: null,
    by: { planner: 'fixed' },
    because: { type: 'first', text: 'first plan' },
    steps: [
      { id: 's0', tool: 'noop' },
      { id: 's1', tool: 'noop' },
      { id: 's2', tool: 'noop', after: ['s1'] },
      { id: 's3', tool: 'noop', after: ['s0'], forEach: { $from: 's2', path: '/items' }, onSkipped: 'run' },
      { id: 's4', tool: 'noop', forEach: { $from: 's0', path: '/items' } },
      { id: 's5', tool: 'noop', forEach: { $from: 's0', path: '/items' } },
    ],
    assumptions: [],
  },
  { seed: 2102989239, failures: 0.4, people: false },
]

describe('what always holds of the coordinator', () => {
  it('1: dispatches a step only when all that it depends on has succeeded, or may be missing', () => {
    always((moment) => {
      for (const { stepId } of executes(moment)) {
        const step = moment.context.steps.get(stepId)
        expect(step, `${stepId} is in the plan`).toBeDefined()
        if (step === undefined) continue
        for (const id of dependenciesOf(step)) {
          const entry = moment.context.entries.get(id)
          const isMet =
            entry?.status === 'succeeded' || (canDoWithout(step, id) && entry !== undefined && isSettled(entry.status))
          expect(isMet, `${stepId} went out while ${id} was ${entry?.status ?? 'nowhere'}`).toBe(true)
        }
      }
    })
  })

  it('2: has one live attempt a step, and counts an outcome once', () => {
    always((moment, before) => {
      const { event } = moment
      const running = [...moment.context.entries].filter(([, entry]) => entry.status === 'running')
      for (const command of executes(moment)) {
        expect(moment.context.entries.get(command.stepId)?.attempt).toBe(command.attempt)
        expect(running.some(([id]) => id === command.stepId) || moment.context.verdict).toBeTruthy()
      }
      if (before === undefined || !('attempt' in event)) return
      const was = before.context.entries.get(event.stepId)
      const isAwaited =
        event.type === 'step.checked' ? before.context.doubts.has(event.stepId) : was?.status === 'running'
      if (isAwaited && was?.attempt === event.attempt) return
      expect(moment.context.late).toBe(before.context.late + 1)
      expect(moment.context.entries.get(event.stepId)).toEqual(was)
      expect(moment.context.facts).toBe(before.context.facts)
      expect(moment.context.outputs).toBe(before.context.outputs)
    })
  })

  it('3: never executes a succeeded step again, and no later revision changes it', () => {
    const contents = new WeakMap<Drive, Map<string, string>>()
    always((moment, _before, drive) => {
      const succeeded = contents.get(drive) ?? new Map<string, string>()
      contents.set(drive, succeeded)
      for (const { stepId } of executes(moment)) expect(succeeded.has(stepId), `${stepId} again`).toBe(false)
      for (const [id, entry] of moment.context.entries) {
        const step = moment.context.steps.get(id)
        const known = succeeded.get(id)
        if (known !== undefined) {
          expect(entry.status).toBe('succeeded')
          expect(step && contentOf(step)).toBe(known)
        } else if (entry.status === 'succeeded' && step) succeeded.set(id, contentOf(step))
      }
    })
  })

  it('4: ends every step in exactly one final status, and leaves nothing alive', () => {
    always(
      () => undefined,
      (drive) => {
        const { context, state } = drive.last
        expect(['completed', 'failed', 'cancelled']).toContain(state)
        expect(context.outcome?.status).toBe(state)
        for (const [id, entry] of context.entries)
          expect(isSettled(entry.status), `${id} is ${entry.status}`).toBe(true)
        const ids = new Set(context.entries.keys())
        for (const revision of revisionsOf(drive)) for (const { id } of revision.steps) expect(ids.has(id)).toBe(true)
        expect(drive.timers.size).toBe(0)
        expect(context.doubts.size + drive.checks.size).toBe(0)
        expect(context.busy).toBe(0)
        expect([...context.out.values()].every((count) => count === 0)).toBe(true)
      },
    )
  })

  it('5: makes revision n+1 by patch n from revision n, and the journal alone gives everything again', () => {
    always(
      () => undefined,
      (drive) => {
        const revisions = revisionsOf(drive)
        expect(canonicalJson(revisions.at(-1))).toBe(canonicalJson(drive.last.context.plan))
        revisions.forEach((revision, index) => {
          expect(revision.revision).toBe(index + 1)
        })
        const journal = JSON.parse(JSON.stringify(drive.moments.map((moment) => moment.event))) as [
          RunStarted,
          ...CoordinatorMessage[],
        ]
        const [first, ...rest] = journal
        let [snapshot] = initialTransition(coordinator, first)
        for (const event of rest) [snapshot] = transition(coordinator, snapshot, event)
        const { context } = drive.last
        expect(snapshot.value).toBe(drive.last.state)
        expect(canonicalJson(snapshot.context.held.plan)).toBe(canonicalJson(context.plan))
        for (const part of ['entries', 'outputs', 'facts', 'outcome', 'counts'] as const) {
          expect(JSON.stringify(snapshot.context.held[part])).toBe(JSON.stringify(context[part]))
        }
      },
    )
  })

  it('leaves every earlier moment as it was', () => {
    const seen: string[] = []
    const told = ({ context: { entries, outputs, counts, ready } }: Moment): string =>
      JSON.stringify({ entries, outputs, counts, ready })
    always(
      (moment, before) => {
        if (before === undefined) seen.length = 0
        seen.push(told(moment))
      },
      (drive) => {
        expect(drive.moments.map(told)).toEqual(seen)
      },
    )
  })

  it('6: replans a bounded number of times', () => {
    always(
      () => undefined,
      (drive) => {
        expect(drive.last.context.used.replans).toBeLessThanOrEqual(drive.last.context.limits.replans)
      },
    )
  })

  it('7: holds up only what depends on the trouble while it replans', () => {
    always((moment) => {
      if (moment.state !== 'replanning') return
      const { context } = moment
      for (const [id, entry] of context.entries) {
        const step = context.steps.get(id)
        if (entry.status !== 'ready' || step === undefined) continue
        // A ready step waits only for a limit: of the run, or of its tool.
        const toolLimit = step.tool === undefined ? undefined : testTools[step.tool]?.concurrency
        const isFull =
          context.busy >= context.limits.concurrency ||
          (toolLimit !== undefined && (context.out.get(`tool ${step.tool ?? ''}`) ?? 0) >= toolLimit)
        expect(isFull, `${id} is ready and does not go`).toBe(true)
      }
    })
  })

  it('8: dispatches nothing after a cancel, aborts all that is out, and ends with the grace period at the latest', () => {
    fc.assert(
      fc.property(anyPlan, anyOptions, fc.nat(25), (plan, options, events) => {
        const drive = new Drive(plan, options, () => undefined)
        drive.toTheEnd(events)
        const isOver = (): boolean => drive.isOver
        if (isOver()) return
        const alreadyStopping = drive.last.state === 'stopping'
        const running = [...drive.last.context.entries]
          .filter(([, entry]) => entry.status === 'running')
          .map(([id]) => id)
        drive.send({ type: 'run.cancel' })
        const told = aborts(drive.last).map((command) => command.stepId)
        if (!alreadyStopping) expect(told.sort()).toEqual(running.sort())
        expect(executes(drive.last)).toEqual([])
        const before = drive.moments.length
        if (!isOver()) {
          expect(drive.timers.has('grace')).toBe(true)
          drive.send({ type: 'timer.fired', key: 'grace' })
        }
        expect(isOver()).toBe(true)
        for (const moment of drive.moments.slice(before)) expect(executes(moment)).toEqual([])
        if (!alreadyStopping) expect(drive.last.context.outcome?.status).toBe('cancelled')
      }),
      { numRuns: runs },
    )
  })

  it('9: never exceeds a limit on concurrency', () => {
    always((moment) => {
      const { context } = moment
      const running = [...context.entries].filter(([, entry]) => entry.status === 'running').map(([id]) => id)
      expect(running.length).toBeLessThanOrEqual(context.limits.concurrency)
      expect(running.filter((id) => context.steps.get(id)?.tool === 'narrow').length).toBeLessThanOrEqual(1)
      expect(context.busy).toBe(running.length)
      const { counts } = context
      const byStatus = new Map<string, number>()
      for (const entry of context.entries.values()) byStatus.set(entry.status, (byStatus.get(entry.status) ?? 0) + 1)
      for (const [status, count] of Object.entries(counts)) expect(byStatus.get(status) ?? 0, status).toBe(count)
    })
  })

  it('10: has as facts the fold of the outcomes it accepted, without those that were withdrawn', () => {
    always(
      () => undefined,
      (drive) => {
        const given: { readonly by: string; readonly key: string; readonly value: unknown }[] = []
        const { context } = drive.last
        drive.moments.forEach((moment, index) => {
          const before = drive.moments[index - 1]
          const { event } = moment
          if (event.type === 'fact.reported' && before?.state !== 'stopping')
            given.push({ by: `report:${event.by ?? 'api'}`, key: event.key, value: event.value })
          // An answer that keeps several surprises has them succeed one after the other.
          for (const id of new Set(moment.context.changed)) {
            if (
              moment.context.entries.get(id)?.status !== 'succeeded' ||
              before?.context.entries.get(id)?.status === 'succeeded'
            )
              continue
            for (const fact of factsOf(drive, id, index)) given.push({ by: id, ...fact })
          }
        })
        const withdrawn = (by: string) => context.steps.get(by)?.abandoned !== undefined
        const fold = new Map<string, unknown>()
        for (const { by, key, value } of given) if (!withdrawn(by)) fold.set(key, value)
        const held = new Map([...context.facts.layers].map(([key, layer]) => [key, layer.value]))
        expect(new Map([...held].sort())).toEqual(new Map([...fold].sort()))
      },
    )
  })
})

function contentOf(step: Step): string {
  const { abandoned: _abandoned, ...content } = step
  return stepHash(content)
}

function revisionsOf(drive: Drive): Plan[] {
  const { first, patches } = drive.last.context
  if (first === undefined) return []
  const revisions = [first]
  for (const patch of patches) revisions.push(applyPatch(revisions.at(-1) as Plan, patch))
  return revisions
}

/** Facts of the outcome by which a step came to its end: of the event itself, or of the surprise that was kept. */
function factsOf(
  drive: Drive,
  stepId: string,
  index: number,
): readonly { readonly key: string; readonly value: unknown }[] {
  for (let at = index; at >= 0; at--) {
    const event = drive.moments[at]?.event
    if (event && 'stepId' in event && event.stepId === stepId && event.type === 'step.answered' && at === index)
      return []
    if (event?.type === 'step.checked' && event.stepId === stepId && 'facts' in event.finding) {
      const was = drive.moments[at - 1]?.context
      if (was?.doubts.has(stepId) && was.entries.get(stepId)?.attempt === event.attempt) return event.finding.facts
    } else if (event && 'attempt' in event && event.stepId === stepId && 'facts' in event) {
      const was = drive.moments[at - 1]?.context.entries.get(stepId)
      if (was?.status === 'running' && was.attempt === event.attempt) return event.facts
    }
  }
  return []
}
