// 500 runs of 20 steps at once, beside one run of 10,000: many runs must not cost more per step than one.
//
//   npx tsx --expose-gc bench/runs.ts [rounds]
import { createRuntime } from '../src/runtime/index.ts'
import { parsePlan } from '../src/plan/parse.ts'
import type { Plan } from '../src/plan/schema.ts'
import { median, noop, planOf } from './noops.ts'
import { shapes } from './shapes.ts'

const rounds = Number(process.argv[2] ?? 7)
/** µs of processor time per step of `runs` runs of `steps` steps, all started at once. */
async function measure(runs: number, plan: Plan): Promise<number> {
  globalThis.gc?.()
  const runtime = createRuntime({ tools: [noop] })
  const before = process.cpuUsage()
  const started = Array.from({ length: runs }, () => runtime.start(plan))
  const outcomes = await Promise.all(started.map(({ result }) => result))
  const { user, system } = process.cpuUsage(before)
  const time = (user + system) / (runs * plan.steps.length)
  if (outcomes.some(({ reason }) => reason !== 'done')) throw new Error('Some run was not done.')
  await runtime.close()
  return time
}

console.log(`µs of processor time per step, medians of ${String(rounds)} rounds\n`)
console.log('| shape | 1 run of 10,000 | 500 runs of 20 | ratio |\n|---|---:|---:|---:|')
for (const shape of shapes) {
  const large = parsePlan(planOf(shape.after(10_000)))
  const small = parsePlan(planOf(shape.after(20)))
  const one: number[] = []
  const many: number[] = []
  for (let round = -1; round < rounds; round++) {
    const [a, b] = [await measure(1, large), await measure(500, small)]
    if (round < 0) continue // warm-up
    one.push(a)
    many.push(b)
  }
  console.log(
    `| ${shape.name} | ${median(one).toFixed(1)} | ${median(many).toFixed(1)} | ${(median(many) / median(one)).toFixed(2)} |`,
  )
}
