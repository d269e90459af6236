// What other processes ask of a run: taken from its journal, and given to the run as its own program would give it.
//
// N1. A request passes the same checks as the method of the run. What that would throw is written back as its refusal.
// N2. A request is taken in a turn of its own, so that nothing comes between the check and the event.
import { PlanloomError } from '../errors.ts'
import type { RunJournal } from '../journal/journal.ts'
import type { RequestRefusal, RunRequest } from '../journal/requests.ts'
import { PlanInvalidError } from '../plan/parse.ts'
import type { Json } from '../plan/json.ts'
import { CommandRefusedError } from './commandRefused.ts'
import { readCommand } from './readCommand.ts'
import type { Run } from './run.ts'
import { command } from './runActorEvents.ts'

export class Inbox {
  readonly #run: Run
  readonly #journal: RunJournal
  readonly #isLeft: () => boolean

  /** @param isLeft the run is being left: what is asked of it waits for whoever goes on with it */
  constructor(run: Run, journal: RunJournal, isLeft: () => boolean) {
    this.#run = run
    this.#journal = journal
    this.#isLeft = isLeft
  }

  /** From now on, requests are taken as they come. */
  open(): void {
    this.#journal.onRequest?.(() => {
      if (!this.#isLeft()) this.take()
    })
  }

  take(requests: readonly RunRequest[] = this.#journal.takeRequests?.() ?? []): void {
    let isRefused = false
    for (const { number, by, command: asked } of requests) {
      try {
        command(this.#run, { ...readCommand(asked), ...(by !== undefined && { by }), request: number })
      } catch (error) {
        this.#journal.refuse?.(number, refusalOf(error))
        isRefused = true
      }
    }
    if (isRefused) this.#flush()
  }

  /** When it fails, so does the next flush of the run, which then ends with the reason; the request is asked again. */
  #flush(): void {
    try {
      this.#journal.flush()?.then(undefined, () => undefined)
    } catch {
      // see above
    }
  }
}

function refusalOf(error: unknown): RequestRefusal {
  if (!(error instanceof PlanloomError)) return { code: 'UNEXPECTED', message: String(error) }
  const { code, message, hint } = error
  return {
    code,
    message,
    ...(hint !== undefined && { hint }),
    ...(error instanceof CommandRefusedError && { reason: error.reason, possible: error.possible }),
    ...(error instanceof PlanInvalidError && { findings: error.findings as unknown as readonly Json[] }),
  }
}
