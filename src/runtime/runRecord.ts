// What people see of a run: its transitions, numbered, kept from the first on; and the progress of what is out.
import { filter, Observable, Subject } from 'rxjs'
import type { JournalEvent } from '../journal/journal.ts'
import { usedIn, type CoordinatorContext } from '../machines/coordinator.context.ts'
import type { CoordinatorMessage, RunStarted } from '../machines/coordinator.messages.ts'
import type { Outcome } from '../machines/reports.messages.ts'
import type { Patch } from '../plan/schema.ts'
import { findFact } from '../machines/decisions/facts.ts'
import { reportOf } from '../machines/decisions/ledger.ts'
import type { HostWatcher } from './host.ts'
import type { RunState, StepProgress, Transition } from './run.ts'

export class RunRecord implements HostWatcher {
  readonly #transitions: Transition[] = []
  readonly #live = new Subject<Transition>()
  readonly progress = new Subject<StepProgress>()
  readonly result: Promise<Outcome>
  /** Fulfilled when nothing more comes, however that is; who waits for it hears of it before those who wait for the result. */
  readonly ended: Promise<void>
  #settle: (outcome: Outcome) => void = () => undefined
  #reject: (error: Error) => void = () => undefined
  #settleEnded: () => void = () => undefined
  #outcome: Outcome | undefined
  #isEnded = false
  /** How it stood after the latest event. */
  #context: CoordinatorContext | undefined

  constructor() {
    this.result = new Promise((settle, reject) => {
      this.#settle = settle
      this.#reject = reject
    })
    this.result.catch(() => undefined) // a run that is left harms nobody who has not asked for its result
    this.ended = new Promise((settle) => {
      this.#settleEnded = settle
    })
  }

  get outcome(): Outcome | undefined {
    return this.#outcome
  }

  onEvent(
    event: (RunStarted | CoordinatorMessage) & { readonly seq: number },
    state: RunState,
    context: CoordinatorContext,
  ): void {
    const transition = transitionOf(event, state, context, this.#context)
    this.#context = context
    this.#transitions.push(transition)
    if (this.#live.observed) this.#live.next(transition)
  }

  onProgress(progress: StepProgress): void {
    if (this.progress.observed) this.progress.next(progress)
  }

  onOver(outcome: Outcome): void {
    this.#outcome = outcome
    this.#end()
    this.#settle(outcome)
  }

  onLeft(error: Error): void {
    this.#end()
    this.#reject(error)
  }

  #end(): void {
    this.#isEnded = true
    this.#context = undefined
    this.#settleEnded()
    this.#live.complete()
    this.progress.complete()
  }

  /** Number of the latest event. */
  get last(): number {
    return this.#transitions.length - 1
  }

  /** The events up to and with number `n`; none where there is no such event. */
  eventsTo(n: number): readonly JournalEvent[] {
    return n in this.#transitions ? this.#transitions.slice(0, n + 1).map((one) => ({ ...one.event, seq: one.n })) : []
  }

  /** First those that were, from number `from`, then those to come. */
  transitions(from: number): Observable<Transition> {
    return new Observable((subscriber) => {
      // What comes while the past is being told is told after it, in order.
      for (let n = Math.max(0, Math.ceil(from)); n < this.#transitions.length && !subscriber.closed; n++)
        subscriber.next(this.#transitions[n] as Transition)
      if (this.#isEnded) {
        subscriber.complete()
        return undefined
      }
      return this.#live.pipe(filter(({ n }) => n >= from)).subscribe(subscriber)
    })
  }
}

/** One event and what it changed. Grows with what changed, not with the plan.
 *
 * @param before how the run stood before it; absent for the first event
 */
export function transitionOf(
  event: (RunStarted | CoordinatorMessage) & { readonly seq: number },
  state: RunState,
  context: CoordinatorContext,
  before: CoordinatorContext | undefined,
): Transition {
  // An event that the chart has no transition for changed nothing.
  const isTaken = context.eventId === event.id
  const ids = !isTaken ? [] : context.changed.length > 1 ? new Set(context.changed) : context.changed
  const steps: Transition['steps'][number][] = []
  for (const id of ids) {
    const entry = context.entries.get(id)
    if (entry) steps.push({ id, ...reportOf(entry) })
  }
  const facts = isTaken ? context.changedFacts : none
  return {
    n: event.seq,
    at: event.at,
    event,
    state,
    revision: context.plan?.revision ?? 0,
    ...(context.first !== before?.first && context.first && { plan: context.first }),
    patches: patchesSince(context, before),
    used: usedIn(context),
    ...(context.outcome !== before?.outcome && context.outcome && { outcome: context.outcome }),
    steps,
    facts,
    known: facts.length === 0 ? none : facts.flatMap((key) => findFact(context.facts, key) ?? []),
    ...(isTaken && context.refused !== undefined && { refused: context.refused }),
  }
}

const none: readonly never[] = []

function patchesSince({ patches }: CoordinatorContext, before: CoordinatorContext | undefined): readonly Patch[] {
  const known = before?.patches.size ?? 0
  return patches.size === known ? none : patches.slice(known).toArray()
}
