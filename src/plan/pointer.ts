// JSON Pointers (RFC 6901): places in a JSON value, as text.
//
// Only own properties are ever looked at: a pointer from a model never reaches a prototype.
import { PlanloomError } from '../errors.ts'
import type { Json } from './json.ts'

/** Splits a pointer into its unescaped parts; `''` has none.
 *
 * @throws `POINTER_INVALID` when it neither is empty nor begins with `/`, or has a `~` that is not `~0` or `~1`.
 * @example
 * import { parsePointer } from 'planloom/plan'
 * parsePointer('/rows/0/a~1b') // ['rows', '0', 'a/b']
 */
export function parsePointer(pointer: string): readonly string[] {
  if (!isPointer(pointer)) {
    throw new PlanloomError('POINTER_INVALID', `"${pointer}" is not a JSON Pointer.`, {
      hint: 'A pointer is empty, or begins with "/"; write "~" as "~0" and a "/" inside a name as "~1".',
    })
  }
  return pointer === '' ? [] : pointer.slice(1).split('/').map(unescape)
}

/** Joins parts into a pointer.
 *
 * @example
 * import { formatPointer } from 'planloom/plan'
 * formatPointer(['rows', 0, 'a/b']) // '/rows/0/a~1b'
 */
export function formatPointer(parts: readonly (string | number)[]): string {
  let pointer = ''
  for (const part of parts) pointer += `/${typeof part === 'number' ? String(part) : escapePart(part)}`
  return pointer
}

/** A pointer for people, in one line: of a long one the beginning and the end, with `…` for what lies between.
 *
 * @example
 * import { shortPointer } from 'planloom/plan'
 * shortPointer('/steps/0/input/a/b/c/d/e/f/g') // '/steps/0/input/…/g'
 */
export function shortPointer(pointer: string): string {
  const parts = pointer.split('/')
  if (parts.length <= mostShownParts && pointer.length <= mostShownCharacters) return pointer
  const shown = parts.length <= mostShownParts ? parts : [...parts.slice(0, 4), '…', ...parts.slice(-1)]
  const width = Math.floor(mostShownCharacters / shown.length)
  return shown.map((part) => (part.length <= 2 * width ? part : `${part.slice(0, width)}…`)).join('/')
}

/** A pointer of limited length: one that is too long leads to the nearest place above it that can be named. */
export function boundPointer(pointer: string): string {
  return pointer.length <= longestPointer ? pointer : pointer.slice(0, pointer.lastIndexOf('/', longestPointer))
}

/** Whether a text is a JSON Pointer. */
export function isPointer(text: string): boolean {
  return text === '' || (text.startsWith('/') && !strayTilde.test(text))
}

/** The value at a pointer; `undefined` where there is none, and for what is not a pointer.
 *
 * @example
 * import { getPointer } from 'planloom/plan'
 * getPointer({ rows: [{ id: 7 }] }, '/rows/0/id') // 7
 */
export function getPointer(value: Json, pointer: string): Json | undefined {
  if (pointer === '') return value
  if (!isPointer(pointer)) return undefined
  let current: Json | undefined = value
  for (const part of pointer.slice(1).split('/')) {
    current = childAt(current, unescape(part))
    if (current === undefined) return undefined
  }
  return current
}

/** The number that a pointer part stands for in an array: decimal, without leading zeros. `undefined` for all else. */
export function indexOf(part: string): number | undefined {
  return arrayIndex.test(part) ? Number(part) : undefined
}

/** One part as it stands in a pointer. */
export function escapePart(part: string): string {
  return part.includes('~') || part.includes('/') ? part.replaceAll('~', '~0').replaceAll('/', '~1') : part
}

const longestPointer = 2_000
const mostShownParts = 9
const mostShownCharacters = 100
const strayTilde = /~(?![01])/
const arrayIndex = /^(?:0|[1-9]\d{0,14})$/

function unescape(part: string): string {
  return part.includes('~') ? part.replaceAll('~1', '/').replaceAll('~0', '~') : part
}

function childAt(parent: Json, part: string): Json | undefined {
  if (typeof parent !== 'object' || parent === null) return undefined
  if (Array.isArray(parent)) {
    const index = indexOf(part)
    return index === undefined ? undefined : (parent as readonly Json[])[index]
  }
  return Object.hasOwn(parent, part) ? (parent as { readonly [key: string]: Json })[part] : undefined
}
