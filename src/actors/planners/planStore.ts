// Where the cached planner keeps plans: the interface, what is stored, and the store in memory.
import { z } from 'zod'
import { assumptionSchema, stepSchema } from '../../plan/schema.ts'

/** Version of what is stored. Entries of another version are as good as none. */
export const storedPlanVersion = 1

export const storedPlanSchema = z.strictObject({
  version: z.literal(storedPlanVersion),
  /** What it is the answer to, as a hash. */
  key: z.string(),
  /** When it was planned, in ms since the epoch. */
  at: z.number(),
  /** Who planned it. */
  planner: z.string(),
  model: z.string().optional(),
  steps: z.array(stepSchema),
  assumptions: z.array(assumptionSchema).optional(),
})

export type StoredPlan = z.infer<typeof storedPlanSchema>

/** Keeps plans by key. It may forget any of them at any time; nobody relies on it for more than speed.
 *
 * A store that answers `get` at once, not with a promise, lets a planner that streams go on streaming on a miss.
 */
export interface PlanStore {
  get(key: string): StoredPlan | undefined | Promise<StoredPlan | undefined>
  set(plan: StoredPlan): void | Promise<void>
  delete(key: string): void | Promise<void>
}

export interface MemoryPlanStoreOptions {
  /** The one not used for longest goes when there are more. @default 1000 */
  readonly maxEntries?: number
}

/** Makes a store that lasts as long as the process.
 *
 * @example
 * const store = memoryPlanStore({ maxEntries: 100 })
 * store.get('never stored') // undefined
 */
export function memoryPlanStore({ maxEntries = 1000 }: MemoryPlanStoreOptions = {}): PlanStore {
  const plans = new Map<string, StoredPlan>() // in order of last use
  return {
    get(key) {
      const plan = plans.get(key)
      if (plan === undefined) return undefined
      plans.delete(key)
      plans.set(key, plan)
      return plan
    },
    set(plan) {
      plans.delete(plan.key)
      plans.set(plan.key, plan)
      for (const key of plans.keys()) {
        if (plans.size <= maxEntries) break
        plans.delete(key)
      }
    },
    delete(key) {
      plans.delete(key)
    },
  }
}
