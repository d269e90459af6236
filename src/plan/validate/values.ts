// What stands inside an input: references and how they lead, text that only looks like one, and how deep it goes.
import type { Finding } from '../finding.ts'
import { isJsonObject, type Json } from '../json.ts'
import { isPointer } from '../pointer.ts'
import { isItemPointer, isReference } from '../references.ts'
import { planLimits, type Step } from '../schema.ts'
import type { Hole } from './fit.ts'
import { problem, warning, type Place } from './report.ts'

export interface Walk {
  readonly step: Step
  readonly place: Place
  readonly ids: ReadonlySet<string>
  readonly findings: Finding[]
  /** Arrays and objects that have references in them. */
  readonly holders: WeakSet<object>
  readonly onHole: (hole: Hole, place: Place) => void
}

/** @returns whether there is a reference in the value. */
export function walkValue(walk: Walk, value: Json, place: Place = walk.place): boolean {
  if (typeof value === 'string') return lookAtText(walk, value, place)
  if (typeof value !== 'object' || value === null) return false
  if (isReference(value) || isItemPointer(value)) {
    if (isWellFormed(walk, value, place)) walk.onHole(value, place)
    return true
  }
  if (place.length - walk.place.length > planLimits.inputDepth) {
    const message = `The input of step "${walk.step.id}" is nested deeper than ${planLimits.inputDepth} levels.`
    walk.findings.push(
      problem(
        'PLAN_TOO_LARGE',
        place,
        walk.step.id,
        message,
        'Flatten it, or hand the value over as the output of a step.',
      ),
    )
    return false
  }
  lookAtMistake(walk, value, place)
  let isHolder = false
  if (Array.isArray(value)) {
    for (const [index, item] of (value as readonly Json[]).entries())
      if (walkValue(walk, item, [...place, index])) isHolder = true
  } else {
    for (const key of Object.keys(value))
      if (walkValue(walk, (value as Record<string, Json>)[key] as Json, [...place, key])) isHolder = true
  }
  if (isHolder) walk.holders.add(value)
  return isHolder
}

export function isWellFormed({ step, findings }: Pick<Walk, 'step' | 'findings'>, hole: Hole, place: Place): boolean {
  const isItem = '$item' in hole
  const path = isItem ? hole.$item : (hole.path ?? '')
  if (!isPointer(path)) {
    const hint =
      'A pointer is empty or begins with "/": "/rows/0/name". Write "~" as "~0", and a "/" inside a name as "~1".'
    findings.push(
      problem(
        'REFERENCE_PATH',
        [...place, isItem ? '$item' : 'path'],
        step.id,
        `Step "${step.id}": "${path}" is not a JSON Pointer.`,
        hint,
      ),
    )
    return false
  }
  if (isItem && step.forEach === undefined) {
    const message = `Step "${step.id}" speaks of an item ("$item"), and goes over none.`
    findings.push(
      problem(
        'ITEM_OUTSIDE_FOR_EACH',
        place,
        step.id,
        message,
        'Give the step a "forEach", or refer to a step with "$from".',
      ),
    )
    return false
  }
  return true
}

/** `$from` and `$item` mean references: an object that has one and is none would be handed to the tool as it stands. */
function lookAtMistake({ step, findings }: Walk, value: object, place: Place): void {
  if (!isJsonObject(value)) return
  for (const key of ['$from', '$item'] as const) {
    if (!Object.hasOwn(value, key)) continue
    const form = key === '$from' ? '{"$from": "stepId", "path": "/field"}' : '{"$item": "/field"}'
    findings.push(
      problem(
        'PLAN_SHAPE',
        place,
        step.id,
        `Step "${step.id}" has an object with "${key}" that is not a reference.`,
        `A reference is ${form}, and has nothing else.`,
      ),
    )
  }
}

// Whole texts in the notation of others (`$1`, `#E2`, `${3}`), and `${…}` or `{{…}}` that name a step of this plan.
const placeholder = /^(?:\$\d{1,4}|#E\d{1,4})$|\$\{\d{1,4}\}/
const template = /\$\{\s*([\w\-:/[\]]{1,200})[^}]{0,200}\}|\{\{\s*([\w\-:/[\]]{1,200})[^}]{0,200}\}\}/g

/** Text that looks like a reference of some other notation is handed to the tool as it stands, which is seldom meant. */
function lookAtText({ step, ids, findings }: Walk, text: string, place: Place): false {
  if (!text.includes('$') && !text.includes('{{') && !text.startsWith('#E')) return false
  const start = text.slice(0, planLimits.textLength)
  const mark = placeholder.exec(start)?.[0] ?? namedIn(start, ids)
  if (mark === undefined) return false
  const message = `Step "${step.id}" has the text "${mark}", which is not filled in: the tool gets it as it stands.`
  findings.push(
    warning(
      'TEMPLATE_IN_TEXT',
      place,
      step.id,
      message,
      'Write a reference in place of the text: {"$from": "stepId", "path": "/field"}.',
    ),
  )
  return false
}

function namedIn(text: string, ids: ReadonlySet<string>): string | undefined {
  for (const [mark, one, two] of text.matchAll(template)) {
    const name = one ?? two ?? ''
    if (ids.has(name) || ids.has(name.replace(/^steps?[.:/]/, ''))) return mark
  }
  return undefined
}
