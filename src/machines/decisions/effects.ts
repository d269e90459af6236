// What a step leaves in the world outside, by what is known of its tool.
import type { Step } from '../../plan/schema.ts'
import { changesSomething } from '../../plan/toolDescription.ts'
import type { RunStarted } from '../coordinator.messages.ts'

/** Whether the tool changes something outside: `write` or `external`. */
export function hasEffects(run: Pick<RunStarted, 'tools'>, tool: string | undefined): boolean {
  return changesSomething(tool === undefined ? undefined : run.tools[tool]?.effects)
}

/** Nobody can tell whether an attempt of the step that was not answered has had its effect, and again it must not have it. */
export function mayHaveHadEffect(run: Pick<RunStarted, 'tools'>, step: Step | undefined): boolean {
  const traits = step?.tool === undefined ? undefined : run.tools[step.tool]
  return traits?.idempotent === false && changesSomething(traits.effects)
}
