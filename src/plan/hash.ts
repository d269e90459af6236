// Identity by content: the same JSON value is the same bytes and the same hash, in every process and browser.
import { sha256 } from '@noble/hashes/sha2.js'
import { bytesToHex, utf8ToBytes } from '@noble/hashes/utils.js'
import type { Plan, Step } from './schema.ts'

/** A JSON value as text with sorted keys and no spaces (as RFC 8785): equal values give equal texts. Properties that are
 * `undefined` count as absent; what JSON cannot hold stands as `null`.
 *
 * @throws `RangeError` for a value some thousand levels deep.
 * @example
 * import { canonicalJson } from 'planloom/plan'
 * canonicalJson({ b: 1, a: [true, null] }) // '{"a":[true,null],"b":1}'
 */
export function canonicalJson(value: unknown): string {
  switch (typeof value) {
    case 'string':
      return JSON.stringify(value)
    case 'number':
      return Number.isFinite(value) ? String(value === 0 ? 0 : value) : 'null'
    case 'boolean':
      return value ? 'true' : 'false'
    case 'object':
      if (value === null) return 'null'
      return Array.isArray(value) ? canonicalArray(value) : canonicalObject(value as Record<string, unknown>)
    case 'undefined':
    case 'function':
    case 'symbol':
    case 'bigint':
      return 'null'
  }
}

function canonicalArray(items: readonly unknown[]): string {
  let text = '['
  for (const [index, item] of items.entries()) text += index === 0 ? canonicalJson(item) : `,${canonicalJson(item)}`
  return `${text}]`
}

function canonicalObject(object: Readonly<Record<string, unknown>>): string {
  let text = '{'
  for (const key of Object.keys(object).sort()) {
    const inner = object[key]
    if (inner !== undefined) text += `${text.length > 1 ? ',' : ''}${JSON.stringify(key)}:${canonicalJson(inner)}`
  }
  return `${text}}`
}

/** SHA-256 of the canonical text, as 64 hexadecimal digits. */
export function hashJson(value: unknown): string {
  return hashText(canonicalJson(value))
}

/** Identifies a step by its content. Remembered for frozen steps, so that asking again costs nothing. */
export function stepHash(step: Step): string {
  const known = stepHashes.get(step)
  if (known !== undefined) return known
  const hash = hashJson(step)
  if (Object.isFrozen(step)) stepHashes.set(step, hash)
  return hash
}

/** Identifies what a plan says (goal, steps in order, assumptions): not which revision it is, who made it or why. */
export function planHash(plan: Plan): string {
  const known = planHashes.get(plan)
  if (known !== undefined) return known
  const parts = [canonicalJson(plan.goal), canonicalJson(plan.assumptions)]
  for (const step of plan.steps) parts.push(stepHash(step))
  const hash = hashText(parts.join('\n')) // no part holds a line break: canonical JSON escapes them
  if (Object.isFrozen(plan)) planHashes.set(plan, hash)
  return hash
}

const stepHashes = new WeakMap<Step, string>()
const planHashes = new WeakMap<Plan, string>()

function hashText(text: string): string {
  return bytesToHex(sha256(utf8ToBytes(text)))
}
