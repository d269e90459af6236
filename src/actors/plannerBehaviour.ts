// What asks a planner, behind its chart.
//
// D1. Every question is answered once, with an answer or with why there is none, unless it was stopped before.
// D2. Its signal fires on `planner.stop`, when a newer question comes, when the run's signal fires, and when the actor
//     is stopped; whatever comes afterwards is dropped.
import { PlanloomError } from '../errors.ts'
import type { PlannerAsk, PlannerBehaviour, PlannerReply } from '../machines/planner.messages.ts'
import { failureFrom } from '../plan/thrownValue.ts'
import type { CallBudget } from '../models/model.ts'
import { onAbort } from './onAbort.ts'
import type { Planner, PlannerContext, PlanStream } from './planners/planner.ts'
import { isStream, iteratorOf } from './planners/planStream.ts'

export interface PlannerBehaviourOptions {
  readonly planner: Planner
  /** Now, in ms since the epoch, by the run's clock. */
  readonly now: () => number
  /** The run's signal. */
  readonly signal: AbortSignal
  /** What model calls of a request may use. */
  readonly budgetOf?: (requestId: string) => CallBudget
}

/** Makes the behaviour that asks this planner. */
export function createPlannerBehaviour({ planner, now, signal, budgetOf }: PlannerBehaviourOptions): PlannerBehaviour {
  return (mailbox) => {
    let memory: { readonly requestId: string; readonly notes: WeakMap<object, unknown> } | undefined
    let live: { readonly requestId: string; readonly controller: AbortController } | undefined

    function stop(because: string): void {
      const stopped = live
      live = undefined
      stopped?.controller.abort(new PlanloomError('ABORTED', because))
    }
    function stopWithRun(): void {
      stop('The run was stopped.')
    }

    const unfollow = onAbort(signal, stopWithRun)
    mailbox.receive((message) => {
      if (message.type === 'planner.stop') {
        if (live?.requestId === message.requestId) stop('The answer is no longer wanted.')
        return
      }
      stop('There is a newer question.')
      const controller = new AbortController()
      live = { requestId: message.requestId, controller }
      if (signal.aborted) stopWithRun()
      if (memory?.requestId !== message.requestId) memory = { requestId: message.requestId, notes: new WeakMap() }
      const budget = budgetOf?.(message.requestId)
      const context = { signal: controller.signal, now, memory: memory.notes, ...(budget && { budget }) }
      void ask(message, planner, context, mailbox.reply)
    })
    return () => {
      unfollow()
      stop('The planner was stopped.')
    }
  }
}

/** Never rejects. */
async function ask(
  message: PlannerAsk,
  planner: Planner,
  context: PlannerContext,
  reply: (reply: PlannerReply) => void,
): Promise<void> {
  const { requestId, round } = message
  const { signal } = context
  const isWanted = (): boolean => !signal.aborted
  if (!isWanted()) return
  try {
    const answered = put(message, planner, context)
    const answer: unknown = isStream(answered)
      ? await readStream(answered, signal, (step) => {
          reply({ type: 'planner.stepProposed', requestId, round, step })
        })
      : await answered
    if (isWanted()) reply({ type: 'planner.answered', requestId, round, answer })
  } catch (error) {
    if (!isWanted()) return
    const failure = failureFrom(error, { code: 'PLANNER_THREW', who: `Planner "${planner.name}"` })
    reply({ type: 'planner.threw', requestId, round, failure })
  }
}

/** Asks for a plan, or for what to do about troubles. A planner that cannot amend gives up. */
function put({ question }: PlannerAsk, planner: Planner, context: PlannerContext): unknown {
  const { amend, ...request } = question
  if (amend === undefined) return planner.plan(request, context)
  if (planner.replan !== undefined) return planner.replan({ ...request, ...amend }, context)
  const troubles = amend.troubles.map(({ text }) => text).join('; ')
  return {
    giveUp: `Planner "${planner.name}" does not amend plans, and there is trouble: ${troubles || 'none was named'}`,
  }
}

/** Passes on each step as it comes. What the stream returns at its end (assumptions, usage, model) becomes part of the
 * answer: a `for await` would lose it. */
async function readStream(stream: PlanStream, signal: AbortSignal, propose: (step: unknown) => void): Promise<unknown> {
  const iterator = iteratorOf(stream)
  const steps: unknown[] = []
  for (;;) {
    const next = await iterator.next()
    if (signal.aborted) {
      if (next.done !== true) void end(iterator)
      return undefined
    }
    if (next.done === true) {
      const rest = typeof next.value === 'object' ? next.value : undefined
      return { ...rest, steps }
    }
    steps.push(next.value)
    propose(next.value)
  }
}

/** Lets a generator run its `finally`. What it throws there is nobody's concern any more. */
async function end(iterator: ReturnType<typeof iteratorOf>): Promise<void> {
  try {
    await iterator.return?.()
  } catch {
    // The answer is not wanted, and neither is this.
  }
}
