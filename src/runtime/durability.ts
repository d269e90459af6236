// How durable an event must be before what it causes goes out.
//
// D1. Before an attempt with effects outside begins, and once it is known how one ended, its record outlives a loss of power:
//     otherwise a machine that comes back would not know that there is something it cannot know.
import type { Durability } from '../journal/journal.ts'
import type { CoordinatorContext } from '../machines/coordinator.context.ts'
import type { CoordinatorCommand } from '../machines/command.messages.ts'
import type { CoordinatorMessage, RunStarted } from '../machines/coordinator.messages.ts'
import { hasEffects } from '../machines/decisions/effects.ts'

/** @param context after the event */
export function durabilityOf(
  event: RunStarted | CoordinatorMessage,
  commands: readonly CoordinatorCommand[],
  context: CoordinatorContext,
): Durability {
  const { run } = context
  if ('attempt' in event && hasEffects(run, context.steps.get(event.stepId))) return 'power'
  for (const command of commands) if (command.type === 'step.execute' && hasEffects(run, command)) return 'power'
  return 'process'
}
