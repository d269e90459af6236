// Revisions: how the first plan, and every patch after it, becomes the ledger that steps are dispatched from.
//
// V1. Revision n+1 is patch n applied to revision n.
// V2. What has succeeded or is running is never touched by a patch, apart from `abandon`, which stops and withdraws.
// V3. Adopting costs one look at each step and real work only for those that changed.
import type { Map as PersistentMap } from 'immutable'
import { stepHash } from '../../plan/hash.ts'
import { applyPatch } from '../../plan/patch.ts'
import { dependenciesOf } from '../../plan/references.ts'
import type { Operation, Patch, Plan, Step } from '../../plan/schema.ts'
import type { CoordinatorContext } from '../coordinator.context.ts'
import { propagate, recount, reopenDependents } from './advance.ts'
import { indexAssumptions } from './assumptions.ts'
import { findCause, findCauses } from './causes.ts'
import { countOut, roleOf } from './lanes.ts'
import { freshEntry, isSettled, wasTold, withoutLink, type Entry, type Link } from './ledger.ts'
import { alteredBy, renewedBy } from './operations.ts'
import { rankSteps } from './rank.ts'
import { clearTimer, entriesNow, setEntry, type Turn } from './turn.ts'
import { withdrawFacts } from './facts.ts'

/** Makes a plan the first revision, or completes the one that was streaming in. */
export function adoptPlan(turn: Turn, plan: Plan): void {
  const streamed = turn.plan?.steps ?? []
  const ids = new Set(streamed.length > 0 ? plan.steps.map(({ id }) => id) : [])
  const isReady = ({ id, forEach }: Step): boolean => forEach !== undefined && turn.entries.get(id)?.status === 'ready'
  const known = streamed.filter(({ id }) => ids.has(id))
  for (const { id } of streamed) if (!ids.has(id)) removeStep(turn, id)
  turn.plan = plan
  turn.first = plan
  turn.planIsWhole = true
  turn.expanding.push(...known.flatMap((step) => (isReady(step) ? [step.id] : [])))
  takeIn(turn, plan, { isMoved: () => false })
  turn.expanding = [...new Set(turn.expanding)]
}

/** Applies a patch to the current revision. @throws `PATCH_REFUSED` when it does not apply; nothing has changed. */
function adoptPatch(turn: Turn, patch: Patch): void {
  if (turn.plan === undefined) return
  const next = applyPatch(turn.plan, patch)
  const moved = new Set(patch.operations.flatMap(movedBy))
  const renewed = new Set(patch.operations.flatMap(renewedBy))
  const cause = findCause(turn, patch)
  turn.plan = next
  turn.patches = turn.patches.push(patch)
  for (const id of removedBy(patch, next)) removeStep(turn, id, cause)
  takeIn(turn, next, {
    isMoved: (id) => moved.has(id),
    isRenewed: (id) => renewed.has(id),
    findCauses: () => findCauses(turn, patch, cause),
  })
}

/** Applies a patch; gives the reason where it cannot be applied, and then nothing has changed. */
export function tryPatch(turn: Turn, patch: Patch): string | undefined {
  const before = {
    ...turn,
    entries: entriesNow(turn),
    counts: { ...turn.counts },
    changed: [...turn.changed],
    changedFacts: [...turn.changedFacts],
  }
  const said = turn.commands.length
  try {
    adoptPatch(turn, patch)
    return undefined
  } catch (error) {
    turn.commands.length = said
    Object.assign(turn, before)
    return error instanceof Error ? error.message : String(error)
  }
}

/** Why a patch may not be applied while the ledger stands as it does; `undefined` when it may. */
export function findConflict(context: CoordinatorContext, patch: Patch): string | undefined {
  for (const operation of patch.operations) {
    for (const id of alteredBy(operation)) {
      const status = context.entries.get(id)?.status
      if (status === 'succeeded')
        return `"${id}" has succeeded, and what is done is not changed (operation "${operation.op}").`
      if (status === 'running')
        return `"${id}" is running, and cannot be changed meanwhile (operation "${operation.op}").`
    }
  }
  return undefined
}

function movedBy(operation: Operation): readonly string[] {
  return operation.op === 'reorder' ? operation.ids : operation.op === 'insert' ? [operation.step.id] : []
}

/** Steps that a patch has taken out. One that it puts in again, before or after, has been replaced. */
function removedBy({ operations }: Patch, next: Plan): readonly string[] {
  const removed = operations.flatMap((operation) => (operation.op === 'remove' ? [operation.id] : []))
  if (removed.length === 0) return removed
  const left = new Set(next.steps.map(({ id }) => id))
  return removed.filter((id) => !left.has(id))
}

interface Adoption {
  readonly isMoved: (id: string) => boolean
  /** A patch says the content of the step anew, be it the same. */
  readonly isRenewed?: (id: string) => boolean
  readonly findCauses?: () => ReadonlyMap<string, string>
}

const noCauses: ReadonlyMap<string, string> = new Map()

