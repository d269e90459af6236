// What a step leaves in the world outside, by what is known of its tool, or of those that the model which follows it may use.
import { changesSomething } from '../../plan/toolDescription.ts'
import type { RunStarted } from '../coordinator.messages.ts'
import type { ToolTraits } from '../settings.messages.ts'

/** What says which tools are called: a step, or the command that carries it out. */
interface ToolUse {
  readonly tool?: string | undefined
  readonly tools?: readonly string[] | undefined
}

type Run = Pick<RunStarted, 'tools'>

/** Whether something outside is changed (`write` or `external`), or may be. */
export function hasEffects(run: Run, use: ToolUse | undefined): boolean {
  return anyTool(run, use, ({ effects }) => changesSomething(effects))
}

/** Nobody can tell whether an attempt of the step that was not answered has had its effect, and again it must not have it. */
export function mayHaveHadEffect(run: Run, use: ToolUse | undefined): boolean {
  return anyTool(run, use, ({ effects, idempotent }) => !idempotent && changesSomething(effects))
}

function anyTool({ tools }: Run, use: ToolUse | undefined, holds: (traits: ToolTraits) => boolean): boolean {
  if (use === undefined) return false
  const isSo = (name: string): boolean => {
    const traits = tools[name]
    return traits !== undefined && holds(traits)
  }
  return (use.tool !== undefined && isSo(use.tool)) || (use.tools !== undefined && use.tools.some(isSo))
}
