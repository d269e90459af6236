// The checks of one run that are going on: through the gate to the check actor, each with a time limit.
//
// C1. A tool's check counts as a use of the tool while it lasts. Waiting for people counts as nothing, and has no limit.
// C2. A check that reaches its time limit cannot tell.
import { createCheckBehaviour, type FindOut } from '../actors/checkActor.ts'
import { behaviourLogic } from '../machines/behaviour.ts'
import type { HostRef } from '../machines/behaviour.messages.ts'
import type { StepCheck, StepCheckAbort } from '../machines/command.messages.ts'
import { attemptKey } from '../machines/executor.messages.ts'
import { createActor, type AnyActorRef } from '../machines/xstate.ts'
import type { Clock } from './clock.ts'
import type { Gate } from './gate.ts'
import type { TimerQueue } from './timerQueue.ts'

export interface EffectChecksOptions {
  readonly runId: string
  readonly host: HostRef
  readonly clock: Clock
  readonly gate: Gate
  readonly timers: TimerQueue
  readonly findOut: FindOut
  /** The run's signal. */
  readonly signal: AbortSignal
  readonly onStart: (actor: AnyActorRef) => void
}

/** Longest that a check may take whose step has no time limit. */
const longestCheckMs = 60_000

interface Attempt {
  readonly stepId: string
  readonly attempt: number
}

export class EffectChecks {
  readonly #options: EffectChecksOptions
  readonly #open = new Set<string>()
  #actor: { send(message: StepCheck | StepCheckAbort): void } | undefined

  constructor(options: EffectChecksOptions) {
    this.#options = options
  }

  /** Keys of those that the gate knows of. */
  get open(): Iterable<string> {
    return this.#open
  }

  begin(check: StepCheck): void {
    if (check.of === 'person') {
      this.#tell(check)
      return
    }
    const { gate, runId, timers, clock } = this.#options
    const key = keyOf(check)
    this.#open.add(key)
    gate.admit({
      runId,
      key,
      classes: check.tool === undefined ? [] : [`tool:${check.tool}`],
      holdsPlace: true,
      start: () => {
        const limitMs = check.timeoutMs ?? longestCheckMs
        timers.set(key, clock.now() + limitMs, () => {
          this.#giveUp(check, limitMs)
        })
        this.#tell(check)
      },
    })
  }

  abort(command: StepCheckAbort): void {
    this.end(command)
    this.#actor?.send(command)
  }

  /** It is over, however it ended. */
  end(attempt: Attempt): void {
    const { gate, runId, timers } = this.#options
    const key = keyOf(attempt)
    if (!this.#open.delete(key)) return
    timers.clear(key)
    gate.leave(runId, key)
  }

  #giveUp({ stepId, attempt }: StepCheck, limitMs: number): void {
    const message = `The check of step "${stepId}" took longer than ${String(limitMs)} ms.`
    this.abort({ type: 'step.checkAbort', stepId, attempt, because: message })
    const unknown = { code: 'CHECK_TIMEOUT', message, retryable: false }
    this.#options.host.send({ type: 'step.checked', stepId, attempt, finding: { unknown } })
  }

  #tell(check: StepCheck): void {
    this.#actor ??= this.#start()
    this.#actor.send(check)
  }

  #start(): { send(message: StepCheck | StepCheckAbort): void } {
    const { host, findOut, signal, onStart } = this.#options
    const actor = createActor(behaviourLogic<StepCheck | StepCheckAbort, never>(), {
      id: 'checks',
      parent: host,
      input: { id: 'checks', host, behaviour: createCheckBehaviour({ findOut, signal }) },
    }).start()
    onStart(actor)
    return actor
  }
}

function keyOf(attempt: Attempt): string {
  return `check ${attemptKey(attempt)}`
}
