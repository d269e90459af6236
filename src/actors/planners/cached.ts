// The cached planner: asks another planner once, and answers the same question itself from then on.
//
// C1. The question is the goal, the tools, the relevant facts and the other planner's name; any other question is a miss.
// C2. Only first plans are stored, and only valid ones. What a run made of its plan midway is never stored: it fits that
//     run's accidents.
// C3. A stored plan is validated with the tools of the moment before it is used. One that is not valid, was found wanting by the
//     runtime, or is too old, is forgotten, and the other planner is asked.
// C4. Trouble in a run forgets the plans of its goal and tools that this planner has dealt in: the next run plans afresh.
// C5. A store that fails costs time and nothing else: it is told to `onStoreError`, and planning goes on.
import { PlanloomError } from '../../errors.ts'
import { validatePlan } from '../../plan/validate.ts'
import type { Trouble } from '../../machines/reports.messages.ts'
import type { PlanAnswer, PlanDraft, Planner, PlannerContext, PlanRequest } from './planner.ts'
import { familyOf, planKeyOf, type IsRelevant, type PlanKey } from './planKey.ts'
import { gather, isStream, passOn } from './planStream.ts'
import { memoryPlanStore, storedPlanVersion, type PlanStore, type StoredPlan } from './planStore.ts'

export interface CachedPlannerOptions {
  /** @default memoryPlanStore() */
  readonly store?: PlanStore
  /** Plans older than this are planned again. @default never */
  readonly maxAgeMs?: number
  /** Facts that make a difference to the plan: their names (`file` stands for `file[3]`, too), or a rule. @default all */
  readonly relevantFacts?: readonly string[] | IsRelevant
  /** Told what the store threw. @default nobody */
  readonly onStoreError?: (error: unknown) => void
}

/** Goals whose keys are remembered, so that trouble can forget them (C4). */
const rememberedFamilies = 10_000

/** Puts a cache in front of a planner.
 *
 * A hit costs a hash of the question and a validation of the plan; it uses no tokens. A miss on a planner that streams is
 * streamed on, unless the store answers with promises. Trouble goes to the planner behind it.
 *
 * @example
 * import { createGoalPlanner } from 'planloom'
 * const planner = createCachedPlanner(createGoalPlanner(), { relevantFacts: ['folder'] })
 * planner.name // 'cached(goal)'
 */
export function createCachedPlanner(inner: Planner, options: CachedPlannerOptions = {}): Planner {
  if (typeof (inner as Partial<Planner> | null)?.plan !== 'function') {
    throw new PlanloomError('OPTIONS_INVALID', 'createCachedPlanner() was given no planner.', {
      hint: 'Give it the planner whose plans are to be kept.',
    })
  }
  const { store = memoryPlanStore(), maxAgeMs = Infinity, onStoreError } = options
  const isRelevant = toRule(options.relevantFacts)
  const dealtIn = new Map<string, Set<string>>()

  function plan(request: PlanRequest, context: PlannerContext): ReturnType<Planner['plan']> {
    const name = planKeyOf(request, inner.name, isRelevant)
    remember(name)
    if (request.findings.length > 0) return askAnew(name, request, context) // C3
    const found = read(name.key)
    if (found instanceof Promise) return found.then((stored) => gather(answer(stored)))
    return answer(found)

    function answer(stored: StoredPlan | undefined): ReturnType<Planner['plan']> {
      if (stored === undefined) return ask(name, request, context)
      const draft = context.now() - stored.at <= maxAgeMs ? draftOf(stored) : undefined
      return draft !== undefined && isValid(draft, request) ? draft : askAnew(name, request, context)
    }
  }

  /** Asks the planner behind, once what was stored is forgotten. */
  function askAnew(name: PlanKey, request: PlanRequest, context: PlannerContext): ReturnType<Planner['plan']> {
    return ask(name, request, context, forget([name.key]))
  }

  function ask(
    { key }: PlanKey,
    request: PlanRequest,
    context: PlannerContext,
    before?: Promise<void>,
  ): ReturnType<Planner['plan']> {
    const answered = inner.plan(request, context)
    if (isStream(answered)) return passOn(answered, before, keep)
    return (async () => {
      await before
      const given = await answered
      await keep(given)
      return given
    })()

    async function keep(given: PlanAnswer): Promise<void> {
      if (!('steps' in given) || 'unsound' in given || !isValid(given, request)) return // C2
      const { steps, assumptions, model } = given
      await attempt(() =>
        store.set({
          version: storedPlanVersion,
          key,
          at: context.now(),
          planner: inner.name,
          steps: [...steps],
          ...(assumptions && { assumptions: [...assumptions] }),
          ...(model !== undefined && { model }),
        }),
      )
    }
  }

  function remember({ family, key }: PlanKey): void {
    const keys = dealtIn.get(family) ?? new Set()
    dealtIn.delete(family)
    dealtIn.set(family, keys.add(key))
    const [oldest] = dealtIn.keys()
    if (dealtIn.size > rememberedFamilies && oldest !== undefined) dealtIn.delete(oldest)
  }

  async function forgetFamily(family: string): Promise<void> {
    const keys = dealtIn.get(family) ?? []
    dealtIn.delete(family)
    await forget(keys)
  }

  async function forget(keys: Iterable<string>): Promise<void> {
    for (const key of keys) await attempt(() => store.delete(key))
  }

  function read(key: string): StoredPlan | undefined | Promise<StoredPlan | undefined> {
    try {
      const found = store.get(key)
      return found instanceof Promise ? found.catch(complain) : found
    } catch (error) {
      complain(error)
      return undefined
    }
  }

  async function attempt(use: () => void | Promise<void>): Promise<void> {
    try {
      await use()
    } catch (error) {
      complain(error)
    }
  }

  function complain(error: unknown): undefined {
    onStoreError?.(error) // C5
    return undefined
  }

  const replan = inner.replan?.bind(inner)
  return {
    name: `cached(${inner.name})`,
    plan,
    ...(inner.elaborates !== undefined && { elaborates: inner.elaborates }),
    ...(inner.repairRounds !== undefined && { repairRounds: inner.repairRounds }),
    ...(inner.readsOutputs !== undefined && { readsOutputs: inner.readsOutputs }),
    ...(replan && {
      async replan(request, context) {
        if (request.troubles.some(speaksAgainstPlan)) await forgetFamily(familyOf(request, inner.name)) // C4
        return replan(request, context)
      },
    }),
  }
}

function toRule(relevant: CachedPlannerOptions['relevantFacts']): IsRelevant {
  if (relevant === undefined) return () => true
  if (typeof relevant === 'function') return relevant
  const names = new Set(relevant)
  return ({ key }) => names.has(key) || names.has(key.replace(/\[[\d.]+\]$/, ''))
}

/** A list that turned out to have items, a patch that came too late, a person's opinion: none of it is the plan's fault. */
function speaksAgainstPlan({ type }: Trouble): boolean {
  return type !== 'expanded' && type !== 'patch_refused' && type !== 'rejected'
}

function draftOf({ steps, assumptions, model }: StoredPlan): PlanDraft {
  return { steps, ...(assumptions && { assumptions }), ...(model !== undefined && { model }) }
}

/** Whether the plan could run as it is, with the tools and the limits of this request. */
function isValid({ steps, assumptions }: PlanDraft, { goal, tools, limits }: PlanRequest): boolean {
  const catalogue = new Map(tools.map((tool) => [tool.name, tool]))
  const draft = { id: 'stored', goal, steps, ...(assumptions && { assumptions }) }
  return validatePlan(draft, { tools: catalogue, limits: { steps: limits.steps } }).plan !== undefined
}
