// What stands inside an input: references and how they lead, text that only looks like one, and how deep it goes.
import type { Finding } from '../finding.ts'
import { isJsonObject, type Json } from '../json.ts'
import { isPointer } from '../pointer.ts'
import { isItemPointer, isReference } from '../references.ts'
import { planLimits } from '../schema.ts'
import type { Hole } from './fit.ts'
import { idOfStep, nameOfStep, type PlacedStep, type PlanView } from './planView.ts'
import { problem, quoted, warning, type Place } from './report.ts'

export interface Walk {
  readonly placed: PlacedStep
  readonly place: Place
  readonly view: PlanView
  readonly findings: Finding[]
  readonly onHole: (hole: Hole, place: Place) => void
  /** Set when something lies too deep: that is said once. */
  isTooDeep: boolean
}

/** @returns whether there is a reference in the value, or what was meant as one. */
export function walkValue(walk: Walk, value: Json, place: Place = walk.place): boolean {
  if (typeof value === 'string') return lookAtText(walk, value, place)
  if (typeof value !== 'object' || value === null) return false
  if (isReference(value) || isItemPointer(value)) {
    if (isWellFormed(walk, value, place)) walk.onHole(value, place)
    return true
  }
  if (place.length - walk.place.length > planLimits.inputDepth) {
    if (walk.isTooDeep) return false
    walk.isTooDeep = true
    const message = `${nameOfStep(walk.placed)}: the input is nested deeper than ${planLimits.inputDepth} levels.`
    const hint = 'Flatten it, or hand the value over as the output of a step.'
    walk.findings.push(problem('PLAN_TOO_LARGE', place, idOfStep(walk.placed), message, hint))
    return false
  }
  if (lookAtMistake(walk, value, place)) return true
  let isHolder = false
  if (Array.isArray(value)) {
    for (const [index, item] of (value as readonly Json[]).entries())
      if (walkValue(walk, item, [...place, index])) isHolder = true
  } else {
    for (const key of Object.keys(value))
      if (walkValue(walk, (value as Record<string, Json>)[key] as Json, [...place, key])) isHolder = true
  }
  if (isHolder) walk.view.holders.add(value)
  return isHolder
}

export function isWellFormed({ placed, findings }: Walk, hole: Hole, place: Place): boolean {
  const isItem = '$item' in hole
  const path = isItem ? hole.$item : (hole.path ?? '')
  if (!isPointer(path)) {
    const hint =
      'A pointer is empty or begins with "/": "/rows/0/name". Write "~" as "~0", and a "/" inside a name as "~1".'
    findings.push(
      problem(
        'REFERENCE_PATH',
        [...place, isItem ? '$item' : 'path'],
        idOfStep(placed),
        `${nameOfStep(placed)}: ${quoted(path)} is not a JSON Pointer.`,
        hint,
      ),
    )
    return false
  }
  if (isItem && placed.step.forEach === undefined && !placed.unread.has('forEach')) {
    const message = `${nameOfStep(placed)} speaks of an item ("$item"), and goes over none.`
    findings.push(
      problem(
        'ITEM_OUTSIDE_FOR_EACH',
        place,
        idOfStep(placed),
        message,
        'Give the step a "forEach", or refer to a step with "$from".',
      ),
    )
    return false
  }
  return true
}

/** `$from` and `$item` mean references: an object that has one and is none would be handed to the tool as it stands. */
function lookAtMistake({ placed, view, findings }: Walk, value: object, place: Place): boolean {
  if (!isJsonObject(value)) return false
  const key = (['$from', '$item'] as const).find((name) => Object.hasOwn(value, name))
  if (key === undefined) return false
  view.mistakes.add(value)
  const form = key === '$from' ? '{"$from": "stepId", "path": "/field"}' : '{"$item": "/field"}'
  const message = `${nameOfStep(placed)} has an object with "${key}" that is not a reference.`
  const hint = `A reference is ${form}, and has nothing else.`
  findings.push(problem('PLAN_SHAPE', place, idOfStep(placed), message, hint))
  return true
}

// Whole texts in the notation of others (`$1`, `#E2`, `${3}`), and `${…}` or `{{…}}` that name a step of this plan.
const placeholder = /^(?:\$\d{1,4}|#E\d{1,4})$|\$\{\d{1,4}\}/
const template = /\$\{\s*([\w\-:/[\]]{1,200})[^}]{0,200}\}|\{\{\s*([\w\-:/[\]]{1,200})[^}]{0,200}\}\}/g

/** Text that looks like a reference of some other notation is handed to the tool as it stands, which is seldom meant. */
function lookAtText({ placed, view, findings }: Walk, text: string, place: Place): false {
  if (!text.includes('$') && !text.includes('{{') && !text.startsWith('#E')) return false
  const start = text.slice(0, planLimits.textLength)
  const mark = placeholder.exec(start)?.[0] ?? namedIn(start, view.ids)
  if (mark === undefined) return false
  const message = `${nameOfStep(placed)} has the text ${quoted(mark)}, which is not filled in: the tool gets it as it stands.`
  findings.push(
    warning(
      'TEMPLATE_IN_TEXT',
      place,
      idOfStep(placed),
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
