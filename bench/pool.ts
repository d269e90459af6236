// What a step costs on its way through pool and executor, beside a bare promise loop with as many in flight.
//
//   npx tsx bench/pool.ts [steps]
//
// Chain: one step at a time. Window: 64 in flight, a new one for each that ends. Queue: all given at once.
import { createExecutorBehaviour } from '../src/actors/executorBehaviour.ts'
import { createToolExecutor } from '../src/actors/executors/toolExecutor.ts'
import type { HostMessage } from '../src/machines/behaviour.messages.ts'
import type { StepExecute } from '../src/machines/command.messages.ts'
import { pool } from '../src/machines/pool.machine.ts'
import { createActor, fromCallback } from '../src/machines/xstate.ts'

const steps = Number(process.argv[2] ?? 10_000)
const shapes = { chain: 1, window: 64, queue: steps }
const rounds = 5

console.log(`${String(steps)} no-op steps, µs per step, the best and the median of ${String(rounds)} rounds`)
for (const [shape, inFlight] of Object.entries(shapes)) {
  const bare = await measure(() => runBare(inFlight))
  const pooled = await measure(() => runPool(inFlight))
  const columns = [
    shape.padEnd(8),
    `bare ${show(bare)}`,
    `pool ${show(pooled)}`,
    `+${(pooled.median - bare.median).toFixed(1)}`,
  ]
  console.log(columns.join('   '))
}

interface Measured {
  readonly best: number
  readonly median: number
}

async function measure(run: () => Promise<void>): Promise<Measured> {
  await run()
  const times: number[] = []
  for (let round = 0; round < rounds; round++) {
    const before = performance.now()
    await run()
    times.push(((performance.now() - before) * 1_000) / steps)
  }
  times.sort((a, b) => a - b)
  return { best: times[0] ?? 0, median: times[Math.floor(rounds / 2)] ?? 0 }
}

function show({ best, median }: Measured): string {
  return `${best.toFixed(1).padStart(5)} /${median.toFixed(1).padStart(5)}`
}

async function noop(): Promise<null> {
  return Promise.resolve(null)
}

async function runBare(inFlight: number): Promise<void> {
  let given = 0
  const worker = async () => {
    while (given < steps) {
      given += 1
      await noop()
    }
  }
  await Promise.all(Array.from({ length: Math.min(inFlight, 64) }, worker))
}

async function runPool(inFlight: number): Promise<void> {
  const executor = createToolExecutor({ carryOut: async () => ({ output: await noop() }) })
  const behaviour = createExecutorBehaviour({ executor, now: Date.now, signal: new AbortController().signal })
  let given = 0
  let ended = 0
  await new Promise<void>((resolve) => {
    const host = createActor(
      fromCallback<HostMessage>(({ receive }) => {
        receive(() => {
          ended += 1
          if (ended === steps) resolve()
          else if (given < steps) give()
        })
      }),
    )
    const actor = createActor(pool, { input: { host, role: 'tool', behaviour, size: 64, now: Date.now } })
    const give = () => {
      given += 1
      actor.send(attempt(given))
    }
    host.start()
    actor.start()
    for (let first = 0; first < inFlight; first++) give()
  })
}

function attempt(n: number): StepExecute {
  const stepId = `s${String(n)}`
  return {
    type: 'step.execute',
    runId: 'bench',
    stepId,
    attempt: 1,
    idempotencyKey: `bench/${stepId}`,
    role: 'tool',
    tool: 'noop',
    input: {},
  }
}
