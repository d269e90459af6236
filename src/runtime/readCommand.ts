// A command as another process has written it, perhaps one of another version: its shape is checked before it is used.
import { z } from 'zod'
import { PlanloomError } from '../errors.ts'
import type { RunCommand } from '../journal/requests.ts'

const text = z.string()
const stepId = text.min(1)
const json = z.unknown().refine((value) => value !== undefined, 'is missing')

const commandSchema = z.discriminatedUnion('type', [
  z.strictObject({ type: z.literal('run.approve'), stepId: stepId.optional() }),
  z.strictObject({ type: z.literal('run.reject'), because: text, stepId: stepId.optional() }),
  // What is in them is checked as it is for the methods of the run.
  z.strictObject({ type: z.literal('run.edit'), operations: z.array(json), because: text.optional() }),
  z.strictObject({ type: z.literal('run.pause') }),
  z.strictObject({ type: z.literal('run.resume') }),
  z.strictObject({ type: z.literal('run.cancel'), because: text.optional() }),
  z.strictObject({ type: z.literal('step.retry'), stepId }),
  z.strictObject({ type: z.literal('step.skip'), stepId, because: text.optional() }),
  z.strictObject({ type: z.literal('step.answered'), stepId, value: json, question: z.int().optional() }),
  z.strictObject({ type: z.literal('fact.reported'), key: text, value: json }),
  z.strictObject({ type: z.literal('budget.extend'), limits: z.record(text, json) }),
])

/** @throws `COMMAND_INVALID` for what is no command */
export function readCommand(value: unknown): RunCommand {
  const parsed = commandSchema.safeParse(value)
  if (parsed.success) return parsed.data as RunCommand
  const [issue] = parsed.error.issues
  const place = issue?.path.map(String).join('/') ?? ''
  throw new PlanloomError('COMMAND_INVALID', `That is no command for a run: /${place}: ${issue?.message ?? '?'}.`, {
    hint: 'Ask with the version of planloom that the run is carried out with.',
    where: { path: `/${place}` },
  })
}
