// What follows when steps end: their dependents become ready, are skipped, expanded or gathered.
//
// A1. A step becomes ready the moment its last dependency is met: nobody waits for a sibling.
// A2. Each ending is told once to each dependent, so that a run costs as much as its plan has dependencies.
import { canDoWithout } from '../../plan/graph.ts'
import { checkSchema } from '../../plan/jsonSchemaCheck.ts'
import { getPointer } from '../../plan/pointer.ts'
import type { Json, JsonSchema } from '../../plan/json.ts'
import { dependenciesOf } from '../../plan/references.ts'
import type { Reference, Step } from '../../plan/schema.ts'
import { laneOf } from './lanes.ts'
import { eachLink, isSettled, type Entry } from './ledger.ts'
import { pushReady } from './readyQueue.ts'
import { putEntry, setEntry, type Turn } from './turn.ts'

/** Tells the dependents of every step that has just ended, and theirs, until nothing more follows. */
export function propagate(turn: Turn): void {
  for (let id = turn.ended.pop(); id !== undefined; id = turn.ended.pop()) {
    const entry = turn.entries.get(id)
    if (entry === undefined) continue
    for (let link = turn.dependents.get(id); link !== undefined; link = link.next) tell(turn, link.id, id, entry)
  }
}

function tell(turn: Turn, id: string, endedId: string, ended: Entry): void {
  const entry = turn.entries.get(id)
  if (entry === undefined || (entry.status !== 'waiting' && entry.status !== 'held')) return
  if (ended.status !== 'succeeded') {
    const step = turn.steps.get(id)
    if (step === undefined) return
    if (!canDoWithout(step, endedId)) {
      skip(turn, id, entry, ended.causedBy ?? endedId, ended.loss)
      return
    }
  }
  const missing = entry.missing - 1
  putEntry(turn, id, { ...entry, missing })
  if (missing === 0) makeReady(turn, id)
}

/** Ends a step without running it. */
export function skip(turn: Turn, id: string, entry: Entry, causedBy?: string, loss?: Entry['loss']): void {
  setEntry(turn, id, { ...entry, status: 'skipped', causedBy, loss, endedAt: turn.now })
  turn.ended.push(id)
}

/** Counts anew what a step still waits for, and moves it on accordingly. For steps that are new or were changed. */
export function recount(turn: Turn, id: string): void {
  propagate(turn) // an ending that is counted here must not be told afterwards as well (A2)
  const entry = turn.entries.get(id)
  const step = turn.steps.get(id)
  if (entry === undefined || step === undefined || isSettled(entry.status) || entry.status === 'running') return
  let missing = 0
  for (const dependency of dependenciesOf(step)) {
    const other = turn.entries.get(dependency)
    if (other !== undefined && isMet(turn, step, dependency, other)) continue
    if (other !== undefined && isSettled(other.status) && !other.undecided) {
      // A step that its condition skipped takes nothing from the goal, and neither do those behind it.
      skip(
        turn,
        id,
        entry,
        other.causedBy ?? dependency,
        other.loss ?? (other.status === 'skipped' ? undefined : 'lost'),
      )
      return
    }
    missing += 1
  }
  setEntry(turn, id, { ...entry, status: isHeld(entry) ? 'held' : 'waiting', missing })
  if (missing === 0) makeReady(turn, id)
}

/** A step that had ended is open again, or has ended in another way: those that were skipped because of it wait again,
 * and all that depend on it and have not started count anew. */
export function reopenDependents(turn: Turn, id: string): void {
  const open = [id]
  for (let next = open.pop(); next !== undefined; next = open.pop()) {
    for (const dependent of eachLink(turn.dependents.get(next))) {
      propagate(turn) // nor told to a step that is open again and has not been counted yet
      const entry = turn.entries.get(dependent)
      const isGivenUp = turn.steps.get(dependent)?.abandoned !== undefined
      if (entry?.status === 'skipped' && entry.causedBy === id && !isGivenUp) {
        setEntry(turn, dependent, { ...entry, status: 'waiting', causedBy: undefined, loss: undefined })
        open.push(dependent)
      }
      recount(turn, dependent)
    }
  }
}

function isMet(turn: Turn, step: Step, dependency: string, entry: Entry): boolean {
  if (entry.status === 'succeeded')
    return turn.steps.get(dependency)?.abandoned === undefined || canDoWithout(step, dependency)
  return isSettled(entry.status) && !entry.undecided && canDoWithout(step, dependency)
}

function isHeld(entry: Entry): boolean {
  return (entry.heldBy?.length ?? 0) > 0
}

/** All that the step depends on is met: it may go, unless something of its own stands in the way. */
export function makeReady(turn: Turn, id: string): void {
  const entry = turn.entries.get(id)
  const step = turn.steps.get(id)
  if (entry === undefined || step === undefined) return
  if (isHeld(entry)) {
    if (entry.status !== 'held') setEntry(turn, id, { ...entry, status: 'held' })
  } else if (step.when && '$from' in step.when.value && !conditionHolds(turn, step.when.is, step.when.value)) {
    skip(turn, id, entry)
  } else if (step.expanded !== undefined) {
    gather(turn, id, entry, step.expanded)
  } else if (step.forEach) {
    setEntry(turn, id, { ...entry, status: 'ready' })
    if (turn.planIsWhole) turn.expanding.push(id) // a revision needs a first one: while the plan streams in, it waits
  } else if (step.approval === 'required' && !entry.approved) {
    setEntry(turn, id, { ...entry, status: 'held' })
  } else {
    setEntry(turn, id, { ...entry, status: 'ready' })
    queueReady(turn, step)
  }
}

/** Has a step that is ready wait for its turn; one that goes over a list is expanded instead. */
export function queueReady(turn: Turn, step: Step): void {
  const { id } = step
  const rank = turn.entries.get(id)?.rank
  if (rank === undefined || (step.forEach && step.expanded === undefined)) return
  const lane = laneOf(turn, step)
  turn.ready = turn.ready.set(lane, pushReady(turn.ready.get(lane), rank, id))
}

function gather(turn: Turn, id: string, entry: Entry, length: number): void {
  const output = Array.from({ length }, (_, index) => turn.outputs.get(`${id}[${String(index)}]`) ?? null)
  turn.outputs = turn.outputs.set(id, Object.freeze(output))
  setEntry(turn, id, { ...entry, status: 'succeeded', startedAt: turn.now, endedAt: turn.now })
  turn.ended.push(id)
}

/** A condition on the item of a `forEach` is not asked of the step that has yet to be expanded: its children carry it. */
function conditionHolds(turn: Turn, is: JsonSchema, value: Reference): boolean {
  return checkSchema(is, lookUp(turn, value) ?? null).length === 0
}

/** The value that a reference stands for; `null` where its step ended without output, `undefined` where the path leads nowhere. */
export function lookUp(turn: Pick<Turn, 'outputs'>, reference: Reference): Json | undefined {
  const output = turn.outputs.get(reference.$from)
  return output === undefined ? null : getPointer(output, reference.path)
}
