// What the coordinator says, carried out: attempts through the gate to the pools, timers, and questions to the planner.
//
// V1. An attempt keeps its place in the gate until it is over for the run, whatever its tool does.
// V2. Every abort is answered: also that of an attempt which was still waiting at the gate.
// V3. An attempt that waits for a person holds no place in the gate, and goes through it again with the answer.
import type { FindOut } from '../actors/checkActor.ts'
import type { Executor } from '../actors/executors/executor.ts'
import type { Ask, ReadAnswer } from '../actors/executors/personExecutor.ts'
import { createPlannerBehaviour } from '../actors/plannerBehaviour.ts'
import type { Planner } from '../actors/planners/planner.ts'
import type { HostRef } from '../machines/behaviour.messages.ts'
import type { ReusableOutput, ReuseStore } from '../journal/reuse.ts'
import type { CoordinatorContext } from '../machines/coordinator.context.ts'
import type {
  CoordinatorCommand,
  PlanRequestCommand,
  StepAbort,
  StepAsk,
  StepExecute,
  StepTell,
} from '../machines/command.messages.ts'
import type { Draft, ModelCalled, RunStarted, StepSucceeded } from '../machines/coordinator.messages.ts'
import { listFacts } from '../machines/decisions/facts.ts'
import { attemptKey } from '../machines/executor.messages.ts'
import { planner as plannerChart } from '../machines/planner.machine.ts'
import { createActor, type Actor, type AnyActorRef } from '../machines/xstate.ts'
import type { ToolCatalogue } from '../plan/toolDescription.ts'
import { AttemptQuestions } from './attemptQuestions.ts'
import { AttemptWatch } from './attemptWatch.ts'
import type { Clock } from './clock.ts'
import { EffectChecks } from './effectChecks.ts'
import { rolesOf } from './executors.ts'
import type { Gate } from './gate.ts'
import { OutputReuse } from './outputReuse.ts'
import { RunBudget } from './runBudget.ts'
import { RunPools } from './runPools.ts'
import { situationOf } from './situation.ts'
import { TimerQueue } from './timerQueue.ts'

const nothingUsed = { tokens: 0, cost: 0 }

/** What all runs of a runtime share, and what one of them was given. */
export interface RunMeans {
  readonly run: RunStarted
  readonly clock: Clock
  readonly gate: Gate
  /** By role. */
  readonly executors: ReadonlyMap<string, Executor>
  readonly planner: Planner
  readonly tools: ToolCatalogue
  readonly ask: Ask | undefined
  readonly readAnswer: ReadAnswer
  readonly findOut: FindOut
  /** What runs of the journal keep for each other. */
  readonly reuse: ReuseStore | undefined
}

export interface DeliveryOptions extends RunMeans {
  readonly host: HostRef
  /** The run's signal. */
  readonly signal: AbortSignal
  /** Told of each actor that is started, so that it can be stopped with the run. */
  readonly onStart: (actor: AnyActorRef) => void
  /** How the run's coordinator stands. */
  readonly standing: () => CoordinatorContext | undefined
}

export class Delivery {
  readonly #options: DeliveryOptions
  readonly #timers: TimerQueue
  readonly #watches: AttemptWatch
  readonly #pools: RunPools
  readonly #checks: EffectChecks
  readonly #reuse: OutputReuse
  readonly #budget: RunBudget
  readonly #questions: AttemptQuestions
  #planner: Actor<typeof plannerChart> | undefined

