// Whole runs with a model, on a server in this process that takes the time of a real one.
//
//   streaming   how much sooner a run is over where steps start while the plan is being written, for steps of different lengths
//   loop        calls and tokens for the same ten tasks: planned once, and as a loop that asks the model before each tool call
//
// Run: npx tsx bench/modelRuns.ts
import { setTimeout as wait } from 'node:timers/promises'
import { z } from 'zod'
import { createModel, createModelPlanner, createRuntime, defineTool, parsePlan, type Step } from '../src/index.ts'
import { openModelServer } from '../test/support/modelServer.ts'

/** A fast server: a first token after 300 ms, then 200 tokens (of 4 characters) a second. */
const pace = { firstMs: 300, pieceMs: 5, pieceLength: 4 } as const

const workTool = (ms: number) =>
  defineTool({
    name: 'work',
    description: 'Fetches a page and gives its text.',
    input: z.strictObject({ page: z.string(), after: z.string().optional() }),
    output: z.strictObject({ text: z.string() }),
    effects: 'read',
    run: async ({ page }) => {
      await wait(ms)
      return { text: `What stands on page ${page}. `.repeat(20) }
    },
  })

/** Two chains of half the steps each. */
const chains = (count: number): Step[] =>
  Array.from({ length: count }, (_, n) => ({
    id: `s${String(n)}`,
    tool: 'work',
    input: { page: `page-${String(n)}`, ...(n >= 2 && { after: { $from: `s${String(n - 2)}`, path: '/text' } }) },
    why: 'the next page of the list that was asked for',
  }))

async function seconds(count: number, ms: number, dispatch: 'eager' | 'whole'): Promise<number> {
  await using server = await openModelServer([{ json: { steps: chains(count) }, ...pace }])
  const model = createModel({ model: 'bench', baseURL: server.url })
  await using runtime = createRuntime({ tools: [workTool(ms)], planner: createModelPlanner(model), dispatch })
  const from = performance.now()
  const outcome = await runtime.start('fetch the pages').result
  if (outcome.reason !== 'done') throw new Error(outcome.message)
  return (performance.now() - from) / 1000
}

console.log('streaming: steps, ms a step, whole s, as it is written s, saved')
for (const [count, ms] of [
  [10, 200],
  [20, 50],
  [20, 200],
  [20, 500],
] as const) {
  const whole = await seconds(count, ms, 'whole')
  const eager = await seconds(count, ms, 'eager')
  console.log(count, ms, whole.toFixed(2), eager.toFixed(2), `${String(Math.round((1 - eager / whole) * 100))} %`)
}

interface Cost {
  calls: number
  inputTokens: number
  outputTokens: number
}

/** A task of so many tool calls in a row, planned once. */
async function planned(count: number): Promise<Cost> {
  await using server = await openModelServer([{ json: { steps: chains(count) } }])
  const model = createModel({ model: 'bench', baseURL: server.url })
  await using runtime = createRuntime({ tools: [workTool(0)], planner: createModelPlanner(model) })
  const run = runtime.start('fetch the pages')
  const outcome = await run.result
  if (outcome.reason !== 'done') throw new Error(outcome.message)
  return run.modelUse().total
}

/** The same task by a model that is asked before each call, and sees all that came before, as agents do. */
async function looped(count: number): Promise<Cost> {
  await using server = await openModelServer([
    ...Array.from({ length: count }, (_, n) => ({
      calls: [{ name: 'work', arguments: { page: `page-${String(n)}` } }],
    })),
    { text: 'Done.' },
  ])
  const model = createModel({ model: 'bench', baseURL: server.url })
  await using runtime = createRuntime({ tools: [workTool(0)], model, modelSteps: { turns: 100, tokens: 10_000_000 } })
  const run = runtime.start(
    parsePlan({
      id: 'loop',
      goal: { text: 'fetch the pages' },
      steps: [{ id: 'all', instruction: 'Fetch the pages, one after the other.', tools: ['work'] }],
    }),
  )
  const outcome = await run.result
  if (outcome.reason !== 'done') throw new Error(outcome.message)
  return run.modelUse().total
}

console.log('loop: tool calls, planned (calls, in, out), asked before each (calls, in, out)')
const sums = [0, 0, 0, 0, 0, 0]
for (let count = 2; count <= 20; count += 2) {
  const [plan, loop] = [await planned(count), await looped(count)]
  const row = [plan.calls, plan.inputTokens, plan.outputTokens, loop.calls, loop.inputTokens, loop.outputTokens]
  row.forEach((value, index) => (sums[index] = (sums[index] ?? 0) + value))
  console.log(count, ...row)
}
console.log('all ten', ...sums)
