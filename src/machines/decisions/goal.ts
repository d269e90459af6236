// What the goal wants, held against the facts there are.
//
// W1. A run is done only when each fact that its goal wants is there and satisfies its condition.
// W2. A fact that there is one of for each item of a list is wanted of each item; of an empty list, nothing is wanted.
import type { Json } from '../../plan/json.ts'
import { checkSchema } from '../../plan/jsonSchemaCheck.ts'
import type { Goal } from '../../plan/schema.ts'
import type { CoordinatorContext } from '../coordinator.context.ts'
import { findFact, type Facts } from './facts.ts'
import { openSteps } from './turn.ts'

/** A fact that the goal wants, and what is wrong with it. */
export interface Unmet {
  readonly fact: string
  readonly text: string
}

type Wanted = NonNullable<Goal['want']>[number]

/** The goal of the revision that is followed. */
export function goalOf(context: CoordinatorContext): Goal {
  return context.plan?.goal ?? context.run.goal
}

/** What is missing of what the goal wants. Costs a look at each wanted fact, and at the facts of items if it is missing. */
export function findUnmet(context: CoordinatorContext): readonly Unmet[] {
  const { want = [] } = goalOf(context)
  return want.flatMap((wanted) => {
    const text = findFault(context, wanted)
    return text === undefined ? [] : [{ fact: wanted.fact, text }]
  })
}

/** All steps have ended, nothing was lost, and yet the goal lacks something: the planner may know what to do about it.
 * Asked only where all steps have ended, so that the look at the ledger is taken at the end. */
export function isGoalUnmet(context: CoordinatorContext): boolean {
  if (openSteps(context) > 0 || goalOf(context).want === undefined) return false
  return findUnmet(context).length > 0 && !context.entries.some(({ loss }) => loss === 'lost')
}

export function inWords(unmet: readonly Unmet[]): string {
  const shown = unmet.slice(0, 5).map(({ text }) => text)
  return [...shown, ...(unmet.length > 5 ? [`and ${String(unmet.length - 5)} more facts are missing`] : [])].join('; ')
}

function findFault(context: CoordinatorContext, { fact, is }: Wanted): string | undefined {
  const known = findFact(context.facts, fact)
  if (known !== undefined) return faultOf(fact, known.value, is)
  let isOfItems = false
  for (const [key, value] of itemsOf(context.facts, fact)) {
    const fault = faultOf(key, value, is)
    if (fault !== undefined) return fault
    isOfItems = true
  }
  if (isOfItems || givesNoItems(context, fact)) return undefined // W2
  return `the goal wants "${fact}", and nothing gave it`
}

/** A list turned out to be empty: of this fact, or one that steps went over to give it. */
function givesNoItems({ steps, run, entries }: CoordinatorContext, fact: string): boolean {
  return steps.some(({ id, tool, expanded, abandoned }) => {
    if (entries.get(id)?.status !== 'succeeded' || abandoned !== undefined) return false
    return expanded === 0 || (tool !== undefined && run.tools[tool]?.lists?.includes(fact) === true)
  })
}

function* itemsOf({ layers }: Facts, fact: string): Generator<readonly [string, Json]> {
  const head = `${fact}[`
  for (const [key, { value }] of layers) if (key.startsWith(head) && key.endsWith(']')) yield [key, value]
}

function faultOf(key: string, value: Json, is: Wanted['is']): string | undefined {
  const [problem] = is === undefined ? [] : checkSchema(is, value)
  return problem && `"${key}" is not as the goal wants it: ${problem.message}`
}
