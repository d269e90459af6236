// The tools and executors that a step names: whether there are such, and whether they go together.
import type { Finding } from '../finding.ts'
import type { ToolCatalogue } from '../toolDescription.ts'
import { idOfStep, nameOfStep, type PlacedStep } from './planView.ts'
import { problem, quoted, Suggestions, type Place } from './report.ts'

/** The executor that follows an instruction with tools, where the step names no other. */
const modelRole = 'model'

/** Roles of the runtime that follow no instruction with tools. */
const others: Readonly<Record<string, string>> = {
  person: 'people use no tools of a plan',
  tool: 'it carries out a tool, and follows no instruction',
  goal: 'it carries out a plan of its own',
}

export class NameCheck {
  readonly #tools: ToolCatalogue | undefined
  readonly #executors: readonly string[] | undefined
  readonly #likeTools: Suggestions
  readonly #likeExecutors: Suggestions

  constructor(tools: ToolCatalogue | undefined, executors: readonly string[] | undefined) {
    this.#tools = tools
    this.#executors = executors
    this.#likeTools = new Suggestions(tools?.keys() ?? [])
    this.#likeExecutors = new Suggestions(executors ?? [])
  }

  check(placed: PlacedStep): Finding[] {
    const { tool, tools } = placed.step
    if (tool === undefined && tools === undefined) return this.#checkExecutor(placed)
    return [
      ...(tool === undefined ? [] : this.#checkTool(placed, tool, ['tool'])),
      ...(tools ?? []).flatMap((name, nth) => this.#checkTool(placed, name, ['tools', nth])),
      ...this.#checkExecutor(placed),
    ]
  }

  #checkTool(placed: PlacedStep, name: string, field: Place): Finding[] {
    const tools = this.#tools
    if (tools === undefined || tools.has(name)) return []
    const message = `${nameOfStep(placed)} asks for the tool ${quoted(name)}, which is not there.`
    const hint = this.#likeTools.hint(name, `Register it, or use another.${listOf(tools.keys())}`)
    return [problem('TOOL_UNKNOWN', ['steps', placed.index, ...field], idOfStep(placed), message, hint)]
  }

  #checkExecutor(placed: PlacedStep): Finding[] {
    const { executor, tools, instruction } = placed.step
    const { index, unread } = placed
    const isForModel = tools !== undefined && instruction !== undefined
    const role = executor ?? (isForModel && !unread.has('executor') ? modelRole : undefined)
    if (role === undefined) return []
    const why = isForModel && Object.hasOwn(others, role) ? others[role] : undefined
    if (why !== undefined) {
      const message = `${nameOfStep(placed)} has "tools" for a model, and ${quoted(role)} for an executor: ${why}.`
      const hint = 'Take "tools" out, or "executor": a model follows an instruction with tools.'
      return [problem('STEP_KIND', ['steps', index, 'executor'], idOfStep(placed), message, hint)]
    }
    const executors = this.#executors
    if (executors === undefined || executors.includes(role)) return []
    const field = executor === undefined ? 'tools' : 'executor'
    const message =
      role === modelRole
        ? `${nameOfStep(placed)} is for a model, and none is set.`
        : `There is no executor ${quoted(role)}.`
    const hint =
      role === modelRole
        ? 'Give a model: createRuntime({ model }), or an executor of the role "model"; or have a person or a tool do it.'
        : this.#likeExecutors.hint(role, `Name one that there is.${listOf(executors)}`)
    return [problem('EXECUTOR_UNKNOWN', ['steps', index, field], idOfStep(placed), message, hint)]
  }
}

function listOf(names: Iterable<string>): string {
  const [...first] = take(names, 10)
  return first.length === 0 ? '' : ` There are: ${first.join(', ')}.`
}

function* take(names: Iterable<string>, count: number): Generator<string> {
  let left = count
  for (const name of names) {
    if (left-- === 0) return
    yield name
  }
}
