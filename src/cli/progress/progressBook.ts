// The progress of a run as a watcher has it: a fold over its transitions, looked at whenever there is something to draw.
//
// B1. Taking a transition costs what it changed; the plan is only gone through when somebody looks.
// B2. Nothing in it comes from a clock: times are those of the transitions, and `now` is passed in.
import type { Plan, Step } from '../../plan/index.ts'
import type {
  Run,
  RunStarted,
  RunState,
  StepProgress,
  StepReport,
  StepStatus,
  Transition,
} from '../../runtime/index.ts'
import { createDurations } from './durations.ts'
import { estimate, type Estimate } from './estimate.ts'
import type { Happening } from './happenings.ts'
import { createItemNames } from './itemNames.ts'
import { firstPlanIn, revisionBy } from './revisions.ts'
import { createRunClock } from './runClock.ts'
import { isOver, kindOf, remainingOf } from './remaining.ts'

/** Everything that is drawn of a run at one moment. */
export interface ProgressModel {
  readonly goal: string
  readonly state: RunState
  /** 0 until there is a plan. */
  readonly revision: number
  readonly elapsedMs: number
  /** Steps of the current revision, and how many have come how far. */
  readonly total: number
  readonly counts: Readonly<Partial<Record<StepStatus, number>>>
  /** In the order in which they were started. */
  readonly running: readonly RunningStep[]
  /** What the planner is being asked about, in words. */
  readonly troubles: readonly string[]
  readonly estimate: Estimate
}

export interface RunningStep {
  readonly id: string
  readonly title: string
  readonly attempt: number
  readonly elapsedMs: number
  readonly progress?: StepProgress | undefined
}

/** What the book looks up in the run itself. */
export type Watched = Pick<Run, 'goal' | 'plan' | 'troubles' | 'output'>

export interface ProgressBook {
  /** Steps of the current revision. */
  readonly total: number
  elapsedMs(now: number): number
  /** Takes a transition in; gives what happened by it that may be worth a line. */
  take(transition: Transition): readonly Happening[]
  tell(progress: StepProgress): void
  /** How it stands at `now` (ms since the epoch). A new estimate costs a rehearsal of the rest, and is made on wish. */
  model(now: number, options?: { readonly estimateAnew?: boolean }): ProgressModel
}

