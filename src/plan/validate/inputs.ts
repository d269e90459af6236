// Tools, executors and inputs: what can be said of a step before anything has run.
import type { Finding } from '../finding.ts'
import { isJsonObject, type JsonSchema } from '../json.ts'
import { toReference } from '../references.ts'
import type { ToolCatalogue, ToolDescription } from '../toolDescription.ts'
import { findConflict } from './conflict.ts'
import { misfits, type Hole } from './fit.ts'
import { findNoArray, Flow } from './flow.ts'
import { inputFindings, leadsNowhere, nameOfHole } from './inputFindings.ts'
import { NameCheck } from './names.ts'
import { idOfStep, nameOfStep, type PlacedStep, type PlanView } from './planView.ts'
import { problem, quoted, Suggestions, warning, type Place } from './report.ts'
import { hasOnlyItsProperties, type Typed } from './schemaPaths.ts'
import { isWellFormed, walkValue, type Walk } from './values.ts'

export interface World {
  readonly tools: ToolCatalogue | undefined
  readonly executors: readonly string[] | undefined
}

export function checkInputs(view: PlanView, { tools, executors }: World): Finding[] {
  const findings: Finding[] = []
  const flow = new Flow(view, tools)
  const names = new NameCheck(tools, executors)
  for (const placed of view.steps) {
    findings.push(...names.check(placed))
    checkStep(placed, view, flow, tools, findings)
  }
  return findings
}

function checkStep(
  placed: PlacedStep,
  view: PlanView,
  flow: Flow,
  tools: ToolCatalogue | undefined,
  findings: Finding[],
): void {
  const { step, index, unread } = placed
  const typesOf = (hole: Hole): readonly Typed[] => {
    return '$item' in hole ? flow.atItem(step, hole.$item) : flow.at(toReference(hole))
  }
  const onHole = (hole: Hole, place: Place): void => {
    if (typesOf(hole).some(({ schema }) => schema === false))
      findings.push(leadsNowhere(placed, hole, place, view, flow))
  }
  const walk: Walk = { placed, place: ['steps', index, 'input'], view, findings, onHole, isTooDeep: false }
  if (step.input !== undefined) walkValue(walk, step.input)
  if (!unread.has('forEach')) checkForEach(walk, flow)
  if (!unread.has('when')) checkWhen(walk, typesOf)
  const tool = step.tool === undefined ? undefined : tools?.get(step.tool)
  if (tool === undefined || walk.isTooDeep || unread.has('input')) return
  findings.push(...mistyped(placed, walk.place, tool))
  const { holders, mistakes } = view
  const found = misfits({ root: tool.input, holders, mistakes, typesOf }, step.input ?? {})
  findings.push(...inputFindings(placed, walk.place, found))
}

/** A property that the schema lets pass, but does not know, and whose name is nearly that of one that is not there. */
function mistyped(placed: PlacedStep, place: Place, { name: toolName, input: schema }: ToolDescription): Finding[] {
  const { input } = placed.step
  if (input === undefined || !isJsonObject(schema) || !isJsonObject(schema.properties) || !hasOnlyItsProperties(schema))
    return []
  const { properties } = schema
  const unknown = Object.keys(input).filter((name) => !Object.hasOwn(properties, name) && name.length > 3)
  if (unknown.length === 0) return []
  const free = new Suggestions(Object.keys(properties).filter((name) => !Object.hasOwn(input, name)))
  return unknown.flatMap((name) => {
    const like = free.nearest(name)
    if (like === undefined) return []
    const message = `${nameOfStep(placed)} has an input ${quoted(name)}, which tool "${toolName}" does not know.`
    return [warning('INPUT_UNKNOWN', [...place, name], idOfStep(placed), message, `Did you mean ${quoted(like)}?`)]
  })
}

function checkForEach(walk: Walk, flow: Flow): void {
  const { placed, findings } = walk
  const { forEach } = placed.step
  const place: Place = ['steps', placed.index, 'forEach']
  if (forEach === undefined || !isWellFormed(walk, forEach, place)) return
  walk.onHole(forEach, place)
  for (const given of flow.at(forEach)) {
    const conflict = given.schema === false ? undefined : findNoArray(given)
    if (conflict === undefined) continue
    const message = `${nameOfStep(placed)} goes over ${nameOfHole(forEach)}, which is ${conflict.given} and no array.`
    const hint = 'Refer to an array, or take "forEach" out.'
    findings.push(problem('REFERENCE_TYPE', place, idOfStep(placed), message, hint))
    return
  }
}

function checkWhen(walk: Walk, typesOf: (hole: Hole) => readonly Typed[]): void {
  const { placed, view, findings } = walk
  const { when, onSkipped } = placed.step
  if (when === undefined) return
  const { value, is } = when
  if (!isWellFormed(walk, value, ['steps', placed.index, 'when', 'value'])) return
  walk.onHole(value, ['steps', placed.index, 'when', 'value'])
  if (onSkipped === 'run' || placed.unread.has('onSkipped')) return // what it speaks of may be null
  const conflict = isUsable(is, view) ? firstConflict(typesOf(value), is) : undefined
  if (conflict === undefined) return
  const message = `${nameOfStep(placed)} never runs: ${nameOfHole(value)} is ${conflict.given}, and its condition wants ${conflict.wanted}.`
  const hint = 'Refer to another place, or give "is" a schema that such a value can fit.'
  findings.push(warning('STEP_UNREACHABLE', ['steps', placed.index, 'when'], idOfStep(placed), message, hint))
}

function isUsable(schema: JsonSchema, { badSchemas }: PlanView): boolean {
  return schema !== false && !badSchemas.has(schema)
}

function firstConflict(types: readonly Typed[], is: JsonSchema): ReturnType<typeof findConflict> {
  for (const given of types) {
    const conflict = given.schema === false ? undefined : findConflict(given, { schema: is, root: is })
    if (conflict !== undefined) return conflict
  }
  return undefined
}
