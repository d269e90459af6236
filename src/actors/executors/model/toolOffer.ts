// The tools that a step's model is offered: those that the plan names, and no others.
//
// O1. The offer is made once, before anything untrusted has been read, and nothing adds to it.
// O2. A name is looked up as it is, letter by letter: what only resembles a name is no tool.
// O3. What is ours, and not the plan's, is left out where a server takes no tools.
import type { StepExecute } from '../../../machines/command.messages.ts'
import type { ModelTool } from '../../../models/model.ts'
import type { ToolCatalogue, ToolDescription } from '../../../plan/toolDescription.ts'
import { askTool, moreTool, surpriseTool } from './builtins.ts'

export interface ToolOffer {
  readonly shown: readonly ModelTool[]
  /** By the name under which it is shown. */
  readonly tools: ReadonlyMap<string, ToolDescription>
  /** Names of ours among those shown. */
  readonly own: ReadonlySet<string>
}

/** @param canAsk there is somebody to ask */
export function offerTools(work: StepExecute, catalogue: ToolCatalogue, canAsk: boolean): ToolOffer {
  const own = [surpriseTool, moreTool, ...(canAsk ? [askTool] : [])]
  const ownNames = new Set(own.map(({ name }) => name))
  const tools = new Map<string, ToolDescription>()
  for (const name of work.tools ?? []) {
    const tool = catalogue.get(name)
    if (tool !== undefined)
      tools.set(
        freeName(name, (taken) => tools.has(taken) || ownNames.has(taken)),
        tool,
      )
  }
  const ofPlan = [...tools].map(([name, { description, input }]) => ({ name, description, input }))
  return { shown: [...ofPlan, ...own.map((tool) => ({ ...tool, optional: true }))], tools, own: ownNames }
}

/** Servers take letters, digits, `_` and `-`, and 64 of them at most. */
function freeName(name: string, isTaken: (name: string) => boolean): string {
  const plain = name.replace(/[^\w-]/g, '_').slice(0, 60)
  let free = plain
  for (let nth = 2; isTaken(free); nth++) free = `${plain}_${String(nth)}`
  return free
}
