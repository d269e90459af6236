// What a no-op step costs: Planloom beside a hand-written topological scheduler and p-queue, in one process, interleaved.
//
//   npx tsx --expose-gc bench/steps.ts [rounds]
//
// The memory journal is on and nobody watches. A round measures every shape, size and scheduler once; medians are shown.
import PQueue from 'p-queue'
import { createRuntime, type Runtime } from '../src/runtime/index.ts'
import type { Plan } from '../src/plan/schema.ts'
import { median, noop, planOf } from './noops.ts'
import { shapes } from './shapes.ts'

type Links = readonly (readonly number[])[]
type Scheduler = 'planloom' | 'by hand' | 'p-queue'

const rounds = Number(process.argv[2] ?? 7)
const sizes = [100, 1_000, 10_000]
const concurrency = 64

async function doNothing(): Promise<null> {
  return Promise.resolve(null)
}

async function runPlanloom(runtime: Runtime, plan: Plan): Promise<void> {
  const { reason } = await runtime.start(plan).result
  if (reason !== 'done') throw new Error(`The run ended as ${reason}.`)
}

/** Counts what each step waits for, and starts it when that is nothing: no validation, record, limit by step or failure. */
async function runByHand(after: Links, start: (work: () => Promise<null>) => Promise<unknown>): Promise<void> {
  const waitsFor = after.map(({ length }) => length)
  const dependents: number[][] = after.map(() => [])
  for (const [index, dependencies] of after.entries())
    for (const dependency of dependencies) dependents[dependency]?.push(index)
  const outputs: unknown[] = []
  let open = after.length
  await new Promise<void>((resolve, reject) => {
    const go = (index: number): void => {
      start(doNothing).then((output) => {
        outputs[index] = output
        for (const dependent of dependents[index] ?? []) {
          const missing = (waitsFor[dependent] ?? 0) - 1
          waitsFor[dependent] = missing
          if (missing === 0) go(dependent)
        }
        open -= 1
        if (open === 0) resolve()
      }, reject)
    }
    for (const [index, missing] of [...waitsFor.entries()]) if (missing === 0) go(index)
  })
}

/** At most `concurrency` at once. */
function window(): (work: () => Promise<null>) => Promise<unknown> {
  const waiting: (() => void)[] = []
  let out = 0
  const next = (): void => {
    out -= 1
    waiting.shift()?.()
  }
  return (work) =>
    new Promise((resolve, reject) => {
      const begin = (): void => {
        out += 1
        work().then(resolve, reject).finally(next)
      }
      if (out < concurrency) begin()
      else waiting.push(begin)
    })
}

/** µs of processor time per step, over as many runs as make 2,000 steps: wall time says little on a machine that is shared. */
async function measure(size: number, run: () => Promise<void>): Promise<number> {
  const repeats = Math.max(1, Math.round(2_000 / size))
  const before = process.cpuUsage()
  for (let repeat = 0; repeat < repeats; repeat++) await run()
  const { user, system } = process.cpuUsage(before)
  return (user + system) / (size * repeats)
}

function collectGarbage(): void {
  globalThis.gc?.()
}

async function schedule(scheduler: Scheduler, after: Links, plan: Plan): Promise<number> {
  if (scheduler === 'planloom') {
    const runtime = createRuntime({ tools: [noop], limits: { concurrency } })
    const time = await measure(after.length, () => runPlanloom(runtime, plan))
    await runtime.close()
    return time
  }
  const queue = new PQueue({ concurrency })
  const start = scheduler === 'p-queue' ? (work: () => Promise<null>) => queue.add(work) : window()
  return measure(after.length, () => runByHand(after, start))
}

const schedulers: readonly Scheduler[] = ['planloom', 'by hand', 'p-queue']
const times = new Map<string, number[]>()
for (let round = -1; round < rounds; round++) {
  for (const shape of shapes) {
    for (const size of sizes) {
      const after = shape.after(size)
      const plan = planOf(after)
      for (const scheduler of schedulers) {
        collectGarbage()
        const time = await schedule(scheduler, after, plan)
        if (round < 0) continue // warm-up
        const key = `${shape.name} ${String(size)} ${scheduler}`
        times.set(key, [...(times.get(key) ?? []), time])
      }
    }
  }
}

const at = (shape: string, size: number, scheduler: Scheduler): number =>
  median(times.get(`${shape} ${String(size)} ${scheduler}`) ?? [])
console.log(
  `µs of processor time per step, medians of ${String(rounds)} rounds, ${String(concurrency)} at once (start, validation and journal included)\n`,
)
console.log('| shape | steps | planloom | by hand | p-queue | × by hand | × p-queue |')
console.log('|---|---:|---:|---:|---:|---:|---:|')
for (const { name } of shapes) {
  for (const size of sizes) {
    const [ours, hand, queue] = schedulers.map((scheduler) => at(name, size, scheduler)) as [number, number, number]
    console.log(
      `| ${name} | ${String(size)} | ${ours.toFixed(1)} | ${hand.toFixed(2)} | ${queue.toFixed(1)} | ${(ours / hand).toFixed(1)} | ${(ours / queue).toFixed(1)} |`,
    )
  }
}
console.log('\n| shape | growth of the cost per step, 100 → 10,000 |\n|---|---:|')
for (const { name } of shapes)
  console.log(`| ${name} | ${(at(name, 10_000, 'planloom') / at(name, 100, 'planloom')).toFixed(2)} |`)

console.log(
  '\n| shape | heap that a finished run of 10,000 steps holds, MB | highest heap while it runs, MB |\n|---|---:|---:|',
)
for (const shape of shapes) {
  collectGarbage()
  const before = process.memoryUsage().heapUsed
  const runtime = createRuntime({ tools: [noop], limits: { concurrency } })
  let highest = 0
  const run = runtime.start(planOf(shape.after(10_000)))
  const sample = setInterval(() => {
    highest = Math.max(highest, process.memoryUsage().heapUsed)
  }, 2)
  const subscription = run.transitions().subscribe(({ n }) => {
    if (n % 500 === 0) highest = Math.max(highest, process.memoryUsage().heapUsed)
  })
  await run.result
  clearInterval(sample)
  subscription.unsubscribe()
  collectGarbage()
  const held = process.memoryUsage().heapUsed - before
  if (run.outcome?.reason !== 'done') throw new Error('The run was not done.') // and it is still held here
  console.log(`| ${shape.name} | ${(held / 2 ** 20).toFixed(0)} | ${((highest - before) / 2 ** 20).toFixed(0)} |`)
  await runtime.close()
}
