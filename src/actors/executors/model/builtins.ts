// What a model can always call, or where there is somebody to ask: they reach no tool of the runtime.
import { z } from 'zod'
import type { JsonSchema } from '../../../plan/json.ts'
import type { ModelTool } from '../../../models/model.ts'

export const names = { surprise: 'report_surprise', ask: 'ask_person', more: 'read_more' } as const

export const surpriseInput = z.strictObject({
  reason: z.string().min(1).describe('What is not as the instruction takes it to be.'),
  output: z.unknown().optional().describe('What came of the step all the same.'),
})
export const askInput = z.strictObject({ question: z.string().min(1).describe('The question, in words.') })
export const moreInput = z.strictObject({
  of: z.string().describe('What it is of, as the note says.'),
  from: z.int().min(0).describe('The first character to be shown.'),
})

export const surpriseTool: ModelTool = {
  name: names.surprise,
  description:
    'Ends your work: what you found contradicts what the instruction takes for granted, so that following it further would be wrong. Whoever planned it is told the reason.',
  input: schemaOf(surpriseInput),
}
export const askTool: ModelTool = {
  name: names.ask,
  description:
    'Asks the person who is responsible, and waits for the answer. Only for what you cannot find out or decide.',
  input: schemaOf(askInput),
}
export const moreTool: ModelTool = {
  name: names.more,
  description: 'Shows more of a text that was cut, as the note below it says.',
  input: schemaOf(moreInput),
}

function schemaOf(type: z.ZodType): JsonSchema {
  const { $schema: _, ...schema } = z.toJSONSchema(type)
  return schema as JsonSchema
}
