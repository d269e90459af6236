// The check actor: one for each run, finding out whether attempts that were cut short had their effect.
//
// K1. Each doubt is answered once: by what was found out, or that it cannot be told. Nothing that a check throws, returns or
//     never returns takes the actor down.
// K2. What comes after the abort is dropped, and its signal has fired.
import { PlanloomError } from '../errors.ts'
import type { Behaviour } from '../machines/behaviour.messages.ts'
import type { StepCheck, StepCheckAbort } from '../machines/command.messages.ts'
import type { EffectFinding, StepChecked } from '../machines/coordinator.messages.ts'
import { attemptKey } from '../machines/executor.messages.ts'
import { failureFrom } from '../plan/thrownValue.ts'
import { brokenExpectation } from './executors/attemptOutcome.ts'
import { onAbort } from './onAbort.ts'

/** Finds out whether an attempt had its effect: of the tool itself, or of whoever can be asked. */
export type FindOut = (check: StepCheck, signal: AbortSignal) => Promise<EffectFinding>

export interface CheckBehaviourOptions {
  readonly findOut: FindOut
  /** The run's signal. */
  readonly signal: AbortSignal
}

/** What the check actor hears; it speaks to the host only. */
export type CheckBehaviour = Behaviour<StepCheck | StepCheckAbort, never>

export function createCheckBehaviour({ findOut, signal }: CheckBehaviourOptions): CheckBehaviour {
  return (mailbox) => {
    const open = new Map<string, AbortController>()

    function close(key: string, because: string): void {
      const controller = open.get(key)
      open.delete(key)
      controller?.abort(new PlanloomError('ABORTED', because))
    }
    function closeAll(): void {
      for (const key of [...open.keys()]) close(key, 'The run was stopped.')
    }

    const unfollow = onAbort(signal, closeAll)
    mailbox.receive((message) => {
      const key = attemptKey(message)
      if (message.type === 'step.checkAbort') {
        close(key, message.because)
        return
      }
      close(key, 'It is asked anew.')
      const controller = new AbortController()
      open.set(key, controller)
      void findOutWith(findOut, message, controller.signal).then((found) => {
        if (controller.signal.aborted) return // K2
        open.delete(key)
        const { stepId, attempt } = message
        mailbox.report({ type: 'step.checked', stepId, attempt, ...found })
      })
    })
    return () => {
      unfollow()
      closeAll()
    }
  }
}

/** What was found, and the person who has said so: nobody has where there was nobody to ask, or no answer that can be used. */
type Found = Pick<StepChecked, 'finding' | 'by'>

/** Never rejects. */
async function findOutWith(findOut: FindOut, check: StepCheck, signal: AbortSignal): Promise<Found> {
  try {
    const finding = withSurprise(check, await findOut(check, signal))
    return { finding, ...(check.of === 'person' && { by: check.of }) }
  } catch (error) {
    return { finding: { unknown: failureFrom(error, { code: 'CHECK_FAILED', who: `The check of "${check.stepId}"` }) } }
  }
}

function withSurprise(check: StepCheck, finding: EffectFinding): EffectFinding {
  if (!('happened' in finding) || !finding.happened) return finding
  const surprise = brokenExpectation(check, finding.output)
  return surprise === undefined ? finding : { ...finding, surprise }
}
