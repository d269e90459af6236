// The registry: the tools of a runtime, by name.
import { closest } from 'fastest-levenshtein'
import { PlanloomError } from '../errors.ts'
import type { ToolTraits } from '../machines/settings.messages.ts'
import type { ToolCatalogue } from '../plan/toolDescription.ts'
import type { Tool } from './tool.ts'

export interface ToolRegistry {
  /** In the order in which they were given. */
  readonly names: readonly string[]
  has(name: string): boolean
  /** @throws `TOOL_UNKNOWN`, with the name that comes nearest. */
  get(name: string): Tool
  /** What planners and the plan's validator see. */
  descriptions(): ToolCatalogue
  /** What the coordinator sees. */
  traits(): Readonly<Record<string, ToolTraits>>
}

/** Makes a registry of tools.
 *
 * @throws `TOOL_INVALID` for what defineTool() has not made, `TOOL_DUPLICATE` when two have the same name.
 * @example
 * import { createToolRegistry, defineTool } from 'planloom/tools'
 * import { z } from 'zod'
 * const now = defineTool({ name: 'now', description: 'The time.', input: z.object({}), output: z.number(), run: (_, { now }) => now() })
 * createToolRegistry([now]).names // ['now']
 * createToolRegistry([now]).get('mow') // throws TOOL_UNKNOWN
 */
export function createToolRegistry(tools: readonly Tool[]): ToolRegistry {
  const byName = new Map<string, Tool>()
  if (!Array.isArray(tools)) {
    throw new PlanloomError('TOOL_INVALID', 'The tools of a registry are a list, and something else was given.', {
      hint: 'Give an array of what defineTool() makes.',
    })
  }
  for (const [index, tool] of tools.entries()) {
    if (!isTool(tool)) throw noTool(index, tool)
    const { name } = tool.description
    if (byName.has(name)) {
      throw new PlanloomError('TOOL_DUPLICATE', `Two tools are named "${name}".`, {
        hint: 'Give one of them another name, or register it once.',
      })
    }
    byName.set(name, tool)
  }
  const names = Object.freeze([...byName.keys()])
  const descriptions: ToolCatalogue = new Map([...byName].map(([name, { description }]) => [name, description]))
  const traits = Object.freeze(Object.fromEntries([...byName].map(([name, tool]) => [name, traitsOf(tool)])))
  return {
    names,
    has: (name) => byName.has(name),
    get: (name) => byName.get(name) ?? unknownTool(name, names),
    descriptions: () => descriptions,
    traits: () => traits,
  }
}

/** By its shape: another copy of the package has another `defineTool`. */
function isTool(value: unknown): value is Tool {
  if (typeof value !== 'object' || value === null) return false
  const { description, input, output, run } = value as Partial<Record<string, unknown>>
  return (
    typeof run === 'function' &&
    typeof description === 'object' &&
    typeof (description as { readonly name?: unknown } | null)?.name === 'string' &&
    input instanceof Object &&
    output instanceof Object
  )
}

function noTool(index: number, value: unknown): PlanloomError {
  const isDeclaration = typeof value === 'object' && value !== null && 'name' in value && 'run' in value
  const what = isDeclaration
    ? `the declaration of "${String(value.name)}"`
    : typeof value === 'object' && value !== null
      ? 'an object'
      : typeof value === 'function'
        ? 'a function'
        : String(value)
  return new PlanloomError('TOOL_INVALID', `tools[${String(index)}] is ${what}, and no tool.`, {
    hint: isDeclaration ? 'Pass it to defineTool() first.' : 'Give what defineTool() makes.',
    where: { path: `/tools/${String(index)}` },
  })
}

function traitsOf(tool: Tool): ToolTraits {
  const { description } = tool
  const { effects, idempotent, version, concurrency, timeoutMs, heartbeatMs, retry, executor, gives } = description
  const lists = Object.keys(gives).filter((fact) => gives[fact]?.each === true)
  return Object.freeze({
    effects,
    idempotent,
    version,
    ...(concurrency !== undefined && { concurrency }),
    ...(timeoutMs !== undefined && { timeoutMs }),
    ...(heartbeatMs !== undefined && { heartbeatMs }),
    ...(retry !== undefined && { retry }),
    ...(executor !== undefined && { executor }),
    ...(lists.length > 0 && { lists }),
    ...(tool.check !== undefined && { checks: true }),
  })
}

function unknownTool(name: string, names: readonly string[]): never {
  throw new PlanloomError('TOOL_UNKNOWN', `There is no tool "${name}".`, {
    hint:
      names.length > 0
        ? `Did you mean "${closest(name, [...names])}"?`
        : 'Give tools to createRuntime({ tools }): there are none.',
  })
}
