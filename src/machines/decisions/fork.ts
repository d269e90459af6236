// A fork: a new run goes on from a moment of another one, with something changed.
//
// F1. What is changed is in force before anything goes out.
// F2. Time is moved: what was due so much later is due so much later from now on, and the time in between is not counted.
// F3. What was out is out again as after a recovery, in the fork's own name: with keys of its own, and with sub-runs of its own.
//     Where the effect of an attempt may have happened in the other run, the step is uncertain.
// F4. What comes after that moment is new work, also where the other run had done it and the record of that is lost.
import type { ForkOutcome, RunForked } from '../coordinator.messages.ts'
import { extendBudget } from './control.ts'
import { failStep } from './fail.ts'
import { withdrawFact } from './facts.ts'
import { adoptFacts, succeed, takeFacts } from './outcomes.ts'
import { recover, recoverPaused } from './recovery.ts'
import { findConflict, tryPatch } from './revise.ts'
import { takeBackTroubles } from './troubles.ts'
import { entriesNow, setEntry, type Turn } from './turn.ts'

export function fork(turn: Turn, event: RunForked): void {
  change(turn, event)
  recover(turn, event)
}

export function forkPaused(turn: Turn, event: RunForked): void {
  change(turn, event)
  recoverPaused(turn, event)
}

function change(turn: Turn, event: RunForked): void {
  const { id, at, by = 'fork', since, outcomes = {}, facts = [], withdrawn = [], limits, patch } = event
  turn.lostEnd = undefined // F4
  moveTime(turn, turn.now - since)
  for (const [step, outcome] of Object.entries(outcomes)) endOtherwise(turn, step, outcome)
  takeFacts(turn, `report:${by}`, facts)
  for (const key of withdrawn) adoptFacts(turn, withdrawFact(turn.facts, key))
  if (limits !== undefined) extendBudget(turn, { type: 'budget.extend', id, at, limits })
  if (patch !== undefined) turn.refused = findConflict(turn, patch) ?? tryPatch(turn, patch)
  takeBackTroubles(turn)
}

/** F2 */
function moveTime(turn: Turn, byMs: number): void {
  turn.run = { ...turn.run, at: turn.run.at + byMs }
  turn.timers = turn.timers.map((at) => at + byMs)
  for (const [id, entry] of entriesNow(turn)) {
    if (entry.status !== 'running') continue
    const { startedAt } = entry
    setEntry(turn, id, {
      ...entry,
      subRunId: undefined,
      ...(startedAt !== undefined && { startedAt: startedAt + byMs }),
    })
  }
}

function endOtherwise(turn: Turn, id: string, outcome: ForkOutcome): void {
  const entry = turn.entries.get(id)
  if (entry?.status !== 'running') return
  if ('failure' in outcome) failStep(turn, id, entry, outcome.failure)
  else succeed(turn, id, entry, outcome.output, outcome.facts)
}
