// The executors of one run: a pool for each role, started when it is first needed.
//
// P1. A pool keeps a limited number of executors alive (XState copies its list of children at each start of one), so a role
//     with more attempts out than that gets another pool, and no attempt waits for an executor.
import { createExecutorBehaviour } from '../actors/executorBehaviour.ts'
import type { Executor } from '../actors/executors/executor.ts'
import type { Ask, ReadAnswer } from '../actors/executors/personExecutor.ts'
import { createPersonBehaviour, type PersonMessage } from '../actors/personActor.ts'
import { behaviourLogic } from '../machines/behaviour.ts'
import type { HostRef } from '../machines/behaviour.messages.ts'
import type { StepAbort, StepAsk, StepAskAbort, StepExecute } from '../machines/command.messages.ts'
import { attemptKey } from '../machines/executor.messages.ts'
import { mostExecutors } from '../machines/pool.context.ts'
import { pool } from '../machines/pool.machine.ts'
import { createActor, type AnyActorRef } from '../machines/xstate.ts'
import type { AttemptQuestions } from './attemptQuestions.ts'
import type { Clock } from './clock.ts'
import type { RunBudget } from './runBudget.ts'

export interface RunPoolsOptions {
  readonly host: HostRef
  readonly clock: Clock
  /** By role. */
  readonly executors: ReadonlyMap<string, Executor>
  readonly ask: Ask | undefined
  readonly readAnswer: ReadAnswer
  /** The run's signal. */
  readonly signal: AbortSignal
  /** Told of each actor that is started, so that it can be stopped with the run. */
  readonly onStart: (actor: AnyActorRef) => void
  readonly budget: RunBudget
  readonly questions: AttemptQuestions
}

interface Pool {
  readonly actor: { send(message: StepExecute | StepAbort): void }
  readonly size: number
  /** Attempts that it was given and that are not over for the run. */
  out: number
}

export class RunPools {
  readonly #options: RunPoolsOptions
  readonly #byRole = new Map<string, Pool[]>()
  readonly #byAttempt = new Map<string, Pool>()
  /** Attempts whose questions people have. */
  readonly #asking = new Set<string>()
  #people: { send(message: PersonMessage): void } | undefined

  constructor(options: RunPoolsOptions) {
    this.#options = options
  }

  /** Keys of the attempts that are out. */
  get attempts(): Iterable<string> {
    return this.#byAttempt.keys()
  }

  get isIdle(): boolean {
    return this.#byAttempt.size === 0
  }

  has(key: string): boolean {
    return this.#byAttempt.has(key)
  }

  execute(work: StepExecute): void {
    const pool = this.#poolFor(work.role)
    pool.out += 1
    this.#byAttempt.set(attemptKey(work), pool)
    pool.actor.send(work)
  }

  abort(command: StepAbort): void {
    this.#byAttempt.get(attemptKey(command))?.actor.send(command)
  }

  /** Puts a question of an attempt to people, or takes it back. */
  ask(command: StepAsk | StepAskAbort): void {
    const key = attemptKey(command)
    if (command.type === 'step.ask') this.#asking.add(key)
    else if (!this.#asking.delete(key)) return
    this.#people ??= this.#startPeople()
    this.#people.send(command)
  }

  /** The attempt is over for the run. */
  leave(key: string): void {
    const pool = this.#byAttempt.get(key)
    if (pool === undefined) return
    pool.out -= 1
    this.#byAttempt.delete(key)
  }

  #poolFor(role: string): Pool {
    let pools = this.#byRole.get(role)
    if (pools === undefined) this.#byRole.set(role, (pools = []))
    for (const pool of pools) if (pool.out < pool.size) return pool
    const started = role === 'person' ? this.#peoplePool() : this.#startPool(role, pools.length)
    pools.push(started)
    return started
  }

  #peoplePool(): Pool {
    this.#people ??= this.#startPeople()
    return { actor: this.#people, size: Infinity, out: 0 } // waiting for people takes no executor
  }

  #startPeople(): { send(message: PersonMessage): void } {
    const { host, ask, readAnswer, signal, onStart } = this.#options
    const actor = createActor(behaviourLogic<PersonMessage, never>(), {
      id: 'person',
      parent: host,
      input: {
        id: 'person',
        host,
        behaviour: createPersonBehaviour({ signal, read: readAnswer, ...(ask && { ask }) }),
      },
    }).start()
    onStart(actor)
    return actor
  }

  #startPool(role: string, before: number): Pool {
    const { clock, executors, host, signal, onStart, budget, questions } = this.#options
    const executor = executors.get(role) ?? missingExecutor(role)
    const now = (): number => clock.now()
    const name = before === 0 ? role : `${role}-${String(before + 1)}`
    const actor = createActor(pool, {
      id: `pool-${name}`,
      parent: host,
      input: {
        host,
        role,
        name,
        now,
        size: mostExecutors,
        behaviour: createExecutorBehaviour({
          executor,
          now,
          signal,
          budgetOf: (attempt) => budget.of(attempt),
          ask: (question) => questions.ask(question),
        }),
      },
    }).start()
    onStart(actor)
    return { actor, size: mostExecutors, out: 0 }
  }
}

function missingExecutor(role: string): Executor {
  return {
    role,
    execute: () =>
      Promise.resolve({
        failure: {
          code: 'EXECUTOR_UNKNOWN',
          message: `There is no executor for the role "${role}".`,
          hint: 'Give createRuntime an executor of this role, or correct the role of the step.',
          retryable: false,
        },
      }),
  }
}