export function createProgressBook(run: Watched): ProgressBook {
  const reports = new Map<string, StepReport>()
  const running = new Map<string, StepReport>()
  const told = new Map<string, StepProgress>()
  const durations = createDurations()
  const stepOf = createStepIndex(run)
  const names = createItemNames(run)
  const titleOf = (id: string): string => titleOfStep(stepOf(id)) || (names.nameOf(id) ?? '')
  let started: Pick<RunStarted, 'tools' | 'settings'> | undefined
  const clock = createRunClock()
  let concurrency = 64
  let revision = 0
  let isPlanned = false
  let state: RunState = 'planning'
  let lastEstimate: Estimate = { type: 'unknown', because: 'too_early' }

  const takeReport = (report: StepReport & { readonly id: string }): Happening | undefined => {
    const { id } = report
    const before = reports.get(id)
    reports.set(id, report)
    if (report.status === 'running') running.set(id, report)
    else if (running.delete(id)) told.delete(id)
    if (before?.status === report.status && before.attempt === report.attempt) return undefined
    const step = stepOf(id)
    const ms =
      report.startedAt === undefined || report.endedAt === undefined ? undefined : report.endedAt - report.startedAt
    if (report.status === 'succeeded' && ms !== undefined && step?.expanded === undefined)
      durations.add(kindOf(step), ms)
    return { type: 'step', id, title: titleOf(id), report, ms: step?.expanded === undefined ? ms : undefined }
  }

  return {
    elapsedMs: (now) => clock.elapsedMs(now),
    get total() {
      return run.plan?.steps.length ?? 0
    },

    take(transition) {
      const { event } = transition
      const happenings: Happening[] = []
      clock.take(event)
      if (event.type === 'run.started') started = event
      if (event.type === 'run.started') concurrency = event.settings.limits.concurrency
      if (event.type === 'budget.extend') concurrency = event.limits.concurrency ?? concurrency
      const first = isPlanned ? undefined : firstPlanIn(transition)
      isPlanned ||= first !== undefined
      if (first) happenings.push({ type: 'planned', steps: first.steps.length, planner: first.by.planner })
      else if (revision > 0 && transition.revision !== revision) {
        const revised = revisionBy(transition)
        const because = { ...revised.because, text: names.inText(revised.because.text) }
        happenings.push({ type: 'revision', ...revised, because })
      }
      happenings.push(...questionIn(event))
      revision = transition.revision
      for (const report of transition.steps) {
        const happening = takeReport(report)
        if (happening) happenings.push(happening)
      }
      if (transition.state !== state) happenings.push({ type: 'state', from: state, to: transition.state })
      state = transition.state
      return happenings
    },

    tell(progress) {
      if (running.has(progress.stepId)) told.set(progress.stepId, { ...told.get(progress.stepId), ...progress })
    },

    model(now, { estimateAnew = false } = {}) {
      const steps = run.plan?.steps ?? []
      if (estimateAnew) {
        lastEstimate = estimate({ ...remainingOf(steps, reports, now), ...limitsOf(started, concurrency), durations })
      }
      return {
        goal: run.goal.text,
        state,
        revision,
        elapsedMs: clock.elapsedMs(now),
        total: steps.length,
        counts: countsOf(steps, reports),
        running: [...running].map(([id, { attempt, startedAt }]) => ({
          id,
          title: titleOf(id),
          attempt,
          elapsedMs: Math.max(0, now - (startedAt ?? now)),
          progress: told.get(id),
        })),
        troubles: state === 'replanning' ? run.troubles.map(({ text }) => names.inText(text)) : [],
        estimate: isOver(state) ? { type: 'unknown', because: 'too_early' } : lastEstimate,
      }
    },
  }
}

/** What an attempt asks while it goes on; a step that is a question has its report. */
function questionIn(event: Transition['event']): Happening[] {
  if (event.type === 'step.asked') return [{ type: 'asked', id: event.stepId, text: event.text }]
  if (event.type === 'step.unanswered')
    return [{ type: 'answered', id: event.stepId, by: undefined, failure: event.failure.message }]
  if (event.type === 'step.answered' && event.question !== undefined)
    return [{ type: 'answered', id: event.stepId, by: event.by }]
  return []
}

/** Looks steps up in the current revision; the index is made again only where the revision has changed. */
function createStepIndex(run: Watched): (id: string) => Step | undefined {
  let of: Plan | undefined
  let steps = new Map<string, Step>()
  return (id) => {
    if (of !== run.plan) {
      of = run.plan
      steps = new Map(of?.steps.map((step) => [step.id, step]))
    }
    return steps.get(id)
  }
}

/** What a step is about, where its id does not say so already. */
function titleOfStep(step: Step | undefined): string {
  const title = step?.title ?? step?.instruction ?? step?.goal?.text ?? step?.tool ?? ''
  return step?.id.startsWith(title) ? '' : title
}

function countsOf(
  steps: readonly Step[],
  reports: ReadonlyMap<string, StepReport>,
): Partial<Record<StepStatus, number>> {
  const counts: Partial<Record<StepStatus, number>> = {}
  for (const { id } of steps) {
    const status = reports.get(id)?.status ?? 'waiting'
    counts[status] = (counts[status] ?? 0) + 1
  }
  return counts
}

function limitsOf(started: Pick<RunStarted, 'tools'> | undefined, concurrency: number) {
  const kindLimits: Record<string, number> = {}
  for (const [name, traits] of Object.entries(started?.tools ?? {})) {
    if (traits.concurrency !== undefined) kindLimits[name] = traits.concurrency
  }
  return { concurrency, kindLimits }
}
