// Facts: what is known of the world, each with the step that gave it.
//
// F1. Facts are the fold of accepted outcomes, in order. A later giver of the same fact covers the earlier one.
// F2. Withdrawing a giver takes out all that it gave; what it had covered is visible again.
// F3. `version` grows when, and only when, a visible value changes: equal versions of one run mean equal facts.
import { Map as PersistentMap } from 'immutable'
import type { Json } from '../../plan/json.ts'
import { sameJson } from '../../plan/sameJson.ts'
import type { FactGiven, FactReport } from '../reports.messages.ts'

interface Layer {
  readonly value: Json
  readonly by: string
  readonly at: number
  readonly below: Layer | undefined
}

export interface Facts {
  readonly layers: PersistentMap<string, Layer>
  readonly givenBy: PersistentMap<string, readonly string[]>
  readonly version: number
}

/** New facts, and the keys whose visible value changed. */
export interface FactChange {
  readonly facts: Facts
  readonly changed: readonly string[]
}

export const noFacts: Facts = { layers: PersistentMap(), givenBy: PersistentMap(), version: 0 }

export function giveFacts(facts: Facts, by: string, given: readonly FactGiven[], at: number): FactChange {
  if (given.length === 0) return { facts, changed: [] }
  let { layers } = facts
  const changed: string[] = []
  for (const { key, value } of given) {
    const top = layers.get(key)
    if (top === undefined || !sameJson(top.value, value)) changed.push(key)
    layers = layers.set(key, { value, by, at, below: without(top, by) })
  }
  const keys = [...new Set([...(facts.givenBy.get(by) ?? []), ...given.map((fact) => fact.key)])]
  const version = facts.version + (changed.length > 0 ? 1 : 0)
  return { facts: { layers, givenBy: facts.givenBy.set(by, keys), version }, changed }
}

export function withdrawFacts(facts: Facts, by: string): FactChange {
  const keys = facts.givenBy.get(by)
  if (keys === undefined) return { facts, changed: [] }
  let { layers } = facts
  const changed: string[] = []
  for (const key of keys) {
    const top = layers.get(key)
    const rest = without(top, by)
    if (top !== undefined && (rest === undefined || !sameJson(rest.value, top.value))) changed.push(key)
    layers = rest === undefined ? layers.delete(key) : layers.set(key, rest)
  }
  const version = facts.version + (changed.length > 0 ? 1 : 0)
  return { facts: { layers, givenBy: facts.givenBy.delete(by), version }, changed }
}

/** Takes a fact out, whoever has given it. */
export function withdrawFact(facts: Facts, key: string): FactChange {
  if (!facts.layers.has(key)) return { facts, changed: [] }
  return { facts: { ...facts, layers: facts.layers.delete(key), version: facts.version + 1 }, changed: [key] }
}

export function findFact(facts: Facts, key: string): FactReport | undefined {
  const top = facts.layers.get(key)
  return top && { key, value: top.value, by: top.by, at: top.at }
}

export function* listFacts(facts: Facts): Generator<FactReport> {
  for (const [key, { value, by, at }] of facts.layers) yield { key, value, by, at }
}

function without(layer: Layer | undefined, by: string): Layer | undefined {
  if (layer === undefined) return undefined
  const below = without(layer.below, by)
  if (layer.by === by) return below
  return below === layer.below ? layer : { ...layer, below }
}
