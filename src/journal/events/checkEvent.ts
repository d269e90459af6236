// What somebody else wrote as an event, looked at before it is taken for one.
import type { z } from 'zod'
import { formatPointer } from '../../plan/pointer.ts'
import { schemaOf } from './eventSchemas.ts'

/** Arrays and objects inside each other: far more than any value of a run may have, and few enough for every walk through it. */
const deepest = 1_000

/** What keeps a value from being event number `seq` of a run, in words; undefined where it is one. */
export function faultOf(value: unknown, seq: number): string | undefined {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return `is no event, but ${nameOf(value)}`
  const { seq: found, type } = value as { readonly seq?: unknown; readonly type?: unknown }
  if (found !== seq) return `has event ${brief(found)} where ${seq} should be`
  if (isDeeper(value, deepest)) return `holds values inside each other, more than ${deepest} levels deep`
  const schema = typeof type === 'string' ? schemaOf(type) : undefined
  if (schema === undefined) return `has an event of type ${brief(type)}, which this version does not know`
  if ((type === 'run.started') !== (seq === 0))
    return seq === 0 ? `begins with ${brief(type)} and not with "run.started"` : 'has a second "run.started"'
  const issue = schema.safeParse(value).error?.issues[0]
  return issue && `has an event "${String(type)}" that is none: ${inWords(issue)}`
}

/** The deepest place that the choice which comes nearest complains of. */
function inWords(issue: z.core.$ZodIssue, above: readonly PropertyKey[] = []): string {
  const path = [...above, ...issue.path]
  if (issue.code === 'invalid_union' && issue.errors.length > 0) {
    const [nearest] = issue.errors.toSorted((a, b) => depthOf(b) - depthOf(a))
    if (nearest?.[0]) return inWords(nearest[0], path)
  }
  return `${issue.message} at ${brief(formatPointer(path.map(String)))}`
}

function depthOf(issues: readonly z.core.$ZodIssue[]): number {
  return Math.max(0, ...issues.map(({ path }) => path.length))
}

/** Without recursion, which a deep value would not survive. */
function isDeeper(value: object, levels: number): boolean {
  let level: object[] = [value]
  for (let depth = 1; level.length > 0; depth++) {
    if (depth > levels) return true
    level = level.flatMap((one) => Object.values(one).filter(isObject))
  }
  return false
}

function isObject(value: unknown): value is object {
  return typeof value === 'object' && value !== null
}

function nameOf(value: unknown): string {
  if (value === undefined) return 'text that cannot be read as JSON'
  return value === null ? 'null' : Array.isArray(value) ? 'a list' : `a ${typeof value}`
}

function brief(value: unknown): string {
  const text = value === undefined ? 'none' : JSON.stringify(value)
  return text.length > 200 ? `${text.slice(0, 200)}…` : text
}
