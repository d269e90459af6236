// Tools and inputs: what can be said of a step's input before anything has run.
import type { Finding } from '../finding.ts'
import type { Json, JsonObject, JsonSchema } from '../json.ts'
import { isJsonObject } from '../json.ts'
import { checkSchema } from '../jsonSchemaCheck.ts'
import { isPointer } from '../pointer.ts'
import { isItemPointer, isReference } from '../references.ts'
import type { Plan, Reference, Step } from '../schema.ts'
import type { ToolCatalogue } from '../toolDescription.ts'
import type { ValidateOptions } from '../validate.ts'
import { nearest } from './graph.ts'
import { problem, warning } from './report.ts'
import { certainTypes, descend, itemSchema, mayFit, schemaAt } from './typeFlow.ts'

type Place = readonly (string | number)[]

interface Scope {
  readonly step: Step
  readonly byId: ReadonlyMap<string, Step>
  readonly tools: ToolCatalogue | undefined
  readonly item: JsonSchema | undefined
  readonly findings: Finding[]
}

export function checkInputs(plan: Plan, byId: ReadonlyMap<string, Step>, { tools, executors }: ValidateOptions): Finding[] {
  const findings: Finding[] = []
  for (const [index, step] of plan.steps.entries()) {
    const place: Place = ['steps', index]
    const scope: Scope = { step, byId, tools, item: tools && itemSchema(step, byId, tools), findings }
    if (step.when && isItemPointer(step.when.value) && !step.forEach) itemOutside(scope, [...place, 'when', 'value'])
    if (executors && step.executor !== undefined && !executors.includes(step.executor)) {
      const like = nearest(step.executor, executors)
      const hint = like === undefined ? `There are: ${executors.join(', ')}.` : `Did you mean "${like}"?`
      findings.push(problem('EXECUTOR_UNKNOWN', [...place, 'executor'], step.id, `There is no executor "${step.executor}".`, hint))
    }
    const tool = step.tool === undefined ? undefined : tools?.get(step.tool)
    if (tools && step.tool !== undefined && tool === undefined) {
      const like = nearest(step.tool, tools.keys())
      const message = `Step "${step.id}" asks for the tool "${step.tool}", which is not there.`
      findings.push(problem('TOOL_UNKNOWN', [...place, 'tool'], step.id, message, like === undefined ? 'Register it, or use another.' : `Did you mean "${like}"?`))
    }
    checkValue(scope, step.input ?? {}, tool?.input, [...place, 'input'])
  }
  return findings
}

/** Checks a value that may hold references against the schema of the place it stands in (`undefined`: anything goes). */
function checkValue(scope: Scope, value: Json, schema: JsonSchema | undefined, place: Place): void {
  if (isReference(value)) checkReference(scope, value, schema, place)
  else if (isItemPointer(value)) checkItem(scope, value.$item, schema, place)
  else if (Array.isArray(value)) {
    const items = isJsonObject(schema) && isJsonObject(schema.items) ? schema.items : undefined
    for (const [index, item] of (value as readonly Json[]).entries()) checkValue(scope, item, items, [...place, index])
    if (!holdsReference(value)) checkLiteral(scope, value, schema, place, false)
  } else if (isJsonObject(value)) checkObject(scope, value, schema, place)
  else {
    if (typeof value === 'string') checkText(scope, value, place)
    checkLiteral(scope, value, schema, place, true)
  }
}

function checkObject(scope: Scope, value: JsonObject, schema: JsonSchema | undefined, place: Place): void {
  const { step, findings } = scope
  const fields = isJsonObject(schema) && isJsonObject(schema.properties) ? schema.properties : undefined
  for (const key of Object.keys(value)) {
    const field = fields && Object.hasOwn(fields, key) ? (fields[key] as JsonSchema) : undefined
    if (fields && field === undefined && isJsonObject(schema) && schema.additionalProperties === false) {
      const like = nearest(key, Object.keys(fields))
      const hint = like === undefined ? `There are: ${Object.keys(fields).join(', ') || 'none'}.` : `Did you mean "${like}"?`
      findings.push(problem('INPUT_UNKNOWN', [...place, key], step.id, `"${step.tool ?? step.id}" takes no "${key}".`, hint))
    } else checkValue(scope, value[key] as Json, field, [...place, key])
  }
  if (!isJsonObject(schema) || !Array.isArray(schema.required)) return
  for (const key of schema.required as readonly string[]) {
    if (Object.hasOwn(value, key)) continue
    const message = `"${step.tool ?? step.id}" needs "${key}", and step "${step.id}" does not give it.`
    findings.push(problem('INPUT_MISSING', [...place, key], step.id, message, 'Write a value, or a reference to the output of a step before it.'))
  }
}

