// The host of one run: the root of its actors. It stamps and journals what the coordinator is to take in, and delivers
// what the coordinator says.
//
// H1. An event is journaled, and the journal flushed, before any command that it causes goes out.
// H2. Events are taken in one by one, in the order in which they came; each gets the next number and the clock's time, which
//     is never earlier than that of the event before.
// H3. When the run is over, none of its actors, timers or signals is alive.
// H4. A defect in a chart ends this run with a reason, and no other.
// H5. Nobody is told that the run is over before its record is durable.
// H6. A run that is gone on with is what its record says: no command of it is delivered again, but those that
//     `run.recovered` causes.
// H7. What was asked of a run while nobody had it is taken in before `run.recovered`, and nothing of it goes out by itself.
// H8. A run that is left tells nobody that it is over, and its record does not either (leaving.ts).
import type { PlanloomError } from '../errors.ts'
import type { JournalEvent, RunJournal } from '../journal/journal.ts'
import type { HostMessage } from '../machines/behaviour.messages.ts'
import type { CoordinatorContext } from '../machines/coordinator.context.ts'
import type { coordinator } from '../machines/coordinator.machine.ts'
import { CoordinatorFold, wouldEnd } from '../machines/coordinatorFold.ts'
import type {
  CoordinatorMessage,
  Draft,
  RunForked,
  RunRecovered,
  RunStarted,
} from '../machines/coordinator.messages.ts'
import type { Outcome } from '../machines/reports.messages.ts'
import type { TimeoutHandle } from './clock.ts'
import type { Actor, ActorLogic, ActorScope, AnyActorRef, Snapshot } from '../machines/xstate.ts'
import { crashOutcome, unrecordedOutcome } from './crashOutcome.ts'
import { decisionsOf } from './decisions.ts'
import { Delivery, type RunMeans } from './delivery.ts'
import { durabilityOf } from './durability.ts'
import { attemptsIn, isTakenOver, isTakenWhileLeaving, runLeft, takenBack } from './leaving.ts'
import { Outbox } from './outbox.ts'
import { progressOf } from './progressOf.ts'
import { SnapshotSchedule } from './snapshot/schedule.ts'
import { takeSnapshot } from './snapshot/snapshot.ts'
import type { RunState, StepProgress } from './run.ts'
import { steadyClock } from './steadyClock.ts'

/** What a run is gone on with, after its process has ended or as a fork of another one. */
export interface Recovery {
  readonly past: readonly Numbered[]
  /** What its coordinator is told then. */
  readonly message: Draft<RunRecovered | RunForked>
  /** Told when the past has been taken in; what is submitted meanwhile was asked while nobody had the run (H7). */
  readonly onRestored?: () => void
}

export interface HostOptions extends RunMeans {
  readonly recovery?: Recovery | undefined
  readonly journal: RunJournal
  readonly watch: HostWatcher
}

type Numbered = (RunStarted | CoordinatorMessage) & { readonly seq: number }

/** Whoever keeps what people see of the run. */
export interface HostWatcher {
  /** The coordinator has taken an event in. */
  onEvent(event: Numbered, state: RunState, context: CoordinatorContext): void
  onProgress(progress: StepProgress): void
  onOver(outcome: Outcome): void
  /** It is not over, and nothing more comes of it here. */
  onLeft(error: PlanloomError): void
}

interface Standing {
  readonly state: RunState
  readonly context: CoordinatorContext
}

/** Done without an outcome: the run was left. */
type HostSnapshot = Snapshot<Outcome | undefined>
type HostEvent =
  | HostMessage
  | { readonly type: 'host.leave' }
  | { readonly type: 'host.flushed' }
  | { readonly type: 'host.flushFailed'; readonly error: unknown }
  | { readonly type: `xstate.${string}`; readonly output?: unknown; readonly error?: unknown }
type HostScope = ActorScope<HostSnapshot, HostEvent>

export class RunHost {
  readonly #options: HostOptions
  readonly #outbox: Outbox
  readonly #stop = new AbortController()
  readonly #children = new Set<AnyActorRef>()
  #scope: HostScope | undefined
  #coordinator: Actor<typeof coordinator> | undefined
  #delivery: Delivery | undefined
  readonly #snapshots = new SnapshotSchedule()
  #next = 0
  /** What was decided at the latest event. */
  #decided: readonly string[] = []
  #isUnattended = false
  /** Where the run is being left: when that has to have an end. */
  #leaving: { readonly graceEnds: TimeoutHandle } | undefined
  #isOver = false
  #outcome: Outcome | undefined
  /** How it stood in the end: a run that is over can be read, and holds none of its actors. */
  #end: Standing | undefined

