// Ranks: the priority order of a plan as numbers, so that a queue can compare two steps without looking at the plan.
//
// A step that was not moved keeps its rank; a new or moved one gets a rank between its neighbours'.
import type { Plan } from '../../plan/schema.ts'
import { laneOf } from './lanes.ts'
import { pushReady } from './readyQueue.ts'
import { freshEntry } from './ledger.ts'
import { entriesNow, type Turn } from './turn.ts'

/** Narrower gaps than this are not divided again: all ranks are dealt out anew. */
const narrowestGap = 1e-9

export function rankSteps(turn: Turn, plan: Plan, isMoved: (id: string) => boolean): void {
  const ranks = findRanks(turn, plan, isMoved) ?? plan.steps.map((_, index) => index + 1)
  const before = entriesNow(turn)
  turn.entries = before.withMutations((entries) => {
    for (const [index, step] of plan.steps.entries()) {
      const entry = before.get(step.id)
      const rank = ranks[index] ?? index + 1
      if (entry === undefined) {
        entries.set(step.id, { ...freshEntry, rank })
        turn.counts.waiting += 1
        turn.changed.push(step.id)
      } else if (entry.rank !== rank) {
        entries.set(step.id, { ...entry, rank })
        if (entry.status === 'ready' && step.forEach === undefined) {
          const lane = laneOf(turn, step)
          turn.ready = turn.ready.set(lane, pushReady(turn.ready.get(lane), rank, step.id))
        }
      }
    }
  })
}

/** A rank for each step, or nothing when some gap is too narrow or kept ranks are out of order. */
function findRanks(turn: Turn, plan: Plan, isMoved: (id: string) => boolean): number[] | undefined {
  const ranks: number[] = []
  let last = 0
  let open = 0 // steps since `last` that wait for the next kept rank to be placed before it
  const place = (next: number): boolean => {
    const gap = (next - last) / (open + 1)
    if (open > 0 && gap < narrowestGap) return false
    for (let nth = 1; nth <= open; nth++) ranks.push(last + gap * nth)
    open = 0
    return true
  }
  for (const step of plan.steps) {
    const entry = isMoved(step.id) ? undefined : turn.entries.get(step.id)
    if (entry === undefined) {
      open += 1
      continue
    }
    if (entry.rank <= last || !place(entry.rank)) return undefined
    ranks.push(entry.rank)
    last = entry.rank
  }
  place(last + open + 1)
  return ranks
}