function checkLiteral({ step, findings }: Scope, value: Json, schema: JsonSchema | undefined, place: Place, isLeaf: boolean): void {
  if (schema === undefined) return
  for (const { path, message } of checkSchema(schema, value)) {
    if (!isLeaf && path !== '') continue // the element has been looked at on its own
    findings.push(problem('INPUT_INVALID', place, step.id, `Step "${step.id}": ${message}`, 'Write a value that fits the input schema of the tool.'))
  }
}

function checkReference(scope: Scope, reference: Reference, schema: JsonSchema | undefined, place: Place): void {
  const { step, byId, tools, findings } = scope
  const path = (reference as { readonly path?: string }).path ?? ''
  if (!isPointer(path)) {
    findings.push(problem('REFERENCE_PATH', place, step.id, `"${path}" is not a JSON Pointer.`, 'A pointer is empty or begins with "/".'))
    return
  }
  if (!tools) return
  const given = schemaAt({ $from: reference.$from, path }, byId, tools)
  compare(scope, given, schema, place, `"${path}" of "${reference.$from}"`)
}

function checkItem(scope: Scope, pointer: string, schema: JsonSchema | undefined, place: Place): void {
  if (!scope.step.forEach) itemOutside(scope, place)
  else if (!isPointer(pointer)) {
    scope.findings.push(problem('REFERENCE_PATH', place, scope.step.id, `"${pointer}" is not a JSON Pointer.`, 'A pointer is empty or begins with "/".'))
  } else compare(scope, descend(scope.item, pointer), schema, place, `"${pointer}" of the item`)
}

function itemOutside({ step, findings }: Scope, place: Place): void {
  const message = `Step "${step.id}" speaks of an item, and goes over none.`
  findings.push(problem('ITEM_OUTSIDE_FOR_EACH', place, step.id, message, 'Give the step a "forEach", or refer to a step with "$from".'))
}

function compare({ step, findings }: Scope, given: JsonSchema | 'nothing' | undefined, wanted: JsonSchema | undefined, place: Place, what: string): void {
  if (given === 'nothing') {
    findings.push(problem('REFERENCE_PATH', place, step.id, `Step "${step.id}" refers to ${what}, and nothing is there.`, 'Look at the output schema of that tool.'))
    return
  }
  const givenTypes = certainTypes(given)
  const wantedTypes = certainTypes(wanted)
  if (!givenTypes || !wantedTypes || mayFit(givenTypes, wantedTypes)) return
  const message = `Step "${step.id}" needs ${[...wantedTypes].join(' or ')} here, and ${what} is ${[...givenTypes].join(' or ')}.`
  findings.push(problem('REFERENCE_TYPE', place, step.id, message, 'Refer to another place, or put a step between that converts it.'))
}

/** Text that looks like a reference of some other system is passed on as it stands, which is seldom meant. */
function checkText({ step, findings }: Scope, text: string, place: Place): void {
  const mark = /\$\{[\w.[\]-]+\}|^#E\d+$|^\$\d+$/.exec(text)?.[0]
  if (mark === undefined) return
  const message = `Step "${step.id}" has the text "${mark}", which is not filled in: it is handed to the tool as it stands.`
  findings.push(warning('TEMPLATE_IN_TEXT', place, step.id, message, 'Write a reference: {"$from": "stepId", "path": "/field"}.'))
}

function holdsReference(value: Json): boolean {
  if (typeof value !== 'object' || value === null) return false
  return isReference(value) || isItemPointer(value) || Object.values(value).some((member) => holdsReference(member as Json))
}
