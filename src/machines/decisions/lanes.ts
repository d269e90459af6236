// Lanes: ready steps that share one limit queue together, so that a full tool holds up nobody else and nobody scans.
import type { Step } from '../../plan/schema.ts'
import type { CoordinatorContext } from '../coordinator.context.ts'
import type { RunStarted } from '../coordinator.messages.ts'
import type { Turn } from './turn.ts'

/** The executor role that carries out a step: its own word, its tool's, or by its kind. */
export function roleOf(run: RunStarted, step: Step): string {
  if (step.executor !== undefined) return step.executor
  if (step.goal) return 'goal'
  if (step.tool === undefined) return step.tools === undefined ? 'person' : 'model'
  return run.tools[step.tool]?.executor ?? 'tool'
}

/** `role`, or `role tool` where the tool has a limit of its own. */
export function laneOf(context: CoordinatorContext, step: Step): string {
  const role = roleOf(context.run, step)
  return step.tool !== undefined && context.run.tools[step.tool]?.concurrency !== undefined
    ? `${role} ${step.tool}`
    : role
}

/** Whether one more step of this lane may go out. */
export function laneHasRoom(context: CoordinatorContext, lane: string): boolean {
  const [role = lane, tool] = lane.split(' ')
  if (role !== 'person' && context.busy >= context.limits.concurrency) return false
  const roleLimit = context.limits.roles[role]
  if (roleLimit !== undefined && (context.out.get(role) ?? 0) >= roleLimit) return false
  const toolLimit = tool === undefined ? undefined : context.run.tools[tool]?.concurrency
  return toolLimit === undefined || (context.out.get(lane) ?? 0) < toolLimit
}

/** Counts a step that goes out (`+1`) or comes back (`-1`). */
export function countOut(turn: Turn, step: Step, by: 1 | -1): void {
  const role = roleOf(turn.run, step)
  const lane = laneOf(turn, step)
  turn.out = turn.out.set(role, (turn.out.get(role) ?? 0) + by)
  if (lane !== role) turn.out = turn.out.set(lane, (turn.out.get(lane) ?? 0) + by)
  if (role !== 'person') turn.busy += by
}
