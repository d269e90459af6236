// Sub-runs: what a run that carries out a step takes over from the run that began it.
//
// S1. Budgets (tokens, money, planner calls, replannings, time, depth) are what is left of the parent's when the sub-run
//     begins; what it has used is added to the parent's when it ends, however it ends. Of several that run at once each
//     gets all that is left then: together they may use that much each, before the parent stops.
// S2. All else (planner, approval, uncertain steps, labels, limits of concurrency, size and patience) is the parent's, as it stands then.
// S3. Its grace period is a tenth shorter (at most 100 ms), so that its parent is still there to hear what it has used.
// S4. Where amendments that have a say in effects wait (`amendments: 'effects'`), so does a sub-run's first plan that has effects: it is
//     written when outputs have been read. Not so where its step stands in the first plan and is given no output.
import type { Planner } from '../actors/planners/planner.ts'
import { stepHash } from '../plan/hash.ts'
import { referencesIn } from '../plan/references.ts'
import type { Step } from '../plan/schema.ts'
import { PlanloomError } from '../errors.ts'
import type { CoordinatorContext } from '../machines/coordinator.context.ts'
import type { StepExecute } from '../machines/command.messages.ts'
import type { RunStarted } from '../machines/coordinator.messages.ts'
import type { BudgetUsed, Outcome, Usage } from '../machines/reports.messages.ts'
import type { RunLimits } from '../machines/settings.messages.ts'
import type { Run } from './run.ts'
import type { StartOptions } from './runtime.ts'
import { unlimited } from './settings.ts'

/** A run that may begin sub-runs. */
export interface Parent {
  readonly run: RunStarted
  /** Plans for its sub-goals. */
  readonly planner: Planner
  readonly context: Pick<CoordinatorContext, 'limits' | 'used' | 'run' | 'first' | 'plan'> | undefined
}

/** The options of the sub-run that carries out a step. @throws `SUB_RUN_TOO_DEEP` */
export function inheritedOptions(parent: Parent, { stepId }: StepExecute, now: number): StartOptions {
  const { run, planner, context } = parent
  const limits = context?.limits ?? run.settings.limits
  if (limits.depth < 1) {
    const { depth } = run.settings.limits
    const where = run.parentRunId === undefined ? '' : `, which is a sub-run itself (of run "${run.parentRunId}")`
    throw new PlanloomError(
      'SUB_RUN_TOO_DEEP',
      `Step "${stepId}" would begin a sub-run, and run "${run.runId}"${where} may have ${String(depth)} levels below it.`,
      {
        hint: 'Plan the goal with tools at this level, or raise limits.depth; a planner that answers every goal with another goal never gets to work.',
        where: { runId: run.runId, stepId },
      },
    )
  }
  const { uncertain } = context?.run.settings ?? run.settings
  return {
    planner,
    approval: waitsForEffects(parent, stepId) ? 'effects' : run.settings.approval,
    ...(run.settings.amendments && { amendments: run.settings.amendments }),
    ...(uncertain && { uncertain }),
    limits: leftOf(limits, context?.used, (context?.run ?? run).at + limits.timeMs - now),
    ...(run.labels && { labels: run.labels }),
  }
}

/** S4 */
function waitsForEffects({ run, context }: Parent, stepId: string): boolean {
  const { approval, amendments } = run.settings
  if (approval !== 'none' || amendments !== 'effects') return false
  const isStep = ({ id }: Step): boolean => id === stepId
  const now = context?.plan?.steps.find(isStep)
  const planned = (context?.first ?? context?.plan)?.steps.find(isStep) // the plan may still be being written
  if (now === undefined || planned === undefined || stepHash(now) !== stepHash(planned)) return true
  return now.forEach !== undefined || referencesIn(now.input ?? {}).length > 0
}

/** What a sub-run has used, as its parent's step reports it. Its time has passed for the parent as well. */
export function usageOf(run: Pick<Run, 'id' | 'modelUse'>, { usage }: Outcome): Usage {
  const { tokens, cost, plannerCalls, replans } = usage
  const models = run.modelUse().total
  return { tokens, cost, plannerCalls, replans, ...(models.calls > 0 && { subRun: { runId: run.id, models } }) }
}

function leftOf(limits: RunLimits, used: BudgetUsed | undefined, timeLeftMs: number): RunLimits {
  const left = (name: 'tokens' | 'cost' | 'plannerCalls' | 'replans'): number =>
    limits[name] >= unlimited ? unlimited : Math.max(0, limits[name] - (used?.[name] ?? 0))
  return {
    ...limits,
    tokens: left('tokens'),
    cost: left('cost'),
    plannerCalls: left('plannerCalls'),
    replans: left('replans'),
    timeMs: limits.timeMs >= unlimited ? unlimited : Math.max(0, timeLeftMs),
    depth: limits.depth - 1,
    graceMs: limits.graceMs - Math.min(100, limits.graceMs / 10), // S3
  }
}
