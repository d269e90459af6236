import { readFileSync } from 'node:fs'
import { describe, expect, it } from 'vitest'
import {
  checkSchema,
  findingCodes,
  parsePlanText,
  patchJsonSchema,
  planJsonSchema,
  stepSchema,
  planSchema,
  goalSchema,
  assumptionSchema,
  operationSchema,
  validatePlan,
  type Json,
  type JsonSchema,
  type Plan,
} from '../../src/plan/index.ts'
import { planSchemaFile, planSchemaText } from '../../scripts/planSchemaText.ts'
import { noop, noopTools, plans } from '../arbitraries/plans.ts'
import fc from 'fast-check'

const page = readFileSync(new URL('../../docs/plan-format.md', import.meta.url), 'utf8')
const example = parsePlanText(/```yaml\n(.*?)```/s.exec(page)?.[1] ?? '')

const object = (properties: Record<string, JsonSchema>): JsonSchema => ({
  type: 'object',
  properties,
  required: Object.keys(properties),
  additionalProperties: false,
})
const text: JsonSchema = { type: 'string' }
const rows: JsonSchema = { type: 'array', items: { type: 'object' } }
const tools = new Map(
  [
    noop('list_files', {
      effects: 'read',
      input: object({ folder: text, pattern: text }),
      output: object({ files: { type: 'array', items: object({ path: text, bytes: { type: 'integer' } }) } }),
    }),
    noop('read_prices', {
      effects: 'read',
      input: object({ path: text }),
      output: object({ rows, currency: text }),
      gives: { currency: { from: '/currency' } },
    }),
    noop('fetch_rates', { effects: 'read', input: object({}), output: object({ rates: { type: 'object' } }) }),
    noop('compare_prices', {
      input: object({ lists: { type: 'array' }, rates: { type: ['object', 'null'] } }),
      output: object({ changes: rows, summary: text }),
    }),
    noop('write_report', {
      effects: 'write',
      input: object({ text, name: text }),
      output: object({ report: text }),
      gives: { report: { from: '/report' } },
    }),
  ].map((tool) => [tool.name, tool] as const),
)

describe('docs/plan-format.md', () => {
  it('has an example that is a correct plan', () => {
    expect(
      validatePlan(example, { tools, executors: ['tool', 'person', 'model'], limits: { cost: 100 } }).findings,
    ).toEqual([])
  })

  it('has every field of a step in the example, apart from those that the runtime sets', () => {
    const used = new Set((example as Plan).steps.flatMap((step) => Object.keys(step)))
    expect([...used].sort()).toEqual(
      Object.keys(stepSchema.shape)
        .filter((key) => !['expanded', 'item', 'abandoned'].includes(key))
        .sort(),
    )
  })

  it('speaks of every field and operation', () => {
    const fields = [stepSchema, planSchema, goalSchema, assumptionSchema].flatMap((schema) => Object.keys(schema.shape))
    for (const field of fields) expect(page.includes(`\`${field}\``), `\`${field}\``).toBe(true)
    for (const { shape } of operationSchema.options)
      expect(page.includes(`"op": "${shape.op.value}"`), `"op": "${shape.op.value}"`).toBe(true)
  })

  it('lists the codes of findings that there are, and no others', () => {
    const table = /\n\| code .*?\n\n/s.exec(page)?.[0] ?? ''
    const first = table.split('\n').map((row) => row.split('|')[1] ?? '')
    const listed = first.flatMap((cell) => [...cell.matchAll(/`([A-Z_]+)`/g)].map(([, code]) => code))
    expect(listed.sort()).toEqual([...findingCodes].sort())
  })
})

describe('docs/plan.schema.json', () => {
  it('is what scripts/planSchema.ts writes now (run it after a change of the format)', () => {
    expect(readFileSync(planSchemaFile, 'utf8')).toBe(planSchemaText())
  })

  it('takes every correct plan, and the example', () => {
    const schema = planJsonSchema()
    expect(checkSchema(schema, example as Json)).toEqual([])
    fc.assert(
      fc.property(plans({ models: true }), (plan) => {
        expect(checkSchema(schema, plan as unknown as Json)).toEqual([])
      }),
      { numRuns: 30 },
    )
  })

  it.each([
    { id: 'p', goal: { text: 'g' } },
    { id: 'p', goal: { text: 'g' }, steps: [{ id: 'a', tol: 't' }] },
    { id: 'p', goal: 'g', steps: [] },
    { id: 'p', goal: { text: 'g' }, steps: [{ id: 'a', tool: 't', retry: {} }] },
  ])('refuses %j, as the validator does', (plan) => {
    expect(checkSchema(planJsonSchema(), plan as Json)).not.toEqual([])
    expect(validatePlan(plan, { tools: noopTools }).plan).toBeUndefined()
  })

  it('has a sister for patches', () => {
    const patch = {
      base: 1,
      by: { planner: 'x' },
      because: { type: 'edited', text: '' },
      operations: [{ op: 'remove', id: 'a' }],
    }
    expect(checkSchema(patchJsonSchema(), patch as Json)).toEqual([])
    expect(checkSchema(patchJsonSchema(), { ...patch, operations: [{ op: 'remvoe', id: 'a' }] })).not.toEqual([])
  })
})
