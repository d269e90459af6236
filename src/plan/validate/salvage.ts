// Reads as much of a broken part as can be read: field by field, and of the fields that lead to other steps what leads there.
import type { z } from 'zod'
import { isJsonObject, type Json, type JsonObject } from '../json.ts'
import { isItemPointer } from '../references.ts'
import {
  assumptionSchema,
  conditionSchema,
  goalSchema,
  referenceSchema,
  stepIdSchema,
  stepSchema,
  type Assumption,
  type Condition,
  type Goal,
  type Reference,
  type Step,
} from '../schema.ts'
import { unreadId } from './planView.ts'

export interface Salvaged<T> {
  readonly part: T
  /** Fields that are there, and cannot be read, or not wholly. */
  readonly unread: ReadonlySet<string>
}

export function salvageStep(value: JsonObject): Salvaged<Step> {
  const read = readFields(stepSchema.shape, value)
  const { fields, unread } = read
  if (unread.has('after')) fields['after'] = salvageIds(value['after'])
  if (unread.has('forEach')) fields['forEach'] = salvageReference(value['forEach'])
  if (unread.has('goal')) fields['goal'] = salvageGoal(value['goal']).part
  if (unread.has('when')) {
    const when = salvageCondition(value['when'])
    fields['when'] = when?.part
    if (when?.unread.size === 0) unread.delete('when')
  }
  const id = typeof value['id'] === 'string' ? value['id'] : unreadId
  return { part: compact({ ...fields, id }) as unknown as Step, unread }
}

export function salvageAssumption(value: JsonObject): Salvaged<Assumption> {
  const { fields, unread } = readFields(assumptionSchema.shape, value)
  const { statement = '', fact = '', is = true, id = unreadId } = fields
  const steps = fields['steps'] ?? salvageIds(value['steps']) ?? []
  return { part: { id, statement, fact, is, steps } as Assumption, unread }
}

/** Of `want`, what cannot be read keeps its place. */
export function salvageGoal(value: Json | undefined): Salvaged<Goal | undefined> {
  if (!isJsonObject(value)) return { part: undefined, unread: new Set(['text', 'want']) }
  const { fields, unread } = readFields(goalSchema.shape, value)
  if (unread.has('want') && Array.isArray(value['want'])) {
    const items = (value['want'] as readonly Json[]).map((item) =>
      readFields(wantShape, isJsonObject(item) ? item : {}),
    )
    fields['want'] = items.map((item) => ({ fact: '', ...item.fields }))
    const isTold = items.every((item) => typeof item.fields['fact'] === 'string')
    if (isTold) unread.delete('want')
  }
  return { part: compact({ text: '', ...fields }) as unknown as Goal, unread }
}

type Shape = Readonly<Record<string, z.ZodType>>

const wantShape: Shape = goalSchema.shape.want.unwrap().element.shape

function readFields(shape: Shape, value: JsonObject): { fields: Record<string, unknown>; unread: Set<string> } {
  const fields: Record<string, unknown> = {}
  const unread = new Set<string>()
  for (const key of Object.keys(value)) {
    if (!Object.hasOwn(shape, key)) continue
    const parsed = shape[key]?.safeParse(value[key])
    if (parsed?.success === true) fields[key] = parsed.data
    else unread.add(key)
  }
  return { fields, unread }
}

/** What is no id keeps its place in the list. */
function salvageIds(value: Json | undefined): string[] | undefined {
  if (!Array.isArray(value)) return undefined
  return (value as readonly Json[]).map((id) => stepIdSchema.safeParse(id).data ?? unreadId)
}

function salvageReference(value: Json | undefined): Reference | undefined {
  if (!isJsonObject(value)) return undefined
  const $from = stepIdSchema.safeParse(value['$from']).data
  return $from === undefined ? undefined : { $from, path: '' }
}

/** Readable where the value is, whatever it is held against. */
function salvageCondition(value: Json | undefined): Salvaged<Condition> | undefined {
  if (!isJsonObject(value)) return undefined
  const given = value['value']
  const is = conditionSchema.shape.is.safeParse(value['is']).data ?? true
  if (isItemPointer(given)) return { part: { value: given, is }, unread: new Set() }
  const whole = referenceSchema.safeParse(given)
  const reference = whole.data ?? salvageReference(given)
  if (reference === undefined) return undefined
  return { part: { value: reference, is }, unread: new Set(whole.success ? [] : ['value']) }
}

function compact(fields: Readonly<Record<string, unknown>>): Record<string, unknown> {
  return Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== undefined))
}
