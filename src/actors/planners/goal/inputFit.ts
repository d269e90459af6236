// Whether needs fill what a tool's input must have, and what stands there besides: its schema may leave no choice.
import { isJsonObject, type Json, type JsonObject, type JsonSchema } from '../../../plan/json.ts'
import type { ToolDescription } from '../../../plan/toolDescription.ts'

interface InputFit {
  /** Required properties that no need fills but the schema does: by a constant or a default. */
  readonly fixed: JsonObject
  /** Required properties that nothing fills: the planner cannot use the tool. */
  readonly unfilled: readonly string[]
}

const fits = new WeakMap<ToolDescription, InputFit>()

export function fitInput(tool: ToolDescription): InputFit {
  const known = fits.get(tool)
  if (known) return known
  const fixed: [string, Json][] = []
  const unfilled: string[] = []
  for (const property of requiredOf(tool.input)) {
    if (Object.hasOwn(tool.needs, property)) continue
    const value = fixedValue(tool.input, property)
    if (value === undefined) unfilled.push(property)
    else fixed.push([property, value])
  }
  const fit: InputFit = { fixed: Object.fromEntries(fixed), unfilled }
  fits.set(tool, fit)
  return fit
}

/** What is to be done about tools that cannot be used: a sentence each. */
export function explainUnfit(tools: readonly ToolDescription[]): string {
  const sentences = tools.slice(0, 3).map((tool) => {
    const inputs = fitInput(tool).unfilled.map((property) => `"${property}"`)
    return `${tool.name} cannot be used: nothing fills its required input ${inputs.join(' and ')}; declare a need for it, a default or a constant.`
  })
  return sentences.join(' ')
}

function requiredOf(schema: JsonSchema): readonly string[] {
  if (typeof schema === 'boolean' || !Array.isArray(schema.required)) return []
  return (schema.required as readonly Json[]).filter((one) => typeof one === 'string')
}

function fixedValue(schema: JsonSchema, property: string): Json | undefined {
  const properties = typeof schema === 'boolean' ? undefined : schema.properties
  const own = isJsonObject(properties) && Object.hasOwn(properties, property) ? properties[property] : undefined
  if (!isJsonObject(own)) return undefined
  if (own.const !== undefined) return own.const
  if (own.default !== undefined) return own.default
  return Array.isArray(own.enum) && own.enum.length === 1 ? (own.enum as readonly Json[])[0] : undefined
}
