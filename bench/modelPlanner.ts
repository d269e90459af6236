// What the model planner takes besides the model's own time, and what a plan costs in tokens.
//
//   overhead   ms of processor time for a plan of 20 steps, from a model that answers at once in pieces of 4 characters
//   parsing    ms for each MB of a plan that streams in, for plans of 0.25 to 4 MB: the same each time where it is linear
//   tokens     input of all calls for one plan, estimated, with 10, 100 and 500 tools
//
// Run: npx tsx bench/modelPlanner.ts
import { createModelPlanner } from '../src/actors/planners/model/modelPlanner.ts'
import { StepStream } from '../src/actors/planners/model/stepStream.ts'
import type { PlanRequest } from '../src/actors/planners/planner.ts'
import { gather } from '../src/actors/planners/planStream.ts'
import { estimateRequest, estimateTokens } from '../src/models/estimateTokens.ts'
import type { Model, ModelRequest } from '../src/models/model.ts'
import { defaultLimits } from '../src/runtime/index.ts'
import type { ToolDescription } from '../src/plan/index.ts'
import { median, plainTraits } from './noops.ts'

function toolOf(index: number): ToolDescription {
  const name = `tool_${String(index)}`
  return {
    name,
    description: `Takes the table that it is given and gives another one, in the way that ${name} does. It keeps the order of the rows, and leaves out those that have no name.`,
    input: {
      type: 'object',
      properties: {
        path: { type: 'string', description: 'Where the table is.' },
        columns: { type: 'array', items: { type: 'string' }, description: 'Columns to keep.' },
        limit: { type: 'integer', minimum: 1, description: 'Most rows.' },
        order: { type: 'string', enum: ['as it is', 'up', 'down'] },
      },
      required: ['path'],
      additionalProperties: false,
    },
    output: {
      type: 'object',
      properties: { path: { type: 'string' }, rows: { type: 'integer' } },
      required: ['path', 'rows'],
      additionalProperties: false,
    },
    ...plainTraits,
  }
}

function requestWith(tools: number): PlanRequest {
  return {
    goal: { text: 'Make a report of all tables.' },
    tools: Array.from({ length: tools }, (_, index) => toolOf(index)),
    facts: [],
    limits: { ...defaultLimits, steps: 100_000 },
    findings: [],
    executors: ['tool', 'person', 'goal'],
  }
}

function planText(steps: number): string {
  return JSON.stringify({
    steps: Array.from({ length: steps }, (_, index) => ({
      id: `step-${String(index)}`,
      tool: `tool_${String(index % 8)}`,
      input: {
        path: index === 0 ? 'start.csv' : { $from: `step-${String(index - 1)}`, path: '/path' },
        columns: ['name', 'größe'],
        limit: 100,
      },
      why: 'The report needs it.',
    })),
  })
}

function cut(text: string, size: number): readonly string[] {
  return Array.from({ length: Math.ceil(text.length / size) }, (_, index) =>
    text.slice(index * size, (index + 1) * size),
  )
}

const usage = { tokens: 0, inputTokens: 0, outputTokens: 0, cachedTokens: 0, cost: 0, calls: 1 }

/** Answers at once: with names to a request for tools, with the plan to any other. */
function instant(pieces: readonly string[], requests: ModelRequest[] = []): Model {
  const names = JSON.stringify({ tools: Array.from({ length: 8 }, (_, index) => `tool_${String(index)}`) })
  return {
    name: 'instant',
    complete(request, { onText }) {
      requests.push(request)
      const given = request.format?.name === 'tools' ? [names] : pieces
      for (const piece of given) onText?.(piece)
      return Promise.resolve({ end: 'stop', text: given.join(''), calls: [], model: 'instant', usage })
    },
  }
}

async function overhead(): Promise<void> {
  const pieces = cut(planText(20), 4)
  const planner = createModelPlanner(instant(pieces))
  const request = requestWith(10)
  const times: number[] = []
  for (let round = 0; round < 301; round++) {
    const before = process.cpuUsage()
    await gather(planner.plan(request, { signal: new AbortController().signal, now: () => 0 }))
    const { user, system } = process.cpuUsage(before)
    times.push((user + system) / 1000)
  }
  const [cold = 0] = times
  console.log(`overhead: ${median(times.slice(200)).toFixed(1)} ms for 20 steps (cold ${cold.toFixed(0)})`)
}

function parsing(): void {
  for (const megabytes of [0.25, 0.5, 1, 2, 4]) {
    const whole = planText(Math.round((megabytes * 1e6) / 166))
    const pieces = cut(whole, 4)
    const times = Array.from({ length: 5 }, () => {
      let steps = 0
      const stream = new StepStream(() => {
        steps += 1
      })
      const before = process.cpuUsage()
      for (const piece of pieces) stream.write(piece)
      const { user, system } = process.cpuUsage(before)
      if (steps === 0) throw new Error('no step was read')
      return (user + system) / 1000
    })
    const size = whole.length / 1e6
    console.log(`parsing: ${size.toFixed(2)} MB, ${(median(times) / size).toFixed(0)} ms for each MB`)
  }
}

async function tokens(): Promise<void> {
  const pieces = [planText(8)]
  for (const count of [10, 100, 500]) {
    const requests: ModelRequest[] = []
    const planner = createModelPlanner(instant(pieces, requests))
    await gather(planner.plan(requestWith(count), { signal: new AbortController().signal, now: () => 0 }))
    const each = requests.map(estimateRequest)
    const schema = requests.map(({ format }) => estimateTokens(JSON.stringify(format?.schema ?? {})))
    const all = each.reduce((sum, one) => sum + one, 0)
    console.log(
      `tokens: ${String(count)} tools, ${String(all)} in ${String(each.length)} calls (${each.join(' + ')}; of these the schemas of the answers ${schema.join(' + ')})`,
    )
    const shown: ModelRequest[] = []
    const showing = createModelPlanner({ model: instant(pieces, shown), maxToolsShown: 1_000, maxToolTokens: 1e9 })
    await gather(showing.plan(requestWith(count), { signal: new AbortController().signal, now: () => 0 }))
    const whole = shown.map(estimateRequest).reduce((sum, one) => sum + one, 0)
    console.log(`        with the schemas of all of them: ${String(whole)}`)
  }
}

await overhead()
parsing()
await tokens()
