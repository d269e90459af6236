// A process of its own for close.test.ts: it starts runs with timers of every kind, closes the runtime, and must then end.
import { z } from 'zod'
import { createRuntime, defineTool } from '../../src/runtime/index.ts'
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

const runtime = createRuntime({ tools: [echo, slow, hang], limits: { timeMs: 3_600_000, graceMs: 50 } })
const done = runtime.start(planOf([{ id: 'a', tool: 'echo' }]))
console.log('done', (await done.result).reason)
const live = runtime.start(
  planOf([
    { id: 'a', tool: 'slow' },
    { id: 'b', instruction: 'Well?', timeoutMs: 3_600_000 },
  ]),
)
const hung = runtime.start(planOf([{ id: 'a', tool: 'hang' }]))
await new Promise((resolve) => setTimeout(resolve, 20))
await runtime.close()
console.log('live', live.outcome?.status)
console.log('hung', hung.outcome?.status)
console.log('closed')