  constructor(options: HostOptions) {
    const before = options.recovery?.past.at(-1)?.at
    this.#options = { ...options, clock: steadyClock(options.clock, before) } // H2
    this.#outbox = new Outbox({
      journal: options.journal,
      deliver: (command) => {
        const { context } = this
        if (context !== undefined) this.#delivery?.deliver(command, context)
      },
      onFlushed: () => this.#scope?.self.send({ type: 'host.flushed' }),
      onFailed: (error) => this.#scope?.self.send({ type: 'host.flushFailed', error }),
    })
  }

  /** The host as actor logic: the root of a run's own actor system, or an actor in somebody else's. */
  get logic(): ActorLogic<HostSnapshot, HostEvent, undefined> {
    return {
      getInitialSnapshot: () => ({ status: 'active', output: undefined, error: undefined }),
      getPersistedSnapshot: (snapshot) => snapshot,
      start: (_snapshot, scope) => {
        this.#begin(scope)
      },
      transition: (snapshot, event) => {
        this.#take(event)
        return this.#isOver ? { status: 'done', output: this.#outcome, error: undefined } : snapshot
      },
    }
  }

  get context(): CoordinatorContext | undefined {
    return this.#standing?.context
  }

  get state(): RunState {
    return this.#standing?.state ?? 'planning'
  }

  get #standing(): Standing | undefined {
    if (this.#coordinator === undefined) return this.#end
    const { value, context } = this.#coordinator.getSnapshot()
    return { state: value, context: context.held }
  }

  /** It stands where its record ends, and is not gone on with yet. */
  get isUnattended(): boolean {
    return this.#isUnattended
  }

  /** It is being left, or has been. */
  get isLeft(): boolean {
    return this.#leaving !== undefined || (this.#isOver && this.#outcome === undefined)
  }

  /** Puts the run down, unless it is about to end. */
  leave(): void {
    this.#scope?.self.send({ type: 'host.leave' }) // in its turn: what has come before is taken in as ever
  }

  /** Hands the coordinator a message, as if an actor of the run had said it. Once the run is over, it is dropped. */
  submit(draft: Draft<CoordinatorMessage>): void {
    if (this.#isOver) return
    if (this.#isUnattended) this.#takeUnattended(draft)
    else this.#scope?.self.send(draft)
  }

  /** At once, so that the next one is checked against what this one has changed; what has ended the run is the last. */
  #takeUnattended(draft: Draft<CoordinatorMessage>): void {
    if (this.context?.outcome !== undefined) return
    this.#takeMessage({ ...draft, unattended: true } as Draft<CoordinatorMessage>)
  }

  #begin(scope: HostScope): void {
    this.#scope = scope
    const { run } = this.#options
    const host = scope.self
    const first = { ...run, seq: this.#next++ }
    const { recovery } = this.#options
    if (recovery === undefined && !this.#append(first)) {
      host.send({ type: 'host.flushed' }) // so that this actor is done as well
      return
    }
    const onStart = (actor: AnyActorRef): void => {
      this.#children.add(actor)
    }
    this.#delivery = new Delivery({
      ...this.#options,
      host,
      signal: this.#stop.signal,
      onStart,
      standing: () => this.context,
    })
    const fold = new CoordinatorFold(run)
    if (recovery !== undefined) this.#takePast(fold, first, recovery.past)
    this.#coordinator = fold.actor(host)
    onStart(this.#coordinator)
    this.#coordinator.start()
    if (recovery === undefined) this.#afterEvent(first)
    else this.#goOn(recovery)
  }

  #goOn({ message, onRestored }: Recovery): void {
    if (this.context?.outcome !== undefined) return
    this.#isUnattended = true
    onRestored?.()
    this.#isUnattended = false
    this.submit(message) // dropped where what was asked has ended the run
  }

  /** Takes what is recorded through the chart, without a word to anybody; then the run goes on (H6). */
  #takePast(fold: CoordinatorFold, first: Numbered, past: readonly Numbered[]): void {
    const { watch } = this.#options
    for (const event of [first, ...past.slice(1)]) {
      if (event.type !== 'run.started') fold.take(event)
      watch.onEvent(event, fold.state, fold.context)
    }
    this.#next = past.length
  }

  #take(event: HostEvent): void {
    if (this.#isOver) return
    const { type } = event
    if (type === 'step.progressed') this.#takeProgress(event)
    else if (type === 'host.flushed') this.#outbox.flushed()
    else if (type === 'host.flushFailed') this.#endUnrecorded(event.error)
    else if (type === 'host.leave') this.#leave()
    else if (type.startsWith('xstate.')) this.#takeFate(event as Extract<HostEvent, { type: `xstate.${string}` }>)
    else if (this.#leaving !== undefined) this.#takeWhileLeaving(event as Draft<CoordinatorMessage>)
    else this.#takeMessage(event as Draft<CoordinatorMessage>)
  }

  #leave(): void {
    const { context } = this
    if (this.#leaving !== undefined || context === undefined || context.verdict !== undefined) return
    const { clock, run } = this.#options
    const unsent = [...attemptsIn(this.#outbox.hold()), ...(this.#delivery?.hold() ?? [])]
    const graceEnds = clock.setTimeout(() => {
      this.#endLeft()
    }, context.limits.graceMs)
    this.#leaving = { graceEnds }
    for (const draft of takenBack(context, unsent)) if (!this.#isOver) this.#takeMessage(draft)
    this.#stop.abort(runLeft(run.runId))
    this.#endLeftWhenIdle()
  }

  #takeWhileLeaving(message: Draft<CoordinatorMessage>): void {
    const { context } = this
    if (context !== undefined && isTakenWhileLeaving(message, context))
      this.#takeMessage({ ...message, unattended: true } as Draft<CoordinatorMessage>)
    else if ('attempt' in message && endsAttempt(message) && message.type !== 'step.checked')
      this.#delivery?.leave(message)
    this.#endLeftWhenIdle()
  }

  #endLeftWhenIdle(): void {
    // A success that was the last thing to do has ended the run: that is heard next.
    if (this.#delivery?.isIdle === true && this.context?.outcome === undefined) this.#endLeft()
  }

  #endLeft(): void {
    if (this.#isOver) return
    const { watch, run } = this.#options
    this.#stopEverything(undefined)
    this.#whenRecorded(() => {
      watch.onLeft(runLeft(run.runId))
    })
  }

  /** What XState says of the run's actors. */
  #takeFate(event: Extract<HostEvent, { type: `xstate.${string}` }>): void {
    const { run } = this.#options
    const broken = 'xstate.error.actor.'
    if (event.type === 'xstate.stop')
      this.#endWith(crashOutcome(run, this.context, 'The run was stopped from outside.'))
    else if (event.type === 'xstate.done.actor.coordinator') this.#endWith(event.output as Outcome)
    else if (event.type.startsWith(broken))
      this.#endWith(crashOutcome(run, this.context, `Actor "${event.type.slice(broken.length)}" broke`, event.error))
  }

  #takeMessage(draft: Draft<CoordinatorMessage>): void {
    if (this.#isEndedByCallsBefore(draft)) return
    const kept = draft.type === 'step.succeeded' && !this.isLeft ? this.#delivery?.kept(draft) : undefined
    if (draft.type === 'step.checked') this.#delivery?.leaveCheck(draft)
    else if ('attempt' in draft && endsAttempt(draft)) this.#delivery?.leave(draft)
    const message = this.#stamped(draft)
    this.#next += 1
    if (!this.#append(message)) return
    if (kept !== undefined) this.#options.journal.keepForReuse?.(kept)
    this.#coordinator?.send(message)
    if (message.type === 'model.called') this.#delivery?.told(message)
    this.#afterEvent(message)
  }

  /** Calls that are out when this message ends the run are taken in before it: after it they are late for the record.
   * @returns whether what they may have used has ended the run. */
  #isEndedByCallsBefore(draft: Draft<CoordinatorMessage>): boolean {
    const snapshot = this.#coordinator?.getSnapshot()
    if (snapshot === undefined || this.#delivery?.hasOpenCalls !== true || !wouldEnd(snapshot, this.#stamped(draft)))
      return false
    for (const call of this.#delivery.giveUpCalls()) if (!this.#isEnding) this.#takeMessage(call)
    return this.#isEnding
  }

  /** It is over, or has its outcome, and is told so next. */
  get #isEnding(): boolean {
    return this.#isOver || this.context?.outcome !== undefined
  }

  #stamped(draft: Draft<CoordinatorMessage>): CoordinatorMessage & Pick<JournalEvent, 'seq' | 'decided'> {
    const seq = this.#next
    const decided = this.#decided
    const stamp = { id: `e${String(seq)}`, at: this.#options.clock.now(), seq, ...(decided.length > 0 && { decided }) }
    return { ...draft, ...stamp }
  }

  #takeProgress(event: Extract<HostMessage, { type: 'step.progressed' }>): void {
    if (this.#leaving !== undefined) return
    this.#delivery?.hear(event)
    if (event.heartbeat) return
    const { type: _type, heartbeat: _heartbeat, ...progress } = event
    this.#options.watch.onProgress({ ...progress, at: this.#options.clock.now() })
  }

  /** Without its record a run does not go on. @returns whether the event is in the journal. */
  #append(event: Numbered): boolean {
    try {
      this.#options.journal.append(event)
      return true
    } catch (error) {
      this.#endUnrecorded(error)
      return false
    }
  }

  #afterEvent(event: Numbered): void {
    const snapshot = this.#coordinator?.getSnapshot()
    if (snapshot === undefined) return
    const { held } = snapshot.context
    this.#options.watch.onEvent(event, snapshot.value, held)
    // An event that the chart has no transition for leaves the commands of the one before it standing.
    const isSilent = this.#isUnattended || this.isLeft
    const commands = held.eventId === event.id && !isSilent ? held.commands : [] // H7, H8
    this.#decided = decisionsOf(commands)
    const { journal } = this.#options
    journal.describe?.(progressOf(snapshot.value, held))
    if (journal.keepSnapshot !== undefined && this.#snapshots.isDue(event.seq, held.outcome !== undefined))
      journal.keepSnapshot(takeSnapshot(event.seq, { state: snapshot.value, context: held }))
    this.#outbox.add(commands, durabilityOf(event, commands, held))
  }

  #endWith(outcome: Outcome): void {
    this.#stopEverything(outcome)
    this.#whenRecorded(() => {
      this.#options.watch.onOver(outcome)
    })
  }

  /** H5 */
  #whenRecorded(tell: () => void): void {
    const { journal, watch } = this.#options
    const fail = (error: unknown): void => {
      if (isTakenOver(error)) watch.onLeft(error)
      else watch.onOver(unrecordedOutcome(this.#options.run, this.context, error))
    }
    try {
      const flushed = journal.flush('power') ?? undefined
      if (flushed === undefined) tell()
      else flushed.then(tell, fail)
    } catch (error) {
      fail(error)
    }
  }

  #endUnrecorded(error: unknown): void {
    const { run, watch } = this.#options
    if (isTakenOver(error)) {
      this.#stopEverything(undefined) // it goes on elsewhere
      watch.onLeft(error)
      return
    }
    const outcome = unrecordedOutcome(run, this.context, error)
    this.#stopEverything(outcome)
    watch.onOver(outcome)
  }

  #stopEverything(outcome: Outcome | undefined): void {
    this.#isOver = true
    this.#outcome = outcome
    if (this.#leaving !== undefined) this.#options.clock.clearTimeout(this.#leaving.graceEnds)
    this.#outbox.close()
    this.#stop.abort('The run is over.') // left out, the reason is an error with a stack
    for (const child of this.#children) this.#scope?.stopChild(child)
    this.#children.clear()
    this.#delivery?.close()
    this.#end = this.#standing
    this.#coordinator = undefined
    this.#delivery = undefined
    this.#scope = undefined
  }
}

function endsAttempt({ type }: Draft<CoordinatorMessage>): boolean {
  return !goingOn.has(type)
}

/** What is said of an attempt that goes on. One that has timed out keeps its place until its abort is delivered: its signal has yet to
 * fire. */
const goingOn: ReadonlySet<string> = new Set([
  'step.timedOut',
  'step.delegated',
  'step.asked',
  'step.unanswered',
] satisfies CoordinatorMessage['type'][])
