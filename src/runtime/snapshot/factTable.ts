// The facts of a snapshot: for each, who gave it, the latest first.
import { Map as PersistentMap } from 'immutable'
import type { Json } from '../../plan/json.ts'
import type { Facts } from '../../machines/decisions/facts.ts'
import type { ValueTable } from './valueTable.ts'

type Layer = NonNullable<ReturnType<Facts['layers']['get']>>

export interface FactTable {
  readonly version: number
  readonly layers: readonly (readonly [
    key: string,
    layers: readonly (readonly [value: number, by: string, at: number])[],
  ])[]
  readonly givenBy: readonly (readonly [by: string, keys: readonly string[]])[]
}

export function writeFacts({ version, layers, givenBy }: Facts, values: ValueTable): FactTable {
  return {
    version,
    layers: [...layers].map(([key, top]) => [
      key,
      [...downFrom(top)].map(({ value, by, at }) => [values.add(value), by, at] as const),
    ]),
    givenBy: [...givenBy],
  }
}

export function readFacts({ version, layers, givenBy }: FactTable, valueOf: (index: number) => Json): Facts {
  return {
    version,
    layers: PersistentMap(
      layers.map(([key, all]) => {
        const top = all.reduceRight<Layer | undefined>(
          (below, [value, by, at]) => ({ value: valueOf(value), by, at, below }),
          undefined,
        )
        return [key, top as Layer] as const
      }),
    ),
    givenBy: PersistentMap(givenBy),
  }
}

function* downFrom(top: Layer | undefined): Generator<Layer> {
  for (let layer = top; layer !== undefined; layer = layer.below) yield layer
}
