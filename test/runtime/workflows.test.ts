// Real workflows on the virtual clock: with an executor for every step, each takes exactly its critical path.
import { readdirSync, readFileSync } from 'node:fs'
import { describe, expect, it } from 'vitest'
import { createRuntime, unlimited, type Executor } from '../../src/runtime/index.ts'
import type { Step } from '../../src/plan/schema.ts'
import { planOf } from '../support/plans.ts'
import { VirtualClock } from '../support/virtualClock.ts'

interface Workflow {
  readonly source: string
  readonly criticalPathSeconds: number
  readonly steps: readonly { readonly id: string; readonly seconds: number; readonly deps: readonly string[] }[]
}

const folder = new URL('../data/workflows/', import.meta.url)
const names = readdirSync(folder).filter((name) => name.endsWith('.json'))

describe('recorded workflows', () => {
  it('are all nine there', () => {
    expect(names).toHaveLength(9)
  })

  it.each(names)('%s takes its critical path, to the millisecond', async (name) => {
    const workflow = read(name)
    const clock = new VirtualClock()
    const seconds = new Map(workflow.steps.map((step) => [step.id, step.seconds]))
    const endedAt = new Map<string, number>()
    const site: Executor = {
      role: 'site',
      execute: async ({ stepId }, { signal }) => {
        await clock.wait((seconds.get(stepId) ?? 0) * 1000, signal)
        endedAt.set(stepId, clock.now())
        return { output: null }
      },
    }
    const steps = workflow.steps.map(({ id, deps }): Step => ({
      id,
      instruction: 'as recorded',
      executor: 'site',
      ...(deps.length > 0 && { after: [...deps] }),
    }))
    await using runtime = createRuntime({
      executors: [site],
      clock,
      limits: { concurrency: unlimited, totalConcurrency: unlimited },
    })

    const run = runtime.start(planOf(steps))
    const outcome = await clock.until(run.result)

    const { lengthMs, endsMs } = criticalPath(workflow)
    expect(outcome).toMatchObject({ reason: 'done', counts: { succeeded: workflow.steps.length } })
    expect(endedAt).toEqual(endsMs)
    expect(outcome.usage.timeMs).toBe(lengthMs)
    expect(lengthMs / 1000).toBeCloseTo(workflow.criticalPathSeconds, 2)
  })
})

function read(name: string): Workflow {
  return JSON.parse(readFileSync(new URL(name, folder), 'utf8')) as Workflow
}

/** When each step ends if it starts the moment its last dependency has ended. */
function criticalPath({ steps }: Workflow): {
  readonly lengthMs: number
  readonly endsMs: ReadonlyMap<string, number>
} {
  const byId = new Map(steps.map((step) => [step.id, step]))
  const endsMs = new Map<string, number>()
  const endOf = (id: string): number => {
    const known = endsMs.get(id)
    if (known !== undefined) return known
    const step = byId.get(id)!
    const end = Math.max(0, ...step.deps.map(endOf)) + step.seconds * 1000
    endsMs.set(id, end)
    return end
  }
  const lengthMs = Math.max(...steps.map(({ id }) => endOf(id)))
  return { lengthMs, endsMs }
}
