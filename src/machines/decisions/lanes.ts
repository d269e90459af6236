// Lanes: ready steps that share one limit queue together, so that a full tool holds up nobody else and nobody scans.
import type { Step } from '../../plan/schema.ts'
import type { CoordinatorContext } from '../coordinator.context.ts'
import type { RunStarted } from '../coordinator.messages.ts'
import { isWaitingForPerson } from './questionBook.ts'
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

/** Counts a step that goes out (`+1`) or comes back (`-1`): what comes back waits for nobody any more. */
export function countOut(turn: Turn, step: Step, by: 1 | -1): void {
  countAsItIs(turn, step, by)
  if (by === -1) stopWaiting(turn, step.id)
}

/** Counts a step that is out, or not any more, as what it is out for: one whose attempt waits for a person is one of theirs. */
export function countAsItIs(turn: Turn, step: Step, by: 1 | -1): void {
  const isWaiting = isWaitingForPerson(turn, step.id)
  const role = isWaiting ? 'person' : roleOf(turn.run, step)
  const lane = isWaiting ? role : laneOf(turn, step)
  turn.out = turn.out.set(role, (turn.out.get(role) ?? 0) + by)
  if (lane !== role) turn.out = turn.out.set(lane, (turn.out.get(lane) ?? 0) + by)
  if (role !== 'person') turn.busy += by
}

/** Its question, if it has an open one, is nobody's any more. */
function stopWaiting(turn: Turn, id: string): void {
  const known = turn.questions.size === 0 ? undefined : turn.questions.get(id)
  if (known?.waits === undefined) return
  turn.questions = turn.questions.set(id, { ...known, open: undefined, waits: undefined })
}
