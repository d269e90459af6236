// What is left of a plan: the steps that are not over, as the estimate needs them.
import { dependenciesOf, type Step } from '../../plan/index.ts'
import type { RunState, StepReport, StepStatus } from '../../runtime/index.ts'
import type { Remaining } from './estimate.ts'
import type { OpenStep } from './rehearsal.ts'

const over: ReadonlySet<StepStatus | RunState> = new Set<StepStatus | RunState>([
  'succeeded',
  'failed',
  'skipped',
  'abandoned',
  'cancelled',
  'uncertain',
  'completed',
])

/** Nothing more comes of a step, or a run, with this status. */
export function isOver(status: StepStatus | RunState): boolean {
  return over.has(status)
}

/** What a step is measured by: its tool, or who else does it. */
export function kindOf(step: Step | undefined): string {
  return step?.tool ?? (step?.goal ? 'goal' : (step?.executor ?? (step?.tools ? 'model' : 'person')))
}

export function remainingOf(
  steps: readonly Step[],
  reports: ReadonlyMap<string, StepReport>,
  now: number,
): Pick<Remaining, 'steps' | 'mayGrow' | 'waitsForPerson'> {
  const open = steps.filter(({ id }) => !isOver(reports.get(id)?.status ?? 'waiting'))
  return {
    steps: open.map((step) => openStep(step, reports.get(step.id), now)),
    mayGrow: open.some((step) => step.forEach !== undefined && step.expanded === undefined),
    waitsForPerson: open.some((step) => kindOf(step) === 'person'),
  }
}

function openStep(step: Step, report: StepReport | undefined, now: number): OpenStep {
  const open = { id: step.id, kind: kindOf(step), after: dependenciesOf(step) }
  // A list that has got its children is done when they are, and takes no time of its own.
  if (step.expanded !== undefined) return { ...open, instant: true }
  if (report?.status !== 'running' || report.startedAt === undefined) return open
  return { ...open, elapsedMs: Math.max(0, now - report.startedAt) }
}
