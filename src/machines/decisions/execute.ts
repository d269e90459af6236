// What an executor is told to do.
import type { JsonObject } from '../../plan/json.ts'
import type { Step } from '../../plan/schema.ts'
import type { StepExecute } from '../command.messages.ts'
import { hasEffects } from './effects.ts'
import { roleOf } from './lanes.ts'
import type { Entry } from './ledger.ts'
import { endedQuestions } from './questionBook.ts'
import type { Turn } from './turn.ts'

/** The command that carries out an attempt. */
export function executeCommand(turn: Turn, step: Step, entry: Entry, input: JsonObject): StepExecute {
  const traits = step.tool === undefined ? undefined : turn.run.tools[step.tool]
  const timeoutMs = step.timeoutMs ?? traits?.timeoutMs
  const asked = endedQuestions(turn, step.id, entry)
  return {
    type: 'step.execute',
    runId: turn.run.runId,
    stepId: step.id,
    attempt: entry.attempt,
    idempotencyKey: `${turn.run.runId}/${step.id}${entry.generation > 1 ? `/${String(entry.generation)}` : ''}`,
    role: roleOf(turn.run, step),
    ...(step.tool !== undefined && { tool: step.tool }),
    ...(step.goal && { goal: step.goal }),
    ...(step.instruction !== undefined && { instruction: step.instruction }),
    ...(step.tools !== undefined && { tools: step.tools }),
    input,
    ...(step.expect !== undefined && { expect: step.expect }),
    ...(step.item !== undefined && { item: step.item }),
    ...(timeoutMs !== undefined && { timeoutMs }),
    ...(step.cache === true && traits && !hasEffects(turn.run, step) && { cache: true as const }),
    ...(asked.length > 0 && { asked }),
    ...(traits?.heartbeatMs !== undefined && { heartbeatMs: traits.heartbeatMs }),
  }
}
