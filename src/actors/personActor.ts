// The person actor: one for each run, holding all its open questions. Waiting for people takes no executor.
//
// H1. A question is answered once: by whom it was put to, by the abort, or by the API past this actor, which aborts it.
// H2. An answer that comes after the abort is dropped.
// H3. A question of an attempt that another executor carries out ends without a word: that one says how the attempt ended.
import { PlanloomError } from '../errors.ts'
import type { Behaviour, Mailbox } from '../machines/behaviour.messages.ts'
import type { StepAbort, StepAsk, StepAskAbort, StepExecute } from '../machines/command.messages.ts'
import { attemptKey } from '../machines/executor.messages.ts'
import { abortedOutcome } from './executors/attemptOutcome.ts'
import { askForAttempt, askPerson, type Ask, type Asking, type ReadAnswer } from './executors/personExecutor.ts'
import { onAbort } from './onAbort.ts'

export interface PersonBehaviourOptions {
  /** Without it, questions wait until the run is told the answer. */
  readonly ask?: Ask
  /** Reads the answers. */
  readonly read: ReadAnswer
  /** Who is asked, as the journal names them. @default 'person' */
  readonly by?: string
  /** The run's signal. */
  readonly signal: AbortSignal
}

/** What the person actor hears; it speaks to the host only. */
export type PersonBehaviour = Behaviour<PersonMessage, never>
export type PersonMessage = StepExecute | StepAbort | StepAsk | StepAskAbort

interface OpenQuestion {
  readonly work: StepExecute | StepAsk
  readonly controller: AbortController
}

/** Makes the behaviour that puts the steps of role `person` to people. */
export function createPersonBehaviour({ ask, read, by = 'person', signal }: PersonBehaviourOptions): PersonBehaviour {
  return (mailbox) => {
    const open = new Map<string, OpenQuestion>()

    function close(key: string, because: string): OpenQuestion | undefined {
      const question = open.get(key)
      open.delete(key)
      question?.controller.abort(new PlanloomError('ABORTED', because, { where: { stepId: question.work.stepId } }))
      return question
    }
    function abort(key: string, because: string): void {
      const question = close(key, because)
      if (question?.work.type === 'step.execute')
        mailbox.report(abortedOutcome(question.work, question.controller.signal)) // H3
    }
    function abortAll(): void {
      for (const key of [...open.keys()]) abort(key, 'The run was stopped.')
    }

    const unfollow = onAbort(signal, abortAll)
    mailbox.receive((message) => {
      const key = attemptKey(message)
      if (message.type === 'step.abort' || message.type === 'step.askAbort') {
        abort(key, message.because)
        return
      }
      if (open.has(key)) return
      const question = { work: message, controller: new AbortController() }
      open.set(key, question)
      if (ask) void put(question, { ask, read, by }, () => open.delete(key), mailbox)
    })
    return () => {
      unfollow()
      for (const key of [...open.keys()]) close(key, 'The person actor was stopped.')
    }
  }
}

/** Never rejects. */
async function put(
  { work, controller }: OpenQuestion,
  asking: Asking,
  settle: () => boolean,
  mailbox: Mailbox<PersonMessage, never>,
): Promise<void> {
  const { signal } = controller
  const said =
    work.type === 'step.ask' ? await askForAttempt(work, asking, signal) : await askPerson(work, asking, signal)
  if (controller.signal.aborted) return // H2
  if (settle()) mailbox.report(said)
}
