// What zod says about the shape of a plan, in words for whoever wrote it.
import type { z } from 'zod'
import type { Finding } from '../finding.ts'
import { isJsonObject, type Json, type JsonObject } from '../json.ts'
import { getPointer, formatPointer } from '../pointer.ts'
import * as format from '../schema.ts'
import { problem, Suggestions, type Place } from './report.ts'

export function findingsOf(issue: z.core.$ZodIssue, plan: JsonObject): Finding[] {
  const place: Place = issue.path.map((part) => (typeof part === 'symbol' ? String(part) : part))
  const stepId = stepIdAt(plan, place)
  const whose =
    stepId === undefined
      ? place[0] === 'steps' && place.length > 1
        ? `Step ${place[1] ?? ''}`
        : 'The plan'
      : `Step "${stepId}"`
  if (issue.code === 'unrecognized_keys') {
    const known = fieldsAt(place)
    return issue.keys.map((key) => {
      const message = `${whose}: there is no field "${key}"${place.length > 0 ? ` in "${formatPointer(place)}"` : ''}.`
      return problem(
        'PLAN_SHAPE',
        [...place, key],
        stepId,
        message,
        known.hint(key, 'Take it out; the plan format lists the fields there are.'),
      )
    })
  }
  const came = getPointer(plan, formatPointer(place))
  const field = place.at(-1) ?? ''
  const message =
    came === undefined
      ? `${whose}: "${field}" is missing.`
      : `${whose}: "${field}" ${expectation(issue)}; got ${describe(came)}.`
  return [problem('PLAN_SHAPE', place, stepId, message, hintFor(place))]
}

function expectation(issue: z.core.$ZodIssue): string {
  switch (issue.code) {
    case 'invalid_type':
      return `must be ${article(issue.expected)}`
    case 'invalid_value':
      return `must be ${issue.values.map((value) => JSON.stringify(value)).join(' or ')}`
    case 'invalid_union':
      return 'must be a reference {"$from": "stepId", "path": "/field"} or {"$item": "/field"}'
    case 'too_big':
      return `must be at most ${issue.maximum}${issue.origin === 'string' ? ' characters long' : ''}`
    case 'too_small':
      if (issue.origin === 'string') return 'must not be empty'
      return `must be ${issue.inclusive === false ? 'more than' : 'at least'} ${issue.minimum}`
    case 'custom':
    case 'invalid_format':
    case 'invalid_key':
    case 'invalid_element':
    case 'not_multiple_of':
    case 'unrecognized_keys':
      return issue.message.replace(/^Invalid input: /, '')
  }
}

function article(type: string): string {
  if (type === 'int') return 'a whole number'
  return /^[aeiou]/.test(type) ? `an ${type}` : `a ${type}`
}

function hintFor(place: Place): string {
  const [first, , field] = place
  if (first === 'steps' && field === 'id')
    return 'An id begins with a letter or digit and holds only letters, digits and _ - . : / [ ].'
  return 'See the plan format for what belongs here.'
}

const stepFields = new Suggestions(Object.keys(format.stepSchema.shape))
const planFields = new Suggestions(Object.keys(format.planSchema.shape))
const none = new Suggestions([])

function fieldsAt(place: Place): Suggestions {
  if (place.length === 0) return planFields
  return place[0] === 'steps' && place.length === 2 ? stepFields : none
}

function stepIdAt(plan: JsonObject, place: Place): string | undefined {
  if (place[0] !== 'steps' || place.length < 2) return undefined
  const step = getPointer(plan, formatPointer(place.slice(0, 2)))
  return isJsonObject(step) && typeof step.id === 'string' ? step.id.slice(0, format.planLimits.idLength) : undefined
}

function describe(value: Json): string {
  if (Array.isArray(value)) return 'an array'
  if (isJsonObject(value)) return 'an object'
  const text = JSON.stringify(value)
  return text.length > 60 ? `${text.slice(0, 57)}…` : text
}
