// Taking in whether a step that was uncertain had its effect.
//
// N1. A finding counts once, for the attempt that it is about, and only while it is being waited for.
import type { StepChecked } from '../coordinator.messages.ts'
import { expandReady } from './expand.ts'
import { surprise } from './fail.ts'
import { succeed } from './outcomes.ts'
import { setEntry, type Turn } from './turn.ts'
import { followPolicy, sendAgain, tellPlanner } from './uncertain.ts'

export function takeFinding(turn: Turn, { stepId: id, attempt, finding }: StepChecked): void {
  const of = turn.doubts.get(id)
  const entry = turn.entries.get(id)
  const step = turn.steps.get(id)
  if (of === undefined || step === undefined || entry?.status !== 'uncertain' || entry.attempt !== attempt) {
    turn.late += 1
    return
  }
  turn.doubts = turn.doubts.delete(id)
  if ('unknown' in finding) {
    const { failure } = entry
    if (failure) setEntry(turn, id, { ...entry, failure: { ...failure, cause: finding.unknown.message } })
    if (of === 'tool') followPolicy(turn, step)
    else tellPlanner(turn, step) // nobody who could be asked knows either
  } else if (!finding.happened) sendAgain(turn, step, entry)
  else if (finding.surprise) surprise(turn, id, entry, finding.output, finding.facts, finding.surprise)
  else succeed(turn, id, entry, finding.output, finding.facts)
  expandReady(turn)
}
