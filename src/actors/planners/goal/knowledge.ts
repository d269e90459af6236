// What is known before the planner adds a step: values of facts, and steps that are done, out, or not to be tried again.
import type { FactReport } from '../../../machines/reports.messages.ts'
import type { Json, JsonObject, JsonSchema } from '../../../plan/json.ts'
import { checkSchema } from '../../../plan/jsonSchemaCheck.ts'
import { canonicalJson } from '../../../plan/hash.ts'
import type { Reference } from '../../../plan/schema.ts'
import type { Gift, ToolDescription } from '../../../plan/toolDescription.ts'
import { factKey, splitFactKey, type Scope } from './factKey.ts'
import type { Lineage } from './lineage.ts'
import type { Tried } from './tried.ts'

/** A fact that holds now. */
export interface KnownFact {
  readonly value: Json
  /** Where a step finds it; without it, the value itself goes into the input. */
  readonly from?: Reference
}

/** A step that is out: what it will give can be built on. */
export interface StandingStep {
  readonly id: string
  readonly tool: ToolDescription
  readonly scope: Scope
}

/** Known facts, looked up one by one. */
export interface KnownFacts {
  readonly get: (key: string) => KnownFact | undefined
  readonly has: (key: string) => boolean
}

export interface Knowledge {
  readonly facts: KnownFacts
  /** By a fact that there is one of for each item: how many items there are. */
  readonly lists: ReadonlyMap<string, number>
  /** Those that will give a fact in a scope, in the order of the plan. */
  readonly standing: (fact: string, scope: Scope) => readonly StandingStep[]
  /** Absent before anything has run. */
  readonly tried: Tried | undefined
  /** What known and coming facts have been through. */
  readonly lineage: Lineage
  /** Tools that must not be used, by name and scope (`read[3]`), whatever the input. */
  readonly barred: ReadonlySet<string>
  /** Items for which predictions are not believed, since nothing could be done if they were true. */
  readonly surprising: ReadonlySet<Scope>
}

/** How surely a gift will satisfy a condition: `assumed` wants an assumption that can be checked later. */
export type Certainty = 'sure' | 'assumed' | 'no'

/** What is known before anything has run. Facts of the goal are there even where no run has reported them. */
export function firstKnowledge(reports: readonly FactReport[], given: JsonObject): Knowledge {
  const facts = new Map<string, KnownFact>()
  for (const [key, value] of Object.entries(given)) facts.set(key, { value })
  for (const { key, value } of reports) facts.set(key, { value })
  return {
    facts,
    lists: knownLists(facts.keys()),
    standing: () => [],
    tried: undefined,
    lineage: () => 0,
    barred: new Set(),
    surprising: new Set(),
  }
}

/** Facts with lists: `file` where `file[0]` is known, with how many there are. */
export function knownLists(keys: Iterable<string>): Map<string, number> {
  const lists = new Map<string, number>()
  for (const key of keys) {
    const { fact, scope } = splitFactKey(key)
    if (scope === '' || scope.includes('.')) continue
    lists.set(fact, Math.max(lists.get(fact) ?? 0, Number(scope) + 1))
  }
  return lists
}

export function isTrue(schema: JsonSchema | undefined, value: Json): boolean {
  return schema === undefined || checkSchema(schema, value).length === 0
}

/** What a gift will be, as far as can be told. */
export function expectGift(gift: Gift, scope: Scope, { facts, surprising }: Knowledge): Expected {
  if (surprising.has(scope)) return { promise: gift.is, predicted: undefined }
  const rule = gift.predict?.find(({ fact, is }) => {
    const known = facts.get(factKey(fact, scope)) ?? facts.get(fact)
    return known !== undefined && isTrue(is, known.value)
  })
  return { promise: gift.is, predicted: rule && { value: rule.value } }
}

export interface Expected {
  readonly promise: JsonSchema | undefined
  readonly predicted: { readonly value: Json } | undefined
}

/** Whether what is expected of a gift satisfies a condition. */
export function judge({ promise, predicted }: Expected, condition: JsonSchema | undefined): Certainty {
  if (condition === undefined || condition === true) return 'sure'
  const promised = promise === undefined ? undefined : valuesOf(promise)
  if (promised) {
    if (promised.every((value) => isTrue(condition, value))) return 'sure'
    if (!promised.some((value) => isTrue(condition, value))) return 'no'
  } else if (promise !== undefined && canonicalJson(promise) === canonicalJson(condition)) return 'sure'
  if (predicted) return isTrue(condition, predicted.value) ? 'assumed' : 'no'
  const wanted = valuesOf(condition)
  if (wanted && promise !== undefined && !wanted.some((value) => isTrue(promise, value))) return 'no'
  return 'assumed'
}

/** Whether one value could satisfy all of several conditions; in doubt, yes. */
export function areCompatible(conditions: readonly JsonSchema[]): boolean {
  const values = conditions.map(valuesOf).find((some) => some !== undefined)
  return values === undefined || values.some((value) => conditions.every((condition) => isTrue(condition, value)))
}

/** All values that a schema allows, where it lists them. */
function valuesOf(schema: JsonSchema): readonly Json[] | undefined {
  if (typeof schema === 'boolean') return schema ? undefined : []
  if (schema.const !== undefined) return [schema.const]
  return Array.isArray(schema.enum) ? (schema.enum as readonly Json[]) : undefined
}
