// References: how a step says which output of which other step it takes, and what it depends on because of that.
//
// R1. A reference is a dependency; nobody lists it twice.
// R2. Filling references in copies only what leads to them and shares everything else, with the plan and with the outputs.
// R3. Keys are data: an own `__proto__` is copied as an own `__proto__`.
import { PlanloomError } from '../errors.ts'
import type { Json, JsonObject } from './json.ts'
import type { Reference, Step } from './schema.ts'

/** A reference as it stands inside `input`, where the path may be left out. */
export type ReferenceLike = { readonly $from: string; readonly path?: string }

/** `{"$item": "/path"}`: a place in the item that a `forEach` step works on. */
export type ItemPointer = { readonly $item: string }

/** Whether a value is a reference: an object with `$from`, perhaps `path`, and nothing else. */
export function isReference(value: unknown): value is ReferenceLike {
  if (typeof value !== 'object' || value === null || !Object.hasOwn(value, '$from')) return false
  for (const key of Object.keys(value)) if (key !== '$from' && key !== 'path') return false
  const { $from, path } = value as Record<'$from' | 'path', unknown>
  return typeof $from === 'string' && (typeof path === 'string' || !Object.hasOwn(value, 'path'))
}

/** Whether a value stands for (a part of) the item of a `forEach` step. */
export function isItemPointer(value: unknown): value is ItemPointer {
  if (typeof value !== 'object' || value === null || !Object.hasOwn(value, '$item')) return false
  return typeof (value as Record<'$item', unknown>).$item === 'string' && Object.keys(value).length === 1
}

/** A reference with its path filled in. */
export function toReference({ $from, path }: ReferenceLike): Reference {
  return { $from, path: path ?? '' }
}

/** The references anywhere inside a value, in the order in which they stand there. */
export function referencesIn(value: unknown): readonly Reference[] {
  const found: Reference[] = []
  collect(value, found)
  return found
}

/** The id of a child of an expanded `forEach` step: `read[3]`. */
export function childId(parentId: string, index: number): string {
  return `${parentId}[${index}]`
}

/** Whether `id` is a child that the expanded step gathers. */
export function isChildOf(id: string, parent: Step): boolean {
  const { expanded } = parent
  if (expanded === undefined || !id.startsWith(`${parent.id}[`) || !id.endsWith(']')) return false
  const index = Number(id.slice(parent.id.length + 1, -1))
  return index < expanded && childId(parent.id, index) === id
}

/** Ids of the steps that a step waits for: each once, in order of first appearance in `forEach`, `when`, `input`, `after`;
 * for an expanded `forEach` step its children come last. */
export function dependenciesOf(step: Step): readonly string[] {
  const known = dependencyCache.get(step)
  if (known !== undefined) return known
  const ids = new Set<string>()
  if (step.forEach !== undefined) ids.add(step.forEach.$from)
  if (step.when !== undefined && '$from' in step.when.value) ids.add(step.when.value.$from)
  if (step.input !== undefined) for (const { $from } of referencesIn(step.input)) ids.add($from)
  if (step.after !== undefined) for (const id of step.after) ids.add(id)
  for (let index = 0; index < (step.expanded ?? 0); index++) ids.add(childId(step.id, index))
  const dependencies = Object.freeze([...ids])
  if (Object.isFrozen(step)) dependencyCache.set(step, dependencies)
  return dependencies
}

/** Fills references in with what `lookup` gives for them.
 *
 * @returns the filled-in value, or the first reference for which `lookup` gave `undefined`.
 */
export function resolveReferences(
  input: JsonObject,
  lookup: (reference: Reference) => Json | undefined,
): { readonly value: JsonObject } | { readonly missing: Reference } {
  let missing: Reference | undefined
  const value = replaceReferences(input, (found) => {
    if (missing !== undefined || !isReference(found)) return found
    const reference = toReference(found)
    const resolved = lookup(reference)
    if (resolved === undefined) missing = reference
    return resolved ?? null
  })
  return missing === undefined ? { value: value as JsonObject } : { missing }
}

