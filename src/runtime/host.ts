// The host of one run: the root of its actors. It stamps and journals what the coordinator is to take in, and delivers
// what the coordinator says.
//
// H1. An event is journaled, and the journal flushed, before any command that it causes goes out.
// H2. Events are taken in one by one, in the order in which they came; each gets the next number and the clock's time.
// H3. When the run is over, none of its actors, timers or signals is alive.
// H4. A defect in a chart ends this run with a reason, and no other.
// H5. Nobody is told that the run is over before its record is durable.
import type { Executor } from '../actors/executors/executor.ts'
import type { Ask } from '../actors/executors/personExecutor.ts'
import { createPlannerBehaviour } from '../actors/plannerBehaviour.ts'
import type { Planner } from '../actors/planners/planner.ts'
import type { RunJournal } from '../journal/journal.ts'
import type { HostMessage, HostRef } from '../machines/behaviour.messages.ts'
import type { CoordinatorContext } from '../machines/coordinator.context.ts'
import { coordinator } from '../machines/coordinator.machine.ts'
import type {
  CoordinatorCommand,
  CoordinatorMessage,
  Draft,
  Outcome,
  RunStarted,
  StepAbort,
  StepExecute,
} from '../machines/coordinator.messages.ts'
import { listFacts } from '../machines/decisions/facts.ts'
import { attemptKey } from '../machines/executor.messages.ts'
import { planner as plannerChart } from '../machines/planner.machine.ts'
import {
  createActor,
  type Actor,
  type ActorLogic,
  type ActorScope,
  type AnyActorRef,
  type Snapshot,
} from '../machines/xstate.ts'
import type { ToolCatalogue } from '../plan/toolDescription.ts'
import { AttemptWatch } from './attemptWatch.ts'
import type { Clock } from './clock.ts'
import type { Gate } from './gate.ts'
import { crashOutcome } from './crashOutcome.ts'
import type { RunState, StepProgress } from './run.ts'
import { RunPools } from './runPools.ts'
import { situationOf } from './situation.ts'
import { TimerQueue } from './timerQueue.ts'

export interface HostOptions {
  readonly run: RunStarted
  readonly journal: RunJournal
  readonly clock: Clock
  readonly gate: Gate
  /** By role. */
  readonly executors: ReadonlyMap<string, Executor>
  readonly planner: Planner
  readonly tools: ToolCatalogue
  readonly ask: Ask | undefined
  readonly watch: HostWatcher
}

/** Whoever keeps what people see of the run. */
export interface HostWatcher {
  /** The coordinator has taken an event in. */
  onEvent(
    event: (RunStarted | CoordinatorMessage) & { readonly seq: number },
    state: RunState,
    context: CoordinatorContext,
  ): void
  onProgress(progress: StepProgress): void
  onOver(outcome: Outcome): void
}

type HostSnapshot = Snapshot<Outcome>
type HostEvent =
  | HostMessage
  | { readonly type: 'host.flushed' }
  | { readonly type: 'host.flushFailed'; readonly error: unknown }
  | { readonly type: `xstate.${string}`; readonly output?: unknown; readonly error?: unknown }
type HostScope = ActorScope<HostSnapshot, HostEvent>

export class RunHost {
  readonly #options: HostOptions
  readonly #stop = new AbortController()
  readonly #timers: TimerQueue
  readonly #watches: AttemptWatch
  readonly #children = new Set<AnyActorRef>()
  #pools: RunPools | undefined
  #coordinator: Actor<typeof coordinator> | undefined
  #planner: Actor<typeof plannerChart> | undefined
  #scope: HostScope | undefined
  #next = 0
  /** Commands that wait for the journal to be flushed. */
  #outbox: CoordinatorCommand[] = []
  /** Those whose events the flush that is going on makes durable. */
  #flushing: readonly CoordinatorCommand[] = []
  #isFlushing = false
  #outcome: Outcome | undefined