/** Brings steps, dependents, ranks and entries into line with a plan. */
function takeIn(turn: Turn, plan: Plan, { isMoved, isRenewed, findCauses = () => noCauses }: Adoption): void {
  const before = turn.steps
  const changed: Step[] = []
  for (const step of plan.steps) {
    const former = before.get(step.id)
    const isAgain = isRenewed?.(step.id) === true && hasEndedBadly(turn, step)
    if (isAgain || (former !== step && (former === undefined || stepHash(former) !== stepHash(step))))
      changed.push(step)
  }
  turn.steps = before.withMutations((steps) => {
    for (const step of changed) steps.set(step.id, step)
  })
  linkAll(turn, before, changed)
  rankSteps(turn, plan, isMoved)
  indexAssumptions(turn, plan) // now that every step has its entry: a broken one holds steps back
  const causes = findCauses()
  const reopened = changed.filter((step) => takeInStep(turn, step, before.get(step.id), causes))
  for (const step of changed) recount(turn, step.id)
  for (const step of reopened) reopenDependents(turn, step.id)
  propagate(turn)
}

/** @returns whether the step had ended, its dependents knew, and it is open again. */
function takeInStep(turn: Turn, step: Step, former: Step | undefined, causes: ReadonlyMap<string, string>): boolean {
  const entry = turn.entries.get(step.id)
  if (entry === undefined || (former === undefined && !isSettled(entry.status))) return false
  if (step.abandoned !== undefined) {
    // What was given up stays so, whatever else is changed of it.
    if (former?.abandoned === undefined) abandonStep(turn, step, entry, causes.get(step.id))
    return false
  }
  if (entry.status === 'succeeded' || entry.status === 'running') return false
  const isSame = former !== undefined && stepHash(former) === stepHash(step)
  revive(turn, step.id, entry, isSame)
  return wasTold(entry)
}

function hasEndedBadly(turn: Turn, { id, abandoned }: Step): boolean {
  const status = turn.entries.get(id)?.status
  return abandoned === undefined && (status === 'failed' || status === 'uncertain' || status === 'skipped')
}

/** Gives a step that was replaced a fresh start; late outcomes of former attempts stay late. With the content, its
 * idempotency key stays the same. */
function revive(turn: Turn, id: string, entry: Entry, isSame: boolean): void {
  clearTimer(turn, `retry:${id}`)
  setEntry(turn, id, {
    ...freshEntry,
    attempt: entry.attempt,
    generation: entry.attempt > 0 && !isSame ? entry.generation + 1 : entry.generation,
    rank: entry.rank,
    heldBy: entry.heldBy,
  })
}

function abandonStep(turn: Turn, step: Step, entry: Entry, cause: string | undefined): void {
  const { id } = step
  clearTimer(turn, `retry:${id}`)
  if (entry.status === 'succeeded') {
    withdraw(turn, id)
    setEntry(turn, id, { ...entry, causedBy: cause, loss: 'lost' })
    return
  }
  if (entry.status === 'running') {
    countOut(turn, step, -1)
    turn.commands.push({
      type: 'step.abort',
      stepId: id,
      attempt: entry.attempt,
      role: roleOf(turn.run, step),
      because: step.abandoned ?? '',
    })
  }
  const status = isSettled(entry.status) ? entry.status : 'abandoned'
  setEntry(turn, id, {
    ...entry,
    status,
    undecided: undefined,
    loss: 'lost',
    causedBy: entry.causedBy ?? cause,
    endedAt: entry.endedAt ?? turn.now,
  })
  if (!wasTold(entry)) turn.ended.push(id)
}

/** Takes back what a step gave: its facts are gone, not merely covered; its record stays. */
function withdraw(turn: Turn, id: string): void {
  const { facts, changed } = withdrawFacts(turn.facts, id)
  turn.facts = facts
  turn.changedFacts.push(...changed)
  turn.outputs = turn.outputs.delete(id)
}

export function removeStep(turn: Turn, id: string, cause?: string): void {
  const entry = turn.entries.get(id)
  const step = turn.steps.get(id)
  if (entry === undefined || step === undefined) return
  clearTimer(turn, `retry:${id}`)
  for (const dependency of dependenciesOf(step)) unlink(turn, id, dependency)
  turn.steps = turn.steps.delete(id)
  const status = isSettled(entry.status) ? entry.status : 'abandoned'
  const causedBy = entry.causedBy ?? (cause === id ? undefined : cause)
  const endedAt = entry.endedAt ?? turn.now
  setEntry(turn, id, { ...entry, status, causedBy, undecided: undefined, loss: undefined, endedAt })
}

function linkAll(turn: Turn, before: PersistentMap<string, Step>, changed: readonly Step[]): void {
  const added: (readonly [string, readonly string[]])[] = []
  for (const step of changed) {
    const former = before.get(step.id)
    const now = dependenciesOf(step)
    const then = former === undefined ? [] : dependenciesOf(former)
    const kept = new Set(now)
    for (const dependency of then) if (!kept.has(dependency)) unlink(turn, step.id, dependency)
    const known = new Set(then)
    added.push([step.id, then.length === 0 ? now : now.filter((dependency) => !known.has(dependency))])
  }
  turn.dependents = turn.dependents.withMutations((dependents) => {
    for (const [id, dependencies] of added) {
      for (const dependency of dependencies) dependents.set(dependency, { id, next: dependents.get(dependency) })
    }
  })
}

function unlink(turn: Turn, id: string, dependency: string): void {
  const rest: Link | undefined = withoutLink(turn.dependents.get(dependency), id)
  turn.dependents = rest === undefined ? turn.dependents.delete(dependency) : turn.dependents.set(dependency, rest)
}
