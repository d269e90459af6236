// What an event says, in one line, for logs. Values that it carries are not in it.
import type { Transition } from '../../runtime/index.ts'

export function textOf(event: Transition['event']): string | undefined {
  switch (event.type) {
    case 'run.started':
      return event.goal.text
    case 'plan.stepProposed':
      return `step "${event.step.id}"`
    case 'plan.proposed': {
      const { length } = event.plan.steps
      return length === 1 ? '1 step' : `${String(length)} steps`
    }
    case 'plan.patchProposed':
    case 'run.edit':
      return event.patch.because.text
    case 'plan.kept':
    case 'plan.givenUp':
    case 'run.reject':
    case 'run.endLost':
    case 'run.cancel':
    case 'step.skip':
      return event.because
    case 'plan.failed':
    case 'step.failed':
    case 'step.surprised':
    case 'step.timedOut':
    case 'step.uncertain':
    case 'step.unanswered':
    case 'actor.failed':
      return event.failure.message
    case 'step.checked':
      return findingText(event.finding)
    case 'step.asked':
      return event.text
    case 'step.delegated':
      return `run "${event.subRunId}"`
    case 'model.called':
      return `${event.model}, ${String(event.ms)} ms${event.code === undefined ? '' : `, ${event.code}`}`
    case 'timer.fired':
    case 'fact.reported':
      return event.key
    case 'run.recovered':
    case 'run.forked':
      return event.changes?.join('; ')
    case 'budget.extend':
      return Object.keys(event.limits).join(', ')
    case 'step.succeeded':
    case 'step.retry':
    case 'step.answered':
    case 'run.approve':
    case 'run.pause':
    case 'run.resume':
      return undefined
  }
}

function findingText(
  finding: Extract<Transition['event'], { readonly type: 'step.checked' }>['finding'],
): string | undefined {
  if ('unknown' in finding) return finding.unknown.message
  return finding.happened ? 'it had its effect' : 'it had no effect'
}
