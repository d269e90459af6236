// What docs/plan.schema.json has to say.
import { fileURLToPath } from 'node:url'
import { planJsonSchema } from '../src/plan/index.ts'

export const planSchemaFile = fileURLToPath(new URL('../docs/plan.schema.json', import.meta.url))

export function planSchemaText(): string {
  return `${JSON.stringify(planJsonSchema(), null, 2)}\n`
}
