// Plans kept in a journal, beside the runs that were made of them.
import { PlanloomError } from '../errors.ts'
import type { Journal } from '../journal/journal.ts'
import type { Json } from '../plan/json.ts'
import { storedPlanSchema, type PlanStore } from '../actors/planners/planStore.ts'

/** Makes a store on a journal, within the same limits of age and size as the outputs that are kept there.
 *
 * @throws `OPTIONS_INVALID` for a journal that keeps nothing for other runs
 * @example
 * import { createCachedPlanner, createGoalPlanner, memoryJournal } from 'planloom'
 * const journal = memoryJournal()
 * const planner = createCachedPlanner(createGoalPlanner(), { store: journalPlanStore(journal) })
 * planner.name // 'cached(goal)'
 */
export function journalPlanStore({ reuse }: Pick<Journal, 'reuse'>): PlanStore {
  if (reuse === undefined) {
    throw new PlanloomError('OPTIONS_INVALID', 'journalPlanStore() was given a journal that keeps no plans.', {
      hint: 'Give it a memoryJournal() or sqliteJournal(), or use filePlanStore().',
    })
  }
  return {
    get(key) {
      const found = reuse.find('plan', key)
      const plan = storedPlanSchema.safeParse(found?.value)
      return plan.success && plan.data.key === key ? plan.data : undefined
    },
    set(plan) {
      reuse.keep({ kind: 'plan', key: plan.key, name: plan.planner, value: plan as unknown as Json })
    },
    delete(key) {
      reuse.forget('plan', key)
    },
  }
}
