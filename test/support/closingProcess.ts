// A process of its own for close.test.ts: it starts runs with timers of every kind, closes the runtime, and must then end.
import { z } from 'zod'
import { createRuntime, defineTool, type Planner } from '../../src/runtime/index.ts'
import { planOf } from './plans.ts'
import { echo, hang } from './tools.ts'

const slow = defineTool({
  name: 'slow',
  description: 'Takes an hour unless it is stopped.',
  timeoutMs: 3_600_000,
  heartbeatMs: 3_600_000,
  input: z.object({}),
  output: z.object({}),
  run: (_, { signal }) =>
    new Promise<never>((_resolve, reject) => {
      const timeout = setTimeout(() => undefined, 3_600_000)
      signal.addEventListener('abort', () => {
        clearTimeout(timeout)
        reject(new Error('stopped'))
      })
    }),
})

const planner: Planner = {
  name: 'below',
  plan: () => ({ steps: [{ id: 'c', tool: 'slow' }] }),
}
const runtime = createRuntime({
  tools: [echo, slow, hang],
  planner,
  keepRuns: 1_000,
  limits: { timeMs: 3_600_000, graceMs: 50 },
})
const done = runtime.start(planOf([{ id: 'a', tool: 'echo' }]))
console.log('done', (await done.result).reason)
const live = runtime.start(
  planOf([
    { id: 'a', tool: 'slow' },
    { id: 'b', instruction: 'Well?', timeoutMs: 3_600_000 },
  ]),
)
const hung = runtime.start(planOf([{ id: 'a', tool: 'hang' }]))
/** Every second one has a sub-run, or is cancelled, or hangs. */
const many = Array.from({ length: 200 }, (_, index) =>
  runtime.start(
    planOf([
      { id: 'a', tool: ['slow', 'echo', 'hang'][index % 3] ?? 'echo' },
      ...(index % 2 === 0 ? [{ id: 'b', goal: { text: 'below' } }] : []),
    ]),
  ),
)
await new Promise((resolve) => setTimeout(resolve, 20))
for (const [index, run] of many.entries()) if (index % 4 === 0) run.cancel()
await runtime.close()
console.log('live', live.outcome?.status)
console.log('hung', hung.outcome?.status)
const lasting = runtime.runs.filter(({ outcome }) => outcome === undefined).length
const below = runtime.runs.filter(({ parent }) => parent !== undefined).length
console.log('many', many.filter(({ outcome }) => outcome !== undefined).length, 'below', below, 'lasting', lasting)
console.log('closed')
