// How long validating a plan takes, and how that grows: a layered plan of 1,000 steps and one of 10,000, in ms of processor time and as a ratio.
//
// Run: npx tsx bench/validate.ts
import { validatePlan, type ToolCatalogue, type ToolDescription } from '../src/plan/index.ts'

const tool: ToolDescription = {
  name: 'noop',
  description: 'Does nothing.',
  input: {
    type: 'object',
    properties: {
      path: { type: 'string' },
      count: { type: 'number' },
      rows: { type: 'array', items: { type: 'object' } },
    },
    required: ['path'],
    additionalProperties: false,
  },
  output: {
    type: 'object',
    properties: {
      path: { type: 'string' },
      count: { type: 'integer' },
      rows: { type: 'array', items: { type: 'object' } },
    },
    required: ['path', 'count', 'rows'],
    additionalProperties: false,
  },
  needs: {},
  requires: [],
  gives: {},
  cost: 1,
  likelihood: 1,
  effects: 'none',
  idempotent: true,
  version: '1',
}
const tools: ToolCatalogue = new Map([[tool.name, tool]])

/** Layers of 100; each step refers to two steps of the layer before. */
function planOf(size: number): unknown {
  const steps = Array.from({ length: size }, (_, index) => {
    const before = (shift: number): string => `s${index - 100 + ((index + shift) % 7)}`
    const input =
      index < 107
        ? { path: `file-${index}.csv`, count: index }
        : { path: { $from: before(0), path: '/path' }, count: { $from: before(3), path: '/count' }, rows: [] }
    return {
      id: `s${index}`,
      title: `Step ${index}`,
      tool: 'noop',
      input,
      why: 'because the one before gives it',
      expect: { type: 'object' },
    }
  })
  return { id: 'p', goal: { text: 'measure' }, steps }
}

function median(values: readonly number[]): number {
  return [...values].sort((a, b) => a - b)[Math.floor(values.length / 2)] ?? 0
}

function measure(size: number): number {
  const plan = planOf(size)
  const { findings } = validatePlan(plan, { tools })
  if (findings.length > 0) throw new Error(`the plan is not valid: ${findings[0]?.message ?? ''}`)
  return median(
    Array.from({ length: 15 }, () => {
      const start = process.cpuUsage()
      validatePlan(plan, { tools })
      const { user, system } = process.cpuUsage(start)
      return (user + system) / 1000
    }),
  )
}

measure(1_000)
const small = measure(1_000)
const large = measure(10_000)
console.log(
  `1,000 steps: ${small.toFixed(1)} ms; 10,000 steps: ${large.toFixed(1)} ms; ratio ${(large / small).toFixed(1)}`,
)
