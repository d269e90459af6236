// What is not as it was when a run was last gone on with: its planner, and the tools that it had.
//
// C1. What no open step needs does not keep a run from going on, and is recorded all the same.
// C2. Steps with a goal may need any tool: their sub-runs plan with what there is.
import type { CoordinatorContext } from '../machines/coordinator.context.ts'
import type { ToolTraits } from '../machines/settings.messages.ts'
import { isSettled } from '../machines/decisions/ledger.ts'

export interface RunChange {
  readonly kind: 'planner' | 'tool_gone' | 'tool_version' | 'tool_effects'
  /** The planner's, or the tool's. */
  readonly name: string
  /** In words. */
  readonly text: string
  /** Whether a step that is still to be done, or done again, uses the tool. Of another planner, always true. */
  readonly isNeeded: boolean
}

interface Means {
  readonly tools: Readonly<Record<string, ToolTraits>>
  readonly planner: string
}

/** @param standing gives how the run stands; asked only where something has changed, since it costs a replay. */
export function changesSince(before: Means, now: Means, standing: () => CoordinatorContext): readonly RunChange[] {
  const changes: RunChange[] = []
  if (before.planner !== now.planner) {
    const text = `its planner was "${before.planner}", and is "${now.planner}"`
    changes.push({ kind: 'planner', name: now.planner, text, isNeeded: true })
  }
  let needed: ((tool: string) => boolean) | undefined
  for (const [name, traits] of Object.entries(before.tools)) {
    const found = changeOf(name, traits, Object.hasOwn(now.tools, name) ? now.tools[name] : undefined)
    if (found === undefined) continue
    needed ??= neededTools(standing())
    changes.push({ ...found, name, isNeeded: needed(name) })
  }
  return changes
}

function changeOf(
  name: string,
  was: ToolTraits,
  is: ToolTraits | undefined,
): Pick<RunChange, 'kind' | 'text'> | undefined {
  if (is === undefined) return { kind: 'tool_gone', text: `tool "${name}" is gone` }
  if (is.version !== was.version)
    return { kind: 'tool_version', text: `tool "${name}" was version ${was.version}, and is ${is.version}` }
  if (is.effects !== was.effects || is.idempotent !== was.idempotent)
    return { kind: 'tool_effects', text: `tool "${name}" was ${inWords(was)}, and is ${inWords(is)}` }
  return undefined
}

function inWords({ effects, idempotent }: ToolTraits): string {
  return `${idempotent ? 'idempotent' : 'not idempotent'} with effects "${effects}"`
}

function neededTools({ steps, entries }: CoordinatorContext): (tool: string) => boolean {
  const tools = new Set<string>()
  for (const [id, { tool, tools: allowed, goal }] of steps) {
    const entry = entries.get(id)
    if (entry === undefined || (isSettled(entry.status) && !entry.undecided)) continue
    if (goal !== undefined) return () => true // C2
    if (tool !== undefined) tools.add(tool)
    for (const name of allowed ?? []) tools.add(name)
  }
  return (tool) => tools.has(tool)
}
