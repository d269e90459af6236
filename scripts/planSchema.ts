// Writes docs/plan.schema.json, the plan format for editors. A test fails when the file is not what this would write.
import { writeFileSync } from 'node:fs'
import { planSchemaFile, planSchemaText } from './planSchemaText.ts'

writeFileSync(planSchemaFile, planSchemaText())
console.log(`Wrote ${planSchemaFile}.`)
