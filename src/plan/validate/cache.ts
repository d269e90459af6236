// Steps that may take the output of an earlier run: only where a tool is asked for nothing but its output.
import type { Finding } from '../finding.ts'
import { changesSomething, type ToolCatalogue } from '../toolDescription.ts'
import { idOfStep, nameOfStep, type PlanView } from './planView.ts'
import { problem } from './report.ts'

export function checkCache(view: PlanView, tools: ToolCatalogue | undefined): Finding[] {
  return view.steps.flatMap((placed) => {
    const { step, index, unread } = placed
    if (step.cache !== true || unread.has('tool') || unread.has('executor')) return []
    const refuse = (why: string, hint: string): Finding[] => {
      const message = `${nameOfStep(placed)} cannot take the output of an earlier run: ${why}.`
      return [problem('CACHE_INVALID', ['steps', index, 'cache'], idOfStep(placed), message, hint)]
    }
    if (step.goal !== undefined)
      return refuse('it is carried out by a plan of its own', 'Take "cache" out, and give it to steps of the sub-plan.')
    if (step.tool === undefined) return refuse('no tool carries it out', 'Take "cache" out.')
    if (step.executor === 'person') return refuse('a person answers it', 'Take "cache" out.')
    const effects = tools?.get(step.tool)?.effects
    if (effects === undefined || !changesSomething(effects)) return []
    const hint = 'Take "cache" out; where the tool changes nothing outside, let it declare effects "none" or "read".'
    return refuse(`its tool has effects ("${effects}"), which would not happen`, hint)
  })
}
