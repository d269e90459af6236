// What attempts of one run ask people: the question becomes an event of the run, and the attempt goes on when it is told the answer.
//
// Q1. An attempt has one question open at a time; the next one waits for the end of that before it.
// Q2. What is asked after the end of the attempt is told to nobody.
import type { AttemptQuestion } from '../actors/executorBehaviour.ts'
import { onAbort } from '../actors/onAbort.ts'
import { PlanloomError } from '../errors.ts'
import type { HostRef } from '../machines/behaviour.messages.ts'
import type { StepTell } from '../machines/command.messages.ts'
import { attemptKey } from '../machines/executor.messages.ts'
import type { Json } from '../plan/json.ts'

interface Waiting {
  readonly resolve: (answer: Json) => void
  readonly reject: (error: unknown) => void
}

export class AttemptQuestions {
  readonly #host: Pick<HostRef, 'send'>
  readonly #waiting = new Map<string, Waiting>()
  /** The end of the latest question of each attempt that asks. */
  readonly #latest = new Map<string, Promise<unknown>>()

  constructor(host: Pick<HostRef, 'send'>) {
    this.#host = host
  }

  /** @returns the answer; rejects where there is none, and when the signal fires. */
  ask(question: AttemptQuestion): Promise<Json> {
    const key = attemptKey(question)
    const before = this.#latest.get(key)
    const answer = before === undefined ? this.#put(question) : before.then(() => this.#put(question)) // Q1
    this.#latest.set(
      key,
      answer.catch(() => undefined), // an executor may have asked without waiting for it
    )
    return answer
  }

  tell(command: StepTell): void {
    const { said } = command
    const waiting = this.#take(attemptKey(command))
    if ('answer' in said) waiting?.resolve(said.answer)
    else waiting?.reject(new PlanloomError(said.failure.code, said.failure.message, { hint: said.failure.hint }))
  }

  /** The attempt is over. */
  end(key: string): void {
    this.#latest.delete(key)
    this.#take(key)?.reject(new PlanloomError('ABORTED', 'The attempt is over.'))
  }

  #put({ stepId, attempt, text, signal }: AttemptQuestion): Promise<Json> {
    const key = attemptKey({ stepId, attempt })
    return new Promise<Json>((resolve, reject) => {
      signal.throwIfAborted() // Q2
      const unfollow = onAbort(signal, () => {
        this.#take(key)?.reject(signal.reason)
      })
      this.#waiting.set(key, {
        resolve: (answer) => {
          unfollow()
          resolve(answer)
        },
        reject: (error) => {
          unfollow()
          reject(error instanceof Error ? error : new Error(String(error)))
        },
      })
      this.#host.send({ type: 'step.asked', stepId, attempt, text })
    })
  }

  #take(key: string): Waiting | undefined {
    const waiting = this.#waiting.get(key)
    this.#waiting.delete(key)
    return waiting
  }
}
