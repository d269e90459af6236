// How long validating a plan takes, and how that grows: a layered plan of 1,000 steps and one of 10,000, in ms of processor
// time and as a ratio; and the same where every step is broken, so that each has to be read field by field.
//
// Run: npx tsx bench/validate.ts
import { validatePlan, type ToolCatalogue, type ToolDescription } from '../src/plan/index.ts'
import { median, plainTraits } from './noops.ts'

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
  ...plainTraits,
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

/** Every step with a misspelt field and one of the wrong type. */
function brokenPlanOf(size: number): unknown {
  const { steps, ...plan } = planOf(size) as { readonly steps: readonly Record<string, unknown>[] }
  return { ...plan, steps: steps.map(({ title, ...step }) => ({ ...step, titel: title, timeoutMs: 'soon' })) }
}

function measure(plan: unknown, expected: number): number {
  const { findings } = validatePlan(plan, { tools })
  if (findings.length !== expected)
    throw new Error(`${findings.length} findings, not ${expected}: ${findings[0]?.message ?? ''}`)
  return median(
    Array.from({ length: 15 }, () => {
      const start = process.cpuUsage()
      validatePlan(plan, { tools })
      const { user, system } = process.cpuUsage(start)
      return (user + system) / 1000
    }),
  )
}

function report(name: string, make: (size: number) => unknown, findingsPerStep: number): void {
  const small = measure(make(1_000), 1_000 * findingsPerStep)
  const large = measure(make(10_000), 10_000 * findingsPerStep)
  const ratio = (large / small).toFixed(1)
  console.log(`${name}: 1,000 steps: ${small.toFixed(1)} ms; 10,000 steps: ${large.toFixed(1)} ms; ratio ${ratio}`)
}

measure(planOf(1_000), 0)
report('correct', planOf, 0)
report('every step broken', brokenPlanOf, 2)