/** Takes out a property or an array element in `replaceReferences`. */
const gone = Symbol('gone')

/** Copies a value with its references and item pointers replaced; without any it gives back the value itself. */
function replaceReferences(
  value: Json,
  replace: (found: ReferenceLike | ItemPointer) => Json | typeof gone,
): Json | typeof gone {
  if (typeof value !== 'object' || value === null) return value
  if (Array.isArray(value)) return replaceInArray(value as readonly Json[], replace)
  if (isReference(value) || isItemPointer(value)) return replace(value)
  return replaceInObject(value as JsonObject, replace)
}

/** Copies a value with what stands for the item of a `forEach` replaced. */
export function mapItemPointers(value: Json, toReference: (path: string) => Reference): Json {
  const mapped = replaceReferences(value, (found) => ('$item' in found ? toReference(found.$item) : found))
  return mapped === gone ? value : mapped
}

/** The step with every dependency on `from` turned into one on `to`, paths kept; with `null` the dependency goes:
 * properties and array elements that hold a reference to it are left out.
 *
 * @throws `PATCH_REFUSED` when the step cannot be without it: it goes over its items, or gathers it.
 */
export function rewireStep(step: Step, from: string, to: string | null): Step {
  if (isChildOf(from, step)) throw cannotGo(step, from, 'gathers it')
  const next: Step = { ...step }
  if (step.after !== undefined) {
    const after = [...new Set(step.after.flatMap((id) => (id === from ? (to ?? []) : id)))]
    if (after.length > 0) next.after = after
    else delete next.after
  }
  if (step.forEach?.$from === from) {
    if (to === null) throw cannotGo(step, from, 'goes over its items')
    next.forEach = { ...step.forEach, $from: to }
  }
  if (step.when !== undefined && '$from' in step.when.value && step.when.value.$from === from) {
    if (to === null) delete next.when
    else next.when = { ...step.when, value: { ...step.when.value, $from: to } }
  }
  if (step.input !== undefined) {
    const input = replaceReferences(step.input, (found) => {
      if (!isReference(found) || found.$from !== from) return found
      return to === null ? gone : { ...found, $from: to }
    })
    if (input !== gone) next.input = input as JsonObject
  }
  return next
}

const dependencyCache = new WeakMap<Step, readonly string[]>()

function collect(value: unknown, found: Reference[]): void {
  if (typeof value !== 'object' || value === null) return
  if (Array.isArray(value)) for (const item of value) collect(item, found)
  else if (isReference(value)) found.push(toReference(value))
  else for (const key of Object.keys(value)) collect((value as Record<string, unknown>)[key], found)
}

type Replace = Parameters<typeof replaceReferences>[1]

function replaceInArray(value: readonly Json[], replace: Replace): Json {
  let copy: Json[] | undefined
  for (const [index, item] of value.entries()) {
    const next = replaceReferences(item, replace)
    if (next !== item) copy ??= value.slice(0, index)
    if (copy !== undefined && next !== gone) copy.push(next)
  }
  return copy ?? value
}

function replaceInObject(value: JsonObject, replace: Replace): Json {
  let isChanged = false
  const entries: [string, Json][] = []
  for (const key of Object.keys(value)) {
    const item = value[key] as Json
    const next = replaceReferences(item, replace)
    if (next !== item) isChanged = true
    if (next !== gone) entries.push([key, next])
  }
  return isChanged ? Object.fromEntries(entries) : value // R3: `fromEntries` defines, and never assigns
}

function cannotGo(step: Step, from: string, why: string): PlanloomError {
  return new PlanloomError('PATCH_REFUSED', `Step "${step.id}" cannot be without "${from}": it ${why}.`, {
    hint: 'Replace the step as a whole instead.',
    where: { stepId: step.id },
  })
}
