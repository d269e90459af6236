// The facts that an output gives, as the tool declares them.
import type { FactGiven } from '../machines/reports.messages.ts'
import type { Json } from '../plan/json.ts'
import { getPointer } from '../plan/pointer.ts'
import type { ToolDescription } from '../plan/toolDescription.ts'

const none: readonly FactGiven[] = Object.freeze([])

/** Collects the facts in an output, in the order in which they are declared; what is not there is not given.
 *
 * @param item of the step that a `forEach` made: its facts are named `fact[item]`.
 * @returns an array fact with `each` as one fact per element: `file[0]`, `file[1]`; inside an item `file[3.0]`, `file[3.1]`.
 * @example
 * givenFacts({ file: { from: '/files', each: true } }, { files: ['a', 'b'] }) // [{ key: 'file[0]', value: 'a' }, { key: 'file[1]', value: 'b' }]
 */
export function givenFacts(gives: ToolDescription['gives'], output: Json, item?: string): readonly FactGiven[] {
  const names = Object.keys(gives)
  if (names.length === 0) return none
  const facts: FactGiven[] = []
  for (const name of names) {
    const gift = gives[name]
    const value = gift === undefined ? undefined : getPointer(output, gift.from)
    if (value === undefined) continue
    if (gift?.each !== true) facts.push({ key: item === undefined ? name : `${name}[${item}]`, value })
    else if (Array.isArray(value)) {
      const prefix = item === undefined ? '' : `${item}.`
      for (const [index, element] of (value as readonly Json[]).entries()) {
        facts.push({ key: `${name}[${prefix}${String(index)}]`, value: element })
      }
    }
  }
  return facts
}

/** The first fact that should be a list of facts, where the output holds something else; `undefined` if all is well. */
export function findNoList(
  gives: ToolDescription['gives'],
  output: Json,
): { readonly fact: string; readonly from: string } | undefined {
  for (const [fact, { from, each }] of Object.entries(gives)) {
    if (each !== true) continue
    const value = getPointer(output, from)
    if (value !== undefined && !Array.isArray(value)) return { fact, from }
  }
  return undefined
}
