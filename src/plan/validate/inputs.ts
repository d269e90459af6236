// Tools, executors and inputs: what can be said of a step before anything has run.
import type { Finding } from '../finding.ts'
import { isJsonObject, type JsonObject, type JsonSchema } from '../json.ts'
import { isItemPointer, toReference } from '../references.ts'
import type { Step } from '../schema.ts'
import type { ToolCatalogue } from '../toolDescription.ts'
import { findConflict } from './conflict.ts'
import { misfits, type Hole, type Misfit } from './fit.ts'
import { Flow } from './flow.ts'
import type { PlacedStep, PlanView } from './planView.ts'
import { problem, Suggestions, warning, type Place } from './report.ts'
import type { Typed } from './schemaPaths.ts'
import { isWellFormed, walkValue, type Walk } from './values.ts'

export interface World {
  readonly tools: ToolCatalogue | undefined
  readonly executors: readonly string[] | undefined
}

export function checkInputs(view: PlanView, { tools, executors }: World): Finding[] {
  const findings: Finding[] = []
  const flow = new Flow(view.byId, tools)
  const likeTools = new Suggestions(tools?.keys() ?? [])
  const likeExecutors = new Suggestions(executors ?? [])
  for (const placed of view.steps) {
    const { step, index } = placed
    if (tools !== undefined && step.tool !== undefined && !tools.has(step.tool)) {
      const message = `Step "${step.id}" asks for the tool "${step.tool}", which is not there.`
      findings.push(
        problem(
          'TOOL_UNKNOWN',
          ['steps', index, 'tool'],
          step.id,
          message,
          likeTools.hint(step.tool, 'Register it, or use another.'),
        ),
      )
    }
    if (executors !== undefined && step.executor !== undefined && !executors.includes(step.executor)) {
      const hint = likeExecutors.hint(step.executor, `There are: ${executors.join(', ')}.`)
      findings.push(
        problem(
          'EXECUTOR_UNKNOWN',
          ['steps', index, 'executor'],
          step.id,
          `There is no executor "${step.executor}".`,
          hint,
        ),
      )
    }
    checkStep(placed, view, flow, tools, findings)
  }
  return findings
}

function checkStep(
  { step, index }: PlacedStep,
  view: PlanView,
  flow: Flow,
  tools: ToolCatalogue | undefined,
  findings: Finding[],
): void {
  const typesOf = (hole: Hole): readonly Typed[] => {
    return '$item' in hole ? flow.atItem(step, hole.$item) : flow.at(toReference(hole))
  }
  const onHole = (hole: Hole, place: Place): void => {
    if (typesOf(hole).some(({ schema }) => schema === false)) findings.push(leadsNowhere(step, hole, place, view))
  }
  const walk: Walk = { step, place: ['steps', index, 'input'], ids: view.ids, findings, holders: view.holders, onHole }
  const before = findings.length
  if (step.input !== undefined) walkValue(walk, step.input)
  if (step.forEach) checkForEach({ step, index }, walk, flow)
  if (step.when) checkWhen({ step, index }, walk, typesOf)
  const tool = step.tool === undefined ? undefined : tools?.get(step.tool)
  if (tool === undefined || findings.slice(before).some(({ code }) => code === 'PLAN_TOO_LARGE')) return
  const { holders } = walk
  findings.push(...mistyped(step, walk.place, tool.input))
  for (const misfit of misfits({ root: tool.input, holders, typesOf }, step.input ?? {}))
    findings.push(inputFinding(step, walk.place, misfit))
}

/** A property that the schema lets pass, but does not know, and whose name is nearly that of one that is not there. */
function mistyped(step: Step, place: Place, schema: JsonSchema): Finding[] {
  const { input } = step
  if (input === undefined || !isJsonObject(schema) || !isJsonObject(schema.properties) || !isOpen(schema)) return []
  const { properties } = schema
  const unknown = Object.keys(input).filter((name) => !Object.hasOwn(properties, name) && name.length > 3)
  if (unknown.length === 0) return []
  const free = new Suggestions(Object.keys(properties).filter((name) => !Object.hasOwn(input, name)))
  return unknown.flatMap((name) => {
    const like = free.nearest(name)
    if (like === undefined) return []
    const message = `Step "${step.id}" has an input "${name}", which tool "${step.tool ?? ''}" does not know.`
    return [warning('INPUT_UNKNOWN', [...place, name], step.id, message, `Did you mean "${like}"?`)]
  })
}