  constructor(options: DeliveryOptions) {
    const { clock, host } = options
    this.#options = options
    this.#timers = new TimerQueue(clock)
    this.#watches = new AttemptWatch(clock, this.#timers, (message) => {
      host.send(message)
    })
    const { run, reuse: store, tools, readAnswer } = options
    const { runId } = run
    this.#budget = new RunBudget({
      runId,
      standing: () => options.standing() ?? { limits: run.settings.limits, used: nothingUsed },
      tell: (call) => {
        host.send(call)
      },
      now: () => clock.now(),
    })
    this.#questions = new AttemptQuestions(host)
    this.#pools = new RunPools({ ...options, budget: this.#budget, questions: this.#questions })
    this.#reuse = new OutputReuse({ runId, store, tools, readAnswer })
    this.#checks = new EffectChecks({ ...options, runId, timers: this.#timers })
  }

  /** @param context of the coordinator that says it. */
  deliver(command: CoordinatorCommand, context: CoordinatorContext): void {
    switch (command.type) {
      case 'step.execute':
        this.#admit(command)
        break
      case 'step.abort':
        this.#abort(command)
        break
      case 'step.check':
        this.#checks.begin(command)
        break
      case 'step.checkAbort':
        this.#checks.abort(command)
        break
      case 'step.ask':
        this.#askPerson(command)
        break
      case 'step.askAbort':
        this.#pools.ask(command)
        break
      case 'step.tell':
        this.#tell(command)
        break
      case 'timer.set':
        this.#timers.set(command.key, command.at, () => {
          this.#options.host.send({ type: 'timer.fired', key: command.key })
        })
        break
      case 'timer.clear':
        this.#timers.clear(command.key)
        break
      case 'plan.request':
        this.#ask(command, context)
        break
      case 'plan.cancel':
        this.#planner?.send(command)
        break
    }
  }

  /** An executor has given a sign of life. */
  hear(attempt: { readonly stepId: string; readonly attempt: number }): void {
    this.#watches.hear(attemptKey(attempt))
  }

  /** A call of a model has been taken in. */
  told(call: Draft<ModelCalled>): void {
    this.#budget.told(call)
  }

  /** Whether a call of a model is out. */
  get hasOpenCalls(): boolean {
    return this.#budget.hasOpen
  }

  /** The run is about to end: what calls that are out have used is told now, or never. */
  giveUpCalls(): Draft<ModelCalled>[] {
    return this.#budget.giveUp()
  }

  /** What a success leaves to other runs. */
  kept(outcome: Draft<StepSucceeded>): ReusableOutput | undefined {
    return this.#reuse.kept(outcome)
  }

  /** An attempt is over for the run. */
  leave(attempt: { readonly stepId: string; readonly attempt: number }): void {
    const { gate, run } = this.#options
    const key = attemptKey(attempt)
    gate.leave(run.runId, key)
    this.#watches.end(key)
    this.#endQuestion(attempt, 'The attempt is over.')
    this.#pools.leave(key)
    this.#reuse.end(attempt)
  }

  /** It has been found out whether an attempt had its effect, or that it cannot be. */
  leaveCheck(attempt: { readonly stepId: string; readonly attempt: number }): void {
    this.#checks.end(attempt)
  }

  /** Whether no attempt is out. */
  get isIdle(): boolean {
    return this.#pools.isIdle
  }

  /** Starts nothing any more of what it was given: neither attempts that wait at the gate, nor timers.
   * @returns keys of those attempts. */
  hold(): readonly string[] {
    const { gate, run } = this.#options
    this.#timers.close()
    return gate.withdraw(run.runId).filter((key) => !this.#pools.has(key))
  }

  close(): void {
    const { gate, run } = this.#options
    this.#timers.close()
    gate.forget(run.runId, [...this.#pools.attempts, ...this.#checks.open])
  }

  #admit(work: StepExecute): void {
    const known = this.#reuse.find(work)
    if (known !== undefined) {
      this.#options.host.send(known) // it takes no place at the gate
      return
    }
    if (work.role === 'person') {
      this.#start(work)
      return
    }
    this.#enter(work, () => {
      this.#start(work)
    })
  }

  #enter(attempt: StepExecute | StepTell, start: () => void): void {
    const { runId, role } = attempt
    const classes = [`role:${role}`]
    if ('tool' in attempt) classes.push(`tool:${attempt.tool}`)
    this.#options.gate.admit({ runId, key: attemptKey(attempt), classes, holdsPlace: role !== 'goal', start })
  }

  /** V3 */
  #askPerson(question: StepAsk): void {
    const key = attemptKey(question)
    this.#options.gate.leave(question.runId, key)
    this.#watches.rest(key)
    if (question.timeoutMs !== undefined) this.#watches.begin(question)
    this.#pools.ask(question)
  }

  #tell(command: StepTell): void {
    this.#enter(command, () => {
      this.#watches.wake(attemptKey(command))
      this.#questions.tell(command)
    })
  }

  #endQuestion({ stepId, attempt }: { readonly stepId: string; readonly attempt: number }, because: string): void {
    this.#questions.end(attemptKey({ stepId, attempt }))
    this.#pools.ask({ type: 'step.askAbort', stepId, attempt, because })
  }

  #start(work: StepExecute): void {
    this.#watches.begin(work)
    this.#pools.execute(work)
  }

  #abort(command: StepAbort): void {
    const { run, gate, host } = this.#options
    const key = attemptKey(command)
    this.#reuse.end(command)
    gate.leave(run.runId, key)
    this.#watches.end(key)
    const hadStarted = this.#pools.has(key)
    if (command.role !== 'person') this.#endQuestion(command, command.because)
    if (hadStarted) {
      this.#pools.abort(command)
      return
    }
    const { stepId, attempt, because } = command
    const failure = { code: 'ABORTED', message: because, retryable: false }
    host.send({ type: 'step.failed', stepId, attempt, failure })
  }

  #ask(command: PlanRequestCommand, context: CoordinatorContext): void {
    const { plan, limits, facts } = context
    const isAgain = command.revision !== undefined && plan !== undefined
    const situation = isAgain ? { situation: situationOf(context, plan) } : {}
    this.#planner ??= this.#startPlanner()
    this.#planner.send({ ...command, facts: [...listFacts(facts)], limits, ...situation })
  }

  /** A run of a plan without trouble never needs it. */
  #startPlanner(): Actor<typeof plannerChart> {
    const { planner, clock, run, tools, executors, host, signal, onStart } = this.#options
    const actor = createActor(plannerChart, {
      id: 'planner',
      parent: host,
      input: {
        host,
        planner: planner.name,
        planId: run.runId,
        tools,
        executors: rolesOf(executors),
        behaviour: createPlannerBehaviour({
          planner,
          now: () => clock.now(),
          signal,
          budgetOf: (requestId) => this.#budget.of({ requestId }),
        }),
        ...(planner.repairRounds !== undefined && { repairRounds: planner.repairRounds }),
      },
    }).start()
    onStart(actor)
    return actor
  }
}
