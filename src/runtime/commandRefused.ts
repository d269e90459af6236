// The error of a command that does not fit the state of a run or step.
import { PlanloomError } from '../errors.ts'
import type { Refusal, RefusalReason } from '../machines/decisions/refusal.ts'

/** A command that cannot be taken as things stand, and has changed nothing.
 *
 * @example
 * import { createRuntime, type CommandRefusedError } from 'planloom'
 * await using runtime = createRuntime()
 * const run = runtime.start({ id: 'p', goal: { text: 'ask' }, steps: [{ id: 'ask', instruction: 'Well?' }] } as never)
 * try {
 *   run.retry('ask')
 * } catch (error) {
 *   const { code, reason, possible } = error as CommandRefusedError
 *   code // 'COMMAND_REFUSED'
 *   reason // 'step_status'
 *   possible // ['skip', 'answer']
 * }
 */
export class CommandRefusedError extends PlanloomError {
  override readonly name = 'CommandRefusedError'
  /** Why, for programs; the message is for people. */
  readonly reason: RefusalReason
  /** The commands that could be given instead: for the step, where the command was about one, else for the run. */
  readonly possible: readonly string[]

  constructor(runId: string, { reason, message, possible }: Refusal, stepId?: string) {
    const whom = stepId === undefined ? 'the run' : `step "${stepId}"`
    super('COMMAND_REFUSED', message, {
      hint:
        possible.length > 0
          ? `Possible now for ${whom}: ${possible.join(', ')}.`
          : `Nothing can be done to ${whom} now.`,
      where: { runId, ...(stepId !== undefined && { stepId }) },
    })
    this.reason = reason
    this.possible = possible
  }
}
