// A run made by hand, for what shows runs: it says what it is told to say, at the times it is told.
import { ReplaySubject, Subject } from 'rxjs'
import { planSchema, type Operation, type Plan, type Step } from '../../src/plan/index.ts'
import type { Run, RunState, StepProgress, StepReport, Transition, Trouble } from '../../src/runtime/index.ts'

export interface FakeRun {
  readonly run: Run
  /** Revision after revision; the first one begins the run. */
  propose(steps: readonly Step[], because?: Plan['because'], operations?: readonly Operation[]): Transition
  report(at: number, ...reports: (StepReport & { id: string })[]): Transition
  enter(at: number, state: RunState, troubles?: readonly Trouble[]): Transition
  tell(progress: StepProgress): void
  happen(at: number, event: object): Transition
}

export function fakeRun(
  text = 'a goal',
  concurrency = 4,
  tools: Record<string, { concurrency?: number }> = {},
): FakeRun {
  const transitions = new ReplaySubject<Transition>()
  const progress = new Subject<StepProgress>()
  let plan: Plan | undefined
  let state: RunState = 'planning'
  let troubles: readonly Trouble[] = []
  let n = 0
  const emit = (at: number, event: object, steps: Transition['steps'] = []): Transition => {
    const transition = {
      n: n++,
      at,
      event,
      state,
      revision: plan?.revision ?? 0,
      steps,
      facts: [],
    } as unknown as Transition
    transitions.next(transition)
    return transition
  }
  emit(0, { type: 'run.started', at: 0, settings: { limits: { concurrency } }, tools })
  const run = {
    id: 'run-1',
    goal: { text },
    get plan() {
      return plan
    },
    get state() {
      return state
    },
    get troubles() {
      return troubles
    },
    output: () => undefined,
    transitions: () => transitions.asObservable(),
    progress: progress.asObservable(),
  } as unknown as Run
  return {
    run,
    propose(steps, because = { type: 'first', text: 'first plan' }, operations = []) {
      const revision = (plan?.revision ?? 0) + 1
      plan = planSchema.parse({ id: 'p', goal: { text }, revision, because, steps })
      if (state === 'planning') state = 'dispatching'
      return emit(
        0,
        revision === 1
          ? { type: 'plan.proposed', plan }
          : { type: 'plan.patchProposed', patch: { because, operations } },
      )
    },
    report: (at, ...reports) => emit(at, { type: 'step.succeeded' }, reports),
    enter(at, next, why = []) {
      state = next
      troubles = why
      return emit(at, { type: 'run.pause' })
    },
    happen: (at, event) => emit(at, event),
    tell(told) {
      progress.next(told)
    },
  }
}
