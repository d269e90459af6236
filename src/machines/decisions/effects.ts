// What a step leaves in the world outside, by what is known of its tool.
import type { Step } from '../../plan/schema.ts'
import { changesSomething } from '../../plan/toolDescription.ts'
import type { RunStarted } from '../coordinator.messages.ts'

/** Whether the tool changes something outside: `write` or `external`. */
export function hasEffects(run: Pick<RunStarted, 'tools'>, tool: string | undefined): boolean {
  return changesSomething(tool === undefined ? undefined : run.tools[tool]?.effects)
}

/** Whether an attempt that was cut short may have had its effect, and would have it again if it were sent again.
 *
 * @param then the tools that it was sent with
 * @param now the tools that it would be sent with */
export function mayRepeatEffect(step: Step, then: RunStarted['tools'], now: RunStarted['tools']): boolean {
  const [was, is] = step.tool === undefined ? [] : [then[step.tool], now[step.tool]]
  if (was === undefined) return mayHaveHadEffect({ tools: now }, step)
  if (!changesSomething(was.effects)) return false
  if (!was.idempotent || is === undefined) return true
  return changesSomething(is.effects) && !is.idempotent
}

/** Nobody can tell whether an attempt of the step that was not answered has had its effect, and again it must not have it. */
export function mayHaveHadEffect(run: Pick<RunStarted, 'tools'>, step: Step | undefined): boolean {
  const traits = step?.tool === undefined ? undefined : run.tools[step.tool]
  return traits?.idempotent === false && changesSomething(traits.effects)
}
