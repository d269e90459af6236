// What zod says about the shape of a plan, in words for whoever wrote it.
import type { z } from 'zod'
import type { Finding } from '../finding.ts'
import { isJsonObject, type Json, type JsonObject } from '../json.ts'
import { formatPointer, getPointer } from '../pointer.ts'
import { planLimits } from '../schema.ts'
import { exampleAt, exampleText } from './examplePlan.ts'
import { meantBy } from './keys.ts'
import { problem, quoted, type Place } from './report.ts'

export interface IssueContext {
  /** The plan as it was read. */
  readonly plan: JsonObject
  /** Pointers to parts that could not be read: what is said of those has been said. */
  readonly lost: ReadonlySet<string>
  /** Ids that other steps refer to, and that a step without an id may have. */
  readonly guessedIds: ReadonlySet<string>
}

/** Says each thing once: that a field is missing is not said where it is there under a misspelt name. */
export function findingsOf(issues: readonly z.core.$ZodIssue[], context: IssueContext): Finding[] {
  const said = new Set(context.lost)
  const findings: Finding[] = []
  const precise = issues.flatMap((issue) => refine(issue, context.plan))
  for (const issue of precise) {
    if (issue.code !== 'unrecognized_keys') continue
    const place = placeOf(issue)
    for (const key of issue.keys) {
      const meant = meantAt(context.plan, place, key)
      if (meant !== undefined) said.add(formatPointer([...place, meant]))
      findings.push(unknownKey(context.plan, place, key, meant))
    }
  }
  for (const issue of precise) {
    const place = placeOf(issue)
    if (issue.code !== 'unrecognized_keys' && !said.has(formatPointer(place)))
      findings.push(misshapen(issue, place, context))
  }
  return findings
}

/** A key that is no field, or stands for one that was meant. */
export function unknownKey(plan: JsonObject, place: Place, key: string, meant: string | undefined): Finding {
  const example = exampleAt(place)
  const fields = isJsonObject(example) ? Object.keys(example) : []
  const where = place.length === 0 ? '' : ` in "${formatPointer(place)}"`
  const hint =
    meant === undefined
      ? `Take it out, or use one of the fields there are: ${fields.join(', ')}.`
      : `Did you mean "${meant}"?`
  const message = `${whoseAt(plan, place)}: there is no field ${quoted(key)}${where}.`
  return problem('PLAN_SHAPE', [...place, key], stepIdAt(plan, place), message, hint)
}

function misshapen(issue: z.core.$ZodIssue, place: Place, context: IssueContext): Finding {
  const { plan, guessedIds } = context
  const came = getPointer(plan, formatPointer(place))
  const whose = whoseAt(plan, place)
  const field = place.at(-1) ?? ''
  const stepId = stepIdAt(plan, place)
  if (came === undefined)
    return problem('PLAN_SHAPE', place, stepId, `${whose}: "${field}" is missing.`, additionOf(place, guessedIds))
  const isPart = place.length === 2 && typeof field === 'number'
  const message = `${whose}${isPart ? '' : `: ${nameOfPlace(place)}`} ${expectation(issue)}; got ${describe(came)}.`
  return problem('PLAN_SHAPE', place, stepId, message, correctionOf(issue, place, came, guessedIds))
}

/** What is wrong with a condition's value, by the alternative that was meant. */
function refine(issue: z.core.$ZodIssue, plan: JsonObject): z.core.$ZodIssue[] {
  if (issue.code !== 'invalid_union') return [issue]
  const value = getPointer(plan, formatPointer(placeOf(issue)))
  if (!isJsonObject(value)) return [issue]
  const meant = Object.hasOwn(value, '$from') ? 0 : Object.hasOwn(value, '$item') ? 1 : -1
  const inner = issue.errors[meant]
  return inner === undefined ? [issue] : inner.map((one) => ({ ...one, path: [...issue.path, ...one.path] }))
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

function additionOf(place: Place, guessedIds: ReadonlySet<string>): string {
  const field = place.at(-1) ?? ''
  if (isStepId(place) && guessedIds.size > 0) return `Add an id. ${guessOf(guessedIds)}`
  return `Add "${field}": ${exampleText(place) ?? '…'}, for example.`
}

function isStepId(place: Place): boolean {
  return place.length === 3 && place[0] === 'steps' && place[2] === 'id'
}

function guessOf(guessedIds: ReadonlySet<string>): string {
  const ids = [...guessedIds].slice(0, 5).map(quoted)
  return ids.length === 1
    ? `Perhaps "id": ${ids[0] ?? ''}, which other parts of the plan refer to, and which no step has.`
    : `Other parts of the plan refer to ${ids.join(', ')}, and no step has these.`
}

function correctionOf(issue: z.core.$ZodIssue, place: Place, came: Json, guessedIds: ReadonlySet<string>): string {
  const field = place.at(-1)
  if (isStepId(place) && guessedIds.size > 0) return guessOf(guessedIds)
  if (issue.code === 'too_big' && issue.origin === 'string')
    return `Shorten it to ${issue.maximum} characters or fewer.`
  const example = exampleText(place)
  if (issue.code === 'invalid_format' && issue.pattern === undefined) return 'Write it in the form that is asked for.'
  if (typeof came === 'string' && issue.code === 'invalid_format')
    return `An id begins with a letter or digit and holds only letters, digits and _ - . : / [ ], as in ${example ?? '"read"'}.`
  if (example === undefined) return 'See the plan format for what belongs here.'
  return typeof field === 'string'
    ? `Write it as in "${field}": ${example}${field === 'expanded' || field === 'item' ? ', or take it out' : ''}.`
    : `Write it as in ${example}.`
}

function placeOf(issue: z.core.$ZodIssue): Place {
  return issue.path.map((part) => (typeof part === 'symbol' ? String(part) : part))
}

function meantAt(plan: JsonObject, place: Place, key: string): string | undefined {
  const value = getPointer(plan, formatPointer(place))
  const example = exampleAt(place)
  return isJsonObject(value) && isJsonObject(example) ? meantBy(key, Object.keys(example), value) : undefined
}

function whoseAt(plan: JsonObject, place: Place): string {
  if (place[0] === 'steps' && place.length > 1) {
    const id = stepIdAt(plan, place)
    return id === undefined ? `Step ${place[1] ?? ''}` : `Step ${quoted(id)}`
  }
  return place[0] === 'assumptions' && place.length > 1 ? `Assumption ${place[1] ?? ''}` : 'The plan'
}

/** The field, or the item of which field. */
function nameOfPlace(place: Place): string {
  const field = place.at(-1) ?? ''
  return typeof field === 'number' ? `item ${field} of "${place.at(-2) ?? ''}"` : quoted(field)
}

function stepIdAt(plan: JsonObject, place: Place): string | undefined {
  if (place[0] !== 'steps' || place.length < 2) return undefined
  const step = getPointer(plan, formatPointer(place.slice(0, 2)))
  if (!isJsonObject(step) || typeof step['id'] !== 'string' || step['id'] === '') return undefined
  return step['id'].slice(0, planLimits.idLength)
}

function describe(value: Json): string {
  if (Array.isArray(value)) return 'an array'
  if (isJsonObject(value)) return 'an object'
  const text = JSON.stringify(value)
  return text.length > 60 ? `${text.slice(0, 57)}…` : text
}
