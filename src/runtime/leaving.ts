// Leaving a run: its process puts it down unfinished, and another one may go on with it at once.
//
// L1. Nothing more goes out. What is out gets its signal, and the grace period to end.
// L2. Of what still comes only that is recorded without which something done could be taken for undone: the success of an attempt
//     that must not be repeated, and the begin of a sub-run. All other attempts stay out in the record, and are sent again with the
//     same idempotency key, as after the end of the process.
// L3. What was never sent did not have its effect: it is taken back in the record, so that it is not uncertain.
// L4. A run whose verdict is in is about to end, and is not left.
import { PlanloomError } from '../errors.ts'
import type { CoordinatorContext } from '../machines/coordinator.context.ts'
import type { CoordinatorCommand } from '../machines/command.messages.ts'
import type { CoordinatorMessage, Draft, StepRetry } from '../machines/coordinator.messages.ts'
import { mayHaveHadEffect } from '../machines/decisions/effects.ts'
import { attemptKey } from '../machines/executor.messages.ts'

/** Why the signals of a run that is left fire, and what its result is rejected with. */
export function runLeft(runId: string): PlanloomError {
  return new PlanloomError('RUN_LEFT', `Run "${runId}" was left unfinished by the process that had it.`, {
    hint: `Go on with it: resume("${runId}") of a runtime on the same journal, in any process.`,
    where: { runId },
  })
}

export function isLeft(reason: unknown): boolean {
  return reason instanceof PlanloomError && reason.code === 'RUN_LEFT'
}

/** Another process has the run: this one has lost it, and the run goes on. */
export function isTakenOver(error: unknown): error is PlanloomError {
  return error instanceof PlanloomError && error.code === 'RUN_TAKEN_OVER'
}

/** Of a runtime that keeps its runs to itself: what is left would be lost. */
export function leavesNothing(): PlanloomError {
  return new PlanloomError('LEAVE_REFUSED', 'Runs that are left would be lost: the runtime was given no journal.', {
    hint: "Give createRuntime a journal that outlives it, such as sqliteJournal('runs.db'), or cancel the runs.",
  })
}

export function leftWithParent(runId: string, parent: string): PlanloomError {
  return new PlanloomError('LEAVE_REFUSED', `Run "${runId}" is a sub-run of "${parent}", and is left with it.`, {
    hint: `Leave run "${parent}", or cancel this one.`,
    where: { runId },
  })
}

/** Keys of the attempts among commands. */
export function attemptsIn(commands: readonly CoordinatorCommand[]): readonly string[] {
  return commands.flatMap((command) => (command.type === 'step.execute' ? [attemptKey(command)] : []))
}

/** What the record is told of attempts that were never sent, and would be uncertain (L3). Costs a look at each step. */
export function takenBack(context: CoordinatorContext, unsent: readonly string[]): readonly Draft<StepRetry>[] {
  const keys = new Set(unsent)
  const drafts: Draft<StepRetry>[] = []
  if (keys.size === 0) return drafts
  for (const [stepId, { status, attempt }] of context.entries) {
    if (status !== 'running' || !keys.has(attemptKey({ stepId, attempt }))) continue
    if (mayHaveHadEffect(context.run, context.steps.get(stepId)))
      drafts.push({ type: 'step.retry', stepId, by: 'planloom', unattended: true })
  }
  return drafts
}

/** Whether what comes while a run is left is recorded (L2). */
export function isTakenWhileLeaving(message: Draft<CoordinatorMessage>, context: CoordinatorContext): boolean {
  if (message.type === 'step.delegated' || message.type === 'model.called') return true
  if (message.type !== 'step.succeeded' && message.type !== 'step.surprised') return false
  return mayHaveHadEffect(context.run, context.steps.get(message.stepId))
}
