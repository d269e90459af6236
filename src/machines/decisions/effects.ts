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

/** Whether an attempt that was cut short may have had its effect, and would have it again if it were sent again.
 *
 * @param then the tools that it was sent with
 * @param now the tools that it would be sent with */
export function mayRepeatEffect(use: ToolUse, then: RunStarted['tools'], now: RunStarted['tools']): boolean {
  return namesIn(use).some((name) => {
    const [was, is] = [then[name], now[name]]
    if (was !== undefined && !changesSomething(was.effects)) return false
    if (was !== undefined && (!was.idempotent || is === undefined)) return true
    return is !== undefined && repeats(is)
  })
}

/** Nobody can tell whether an attempt of the step that was not answered has had its effect, and again it must not have it. */
export function mayHaveHadEffect(run: Run, use: ToolUse | undefined): boolean {
  return anyTool(run, use, repeats)
}

function repeats({ effects, idempotent }: ToolTraits): boolean {
  return !idempotent && changesSomething(effects)
}

function anyTool({ tools }: Run, use: ToolUse | undefined, holds: (traits: ToolTraits) => boolean): boolean {
  if (use === undefined) return false
  return namesIn(use).some((name) => {
    const traits = tools[name]
    return traits !== undefined && holds(traits)
  })
}

function namesIn({ tool, tools }: ToolUse): readonly string[] {
  return tool === undefined ? (tools ?? none) : tools === undefined ? [tool] : [tool, ...tools]
}

const none: readonly string[] = []
