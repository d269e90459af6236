// Dispatching: ready steps go to executors, best rank first, as far as the limits allow.
//
// D1. A step goes out only while it is `ready`, and leaves as `running` with a new attempt number.
// D2. No limit is exceeded: of the run, of a role, of a tool.
// D3. Nothing new goes out after the verdict, nor of a plan that waits for approval, nor of one that is still being written
//     unless the run wants it so, however the run came to this state.
import { resolveReferences } from '../../plan/references.ts'
import type { Step } from '../../plan/schema.ts'
import { lookUp } from './advance.ts'
import { executeCommand } from './execute.ts'
import { countOut, laneHasRoom, laneOf } from './lanes.ts'
import type { Entry } from './ledger.ts'
import { isBegunInDoubt, lostFailure, mayHaveBeenDone } from './lostEnd.ts'
import { comesBefore, popReady, type ReadyQueue } from './readyQueue.ts'
import { failStep } from './fail.ts'
import { goOnAnswered } from './questions.ts'
import { setEntry, type Turn } from './turn.ts'
import { makeUncertain } from './uncertain.ts'

export function dispatchReady(turn: Turn): void {
  goOnAnswered(turn)
  if (!planMayGo(turn)) return // D3
  for (let next = nextToGo(turn); next !== undefined; next = nextToGo(turn)) sendOut(turn, next)
}

/** D3: what is sent out may end the run at once. */
function nextToGo(turn: Turn): Ready | undefined {
  return turn.verdict === undefined ? takeNext(turn) : undefined
}

function planMayGo({ planIsWhole, planIsApproved, run }: Turn): boolean {
  return planIsWhole ? planIsApproved : run.settings.dispatch === 'eager' && run.settings.approval === 'none'
}

/** A ready step at the head of its lane. */
interface Ready {
  readonly lane: string
  readonly queue: ReadyQueue
  readonly step: Step
  readonly entry: Entry
}

/** Takes the best ready step of all lanes that have room. */
function takeNext(turn: Turn): Ready | undefined {
  let best: Ready | undefined
  for (const [lane, full] of turn.ready) {
    const first = firstOf(turn, lane, full)
    if (first?.queue !== full)
      turn.ready = first === undefined ? turn.ready.delete(lane) : turn.ready.set(lane, first.queue)
    if (first === undefined || !laneHasRoom(turn, lane)) continue
    if (best === undefined || comesBefore(first.queue, best.queue)) best = first
  }
  if (best === undefined) return undefined
  const rest = popReady(best.queue)
  turn.ready = rest === undefined ? turn.ready.delete(best.lane) : turn.ready.set(best.lane, rest)
  return best
}

/** Steps leave the queue when their turn comes; those that were held, moved, given up, or changed so that they belong to another
 * lane, are passed over. */
function firstOf(turn: Turn, lane: string, full: ReadyQueue): Ready | undefined {
  for (let queue: ReadyQueue | undefined = full; queue !== undefined; queue = popReady(queue)) {
    const entry = turn.entries.get(queue.id)
    const step = turn.steps.get(queue.id)
    if (entry?.status === 'ready' && entry.rank === queue.rank && step && laneOf(turn, step) === lane) {
      return { lane, queue, step, entry }
    }
  }
  return undefined
}

function sendOut(turn: Turn, { step, entry }: Ready): void {
  const { id } = step
  const input = resolveReferences(step.input ?? {}, (reference) => lookUp(turn, reference))
  const attempt = entry.attempt + 1
  const running: Entry = {
    ...entry,
    status: 'running',
    attempt,
    tries: entry.tries + 1,
    startedAt: turn.now,
    failure: undefined,
    subRunId: undefined,
    reusedFrom: undefined,
  }
  setEntry(turn, id, running)
  countOut(turn, step, 1)
  if ('missing' in input) {
    const { $from, path } = input.missing
    failStep(turn, id, running, {
      code: 'REFERENCE_UNRESOLVED',
      message: `Step "${id}" refers to "${path}" in the output of "${$from}", and nothing is there.`,
      hint: `Look at the output of "${$from}", and mend the path or the step.`,
      path,
      retryable: false,
    })
    return
  }
  if (mayHaveBeenDone(turn, step)) {
    makeUncertain(turn, id, running, lostFailure(turn, step))
    return
  }
  const inDoubt = isBegunInDoubt(turn, step) && { inDoubt: true as const }
  turn.commands.push({ ...executeCommand(turn, step, running, input.value), ...inDoubt })
}
