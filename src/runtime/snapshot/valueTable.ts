// The large values of a snapshot, each once: its parts refer to them by their index.
import type { Json } from '../../plan/json.ts'

export class ValueTable {
  readonly values: Json[] = []
  readonly #known = new Map<object, number>()

  /** @returns the index of the value */
  add(value: Json): number {
    if (typeof value !== 'object' || value === null) return this.values.push(value) - 1
    const known = this.#known.get(value)
    if (known !== undefined) return known
    const index = this.values.push(value) - 1
    this.#known.set(value, index)
    return index
  }
}