  constructor(options: HostOptions) {
    this.#options = options
    this.#timers = new TimerQueue(options.clock)
    this.#watches = new AttemptWatch(options.clock, this.#timers, (message) => {
      this.submit(message)
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
        return this.#outcome === undefined ? snapshot : { status: 'done', output: this.#outcome, error: undefined }
      },
    }
  }

  get context(): CoordinatorContext | undefined {
    return this.#coordinator?.getSnapshot().context.held
  }

  get state(): RunState {
    return this.#coordinator?.getSnapshot().value ?? 'planning'
  }

  /** Hands the coordinator a message, as if an actor of the run had said it. */
  submit(draft: Draft<CoordinatorMessage>): void {
    this.#scope?.self.send(draft)
  }

  #begin(scope: HostScope): void {
    this.#scope = scope
    const { run } = this.#options
    const first = { ...run, seq: this.#next++ }
    if (!this.#append(first)) {
      scope.self.send({ type: 'host.flushed' }) // so that this actor is done as well
      return
    }
    const actor = createActor(coordinator, { id: 'coordinator', parent: scope.self, input: run })
    this.#coordinator = actor
    this.#children.add(actor)
    this.#pools = this.#makePools(scope.self)
    actor.start()
    this.#afterEvent(first)
  }

  /** The planner's actor, started when it is first asked: a run of a plan without trouble never needs it. */
  #plannerOf(host: HostRef): Actor<typeof plannerChart> {
    const { planner, clock, run, tools, executors } = this.#options
    if (this.#planner !== undefined) return this.#planner
    this.#planner = createActor(plannerChart, {
      id: 'planner',
      parent: host,
      input: {
        host,
        planner: planner.name,
        planId: run.runId,
        tools,
        executors: [...executors.keys(), 'person'],
        behaviour: createPlannerBehaviour({ planner, now: () => clock.now(), signal: this.#stop.signal }),
      },
    }).start()
    this.#children.add(this.#planner)
    return this.#planner
  }

  #take(event: HostEvent): void {
    if (this.#outcome !== undefined) return
    if (event.type === 'step.progressed') {
      this.#takeProgress(event)
      return
    }
    if (event.type === 'host.flushed') {
      this.#takeFlushed()
      return
    }
    if (event.type === 'host.flushFailed') {
      this.#endUnrecorded(event.error)
      return
    }
    if (event.type === 'xstate.stop') {
      this.#end(crashOutcome(this.#options.run, this.context, 'The run was stopped from outside.'))
      return
    }
    if (event.type === 'xstate.done.actor.coordinator') {
      if ('output' in event) this.#end(event.output as Outcome)
      return
    }
    if (event.type.startsWith('xstate.error.actor.')) {
      const { error } = event as { readonly error?: unknown }
      this.#end(
        crashOutcome(
          this.#options.run,
          this.context,
          `Actor "${event.type.slice('xstate.error.actor.'.length)}" broke`,
          error,
        ),
      )
    } else if (!event.type.startsWith('xstate.')) this.#takeMessage(event as Draft<CoordinatorMessage>)
  }

  #takeMessage(draft: Draft<CoordinatorMessage>): void {
    const { clock } = this.#options
    // An attempt that has timed out keeps its place until its abort is delivered: its signal has yet to fire.
    if ('attempt' in draft && draft.type !== 'step.timedOut') this.#leave(draft)
    const seq = this.#next++
    const message = { ...draft, id: `e${String(seq)}`, at: clock.now(), seq } as CoordinatorMessage & {
      readonly seq: number
    }
    if (!this.#append(message)) return
    this.#coordinator?.send(message)
    this.#afterEvent(message)
  }

  /** Without its record a run does not go on. @returns whether the event is in the journal. */
  #append(event: (RunStarted | CoordinatorMessage) & { readonly seq: number }): boolean {
    try {
      this.#options.journal.append(event)
      return true
    } catch (error) {
      this.#endUnrecorded(error)
      return false
    }
  }

  #endUnrecorded(error: unknown): void {
    const outcome = this.#unrecordedOutcome(error)
    this.#stopEverything(outcome)
    this.#options.watch.onOver(outcome)
  }

  #unrecordedOutcome(error: unknown): Outcome {
    const hint =
      'Look at what the journal writes to (a full disk, a missing permission); what it holds can be replayed.'
    return crashOutcome(this.#options.run, this.context, 'The journal could not be written', error, hint)
  }

  /** What waited for the journal goes out; what has been said meanwhile waits for the next flush. */
  #takeFlushed(): void {
    const flushed = this.#flushing
    this.#flushing = []
    this.#isFlushing = false
    for (const command of flushed) this.#deliver(command)
    this.#flushOutbox()
  }

  #afterEvent(event: (RunStarted | CoordinatorMessage) & { readonly seq: number }): void {
    const snapshot = this.#coordinator?.getSnapshot()
    if (snapshot === undefined) return
    const { held } = snapshot.context
    this.#options.watch.onEvent(event, snapshot.value, held)
    // An event that the chart has no transition for leaves the commands of the one before it standing.
    if (held.eventId === event.id) this.#outbox.push(...held.commands)
    this.#flushOutbox()
  }

  /** H1: commands go out when a flush has ended that began after their events were appended. */
  #flushOutbox(): void {
    if (this.#outbox.length === 0 || this.#isFlushing) return
    const flushed = this.#startFlush()
    if (flushed === undefined) this.#deliverAll()
    else {
      this.#isFlushing = true
      this.#flushing = this.#outbox
      this.#outbox = []
      flushed.then(
        () => this.#scope?.self.send({ type: 'host.flushed' }),
        (error: unknown) => this.#scope?.self.send({ type: 'host.flushFailed', error }),
      )
    }
  }

  #startFlush(): Promise<void> | undefined {
    try {
      return this.#options.journal.flush() ?? undefined
    } catch (error) {
      this.#endUnrecorded(error)
      return undefined
    }
  }

  #deliverAll(): void {
    while (this.#outbox.length > 0 && this.#outcome === undefined) {
      const commands = this.#outbox
      this.#outbox = []
      for (const command of commands) this.#deliver(command)
    }
  }

  #deliver(command: CoordinatorCommand): void {
    switch (command.type) {
      case 'step.execute':
        this.#admit(command)
        break
      case 'step.abort':
        this.#abort(command)
        break
      case 'timer.set':
        this.#timers.set(command.key, command.at, () => {
          this.submit({ type: 'timer.fired', key: command.key })
        })
        break
      case 'timer.clear':
        this.#timers.clear(command.key)
        break
      case 'plan.request': {
        const { context } = this
        if (context === undefined || this.#scope === undefined) break
        const situation =
          command.revision === undefined || !context.plan ? {} : { situation: situationOf(context, context.plan) }
        const { limits } = context
        this.#plannerOf(this.#scope.self).send({
          ...command,
          facts: [...listFacts(context.facts)],
          limits,
          ...situation,
        })
        break
      }
      case 'plan.cancel':
        this.#planner?.send(command)
        break
    }
  }

  #admit(work: StepExecute): void {
    if (work.role === 'person') {
      this.#start(work)
      return
    }
    const classes = [`role:${work.role}`]
    if (work.tool !== undefined) classes.push(`tool:${work.tool}`)
    this.#options.gate.admit({
      runId: work.runId,
      key: attemptKey(work),
      classes,
      holdsPlace: work.role !== 'goal',
      start: () => {
        this.#start(work)
      },
    })
  }

  #start(work: StepExecute): void {
    this.#watches.begin(work)
    this.#pools?.execute(work)
  }

  #abort(command: StepAbort): void {
    const { run, gate } = this.#options
    const key = attemptKey(command)
    const hadStarted = command.role === 'person' || gate.leave(run.runId, key)
    this.#watches.end(key)
    if (hadStarted) this.#pools?.abort(command)
    else {
      const { stepId, attempt, because } = command
      this.submit({
        type: 'step.failed',
        stepId,
        attempt,
        failure: { code: 'ABORTED', message: because, retryable: false },
      })
    }
  }

  #leave(draft: { readonly stepId: string; readonly attempt: number }): void {
    const key = attemptKey(draft)
    this.#options.gate.leave(this.#options.run.runId, key)
    this.#watches.end(key)
    this.#pools?.leave(key)
  }

  #takeProgress(event: Extract<HostMessage, { type: 'step.progressed' }>): void {
    this.#watches.hear(attemptKey(event))
    if (event.heartbeat) return
    const { type: _type, heartbeat: _heartbeat, ...progress } = event
    this.#options.watch.onProgress({ ...progress, at: this.#options.clock.now() })
  }

  #makePools(host: HostRef): RunPools {
    const { clock, executors, ask } = this.#options
    const { signal } = this.#stop
    return new RunPools({ host, clock, executors, ask, signal, onStart: (actor) => this.#children.add(actor) })
  }

  #end(outcome: Outcome): void {
    this.#stopEverything(outcome)
    const { journal, watch } = this.#options
    const fail = (error: unknown): void => {
      watch.onOver(this.#unrecordedOutcome(error))
    }
    try {
      const flushed = journal.flush()
      if (flushed instanceof Promise) flushed.then(() => watch.onOver(outcome), fail)
      else watch.onOver(outcome)
    } catch (error) {
      fail(error)
    }
  }

  #stopEverything(outcome: Outcome): void {
    this.#outcome = outcome
    this.#timers.close()
    this.#outbox = []
    this.#stop.abort()
    for (const child of this.#children) this.#scope?.stopChild(child)
    this.#children.clear()
    this.#options.gate.forget(this.#options.run.runId)
  }
}