/** Whether all names that a schema knows are in its `properties`, and others may come. */
function isOpen(schema: JsonObject): boolean {
  const more = ['additionalProperties', 'patternProperties', 'unevaluatedProperties', '$ref', 'allOf', 'anyOf', 'oneOf']
  return !more.some((keyword) => Object.hasOwn(schema, keyword))
}

function checkForEach({ step, index }: PlacedStep, walk: Walk, flow: Flow): void {
  const place: Place = ['steps', index, 'forEach']
  if (step.forEach === undefined || !isWellFormed(walk, step.forEach, place)) return
  walk.onHole(step.forEach, place)
  for (const given of flow.at(step.forEach)) {
    const conflict = given.schema === false ? undefined : findConflict(given, { schema: { type: 'array' }, root: true })
    if (conflict === undefined) continue
    const message = `Step "${step.id}" goes over ${nameOfHole(step.forEach)}, which is ${conflict.given} and no array.`
    walk.findings.push(problem('REFERENCE_TYPE', place, step.id, message, 'Refer to an array, or take "forEach" out.'))
  }
}

function checkWhen({ step, index }: PlacedStep, walk: Walk, typesOf: (hole: Hole) => readonly Typed[]): void {
  if (step.when === undefined) return
  const { value, is } = step.when
  const place: Place = ['steps', index, 'when', 'value']
  if (!isWellFormed(walk, value, place)) return
  walk.onHole(value, place)
  if (step.onSkipped === 'run') return // what it speaks of may be null
  for (const given of typesOf(value)) {
    const conflict = given.schema === false ? undefined : findConflict(given, { schema: is, root: is })
    if (conflict === undefined || is === false) continue
    const message = `Step "${step.id}" never runs: ${nameOfHole(value)} is ${conflict.given}, and its condition wants ${conflict.wanted}.`
    walk.findings.push(warning('STEP_UNREACHABLE', ['steps', index, 'when'], step.id, message, 'Mend the condition.'))
    return
  }
}

function leadsNowhere(step: Step, hole: Hole, place: Place, { byId }: PlanView): Finding {
  const giver = isItemPointer(hole) ? undefined : byId.get(toReference(hole).$from)
  const message = `Step "${step.id}" refers to ${nameOfHole(hole)}, and nothing is there.`
  const hint =
    giver?.forEach === undefined
      ? 'Look at the output schema of the tool that gives it.'
      : `"${giver.id}" gives an array with the output for each item: go over it with "forEach" and "$item", or begin the path with an index.`
  return problem('REFERENCE_PATH', place, step.id, message, hint)
}

function inputFinding(step: Step, place: Place, { code, path, message, name, names, conflict }: Misfit): Finding {
  const at = path === '' ? '' : ` at "${path}"`
  if (conflict !== undefined) {
    const inside = conflict.path === '' ? '' : ` (at "${conflict.path}" in it)`
    const text = `Step "${step.id}" needs ${conflict.wanted}${at}, and the reference there gives ${conflict.given}${inside}.`
    return problem(code, place, step.id, text, 'Refer to another place, or put a step between that converts it.', path)
  }
  const text = `Step "${step.id}" has an input that does not fit tool "${step.tool ?? ''}"${at}: ${message}.`
  const free = names === undefined || names.length === 0 ? '' : ` There are: ${names.slice(0, 10).join(', ')}.`
  const hint =
    code === 'INPUT_UNKNOWN'
      ? new Suggestions(names ?? []).hint(name ?? '', `Take it out.${free}`)
      : 'Look at the input schema of the tool.'
  return problem(code, place, step.id, text, hint, path)
}

function nameOfHole(hole: Hole): string {
  if ('$item' in hole) return hole.$item === '' ? 'its item' : `"${hole.$item}" in its item`
  const { $from, path } = toReference(hole)
  return path === '' ? `the output of "${$from}"` : `"${path}" in the output of "${$from}"`
}
