// Assumptions: statements about facts that steps rest on, checked whenever those facts change.
//
// S1. A broken assumption holds back the steps that rest on it, and nobody else, until the planner has dealt with it.
// S2. A fact that is unknown breaks nothing.
import { Map as PersistentMap } from 'immutable'
import { canonicalJson } from '../../plan/hash.ts'
import type { Json } from '../../plan/json.ts'
import { checkSchema } from '../../plan/jsonSchemaCheck.ts'
import type { Assumption, Plan } from '../../plan/schema.ts'
import { makeReady, propagate } from './advance.ts'
import { raise } from './fail.ts'
import { findFact } from './facts.ts'
import { isSettled } from './ledger.ts'
import { takeBackTroubles } from './troubles.ts'
import { setEntry, type Turn } from './turn.ts'

/** Takes over the assumptions of a revision: new ones are checked, and steps held by those that are gone are let go. One
 * that only rests under other steps now (an expanded one has children) stays broken or waived as it was. */
export function indexAssumptions(turn: Turn, plan: Plan): void {
  const former = turn.assumptions
  if (former.isEmpty() && plan.assumptions.length === 0) return
  const byFact = new Map<string, string[]>()
  for (const { id, fact } of plan.assumptions) byFact.set(fact, [...(byFact.get(fact) ?? []), id])
  turn.assumptions = PersistentMap(plan.assumptions.map((assumption) => [assumption.id, assumption]))
  turn.assumptionsByFact = PersistentMap(byFact)
  for (const [id, assumption] of former) {
    const next = turn.assumptions.get(id)
    if (next === assumption) continue
    release(turn, assumption)
    if (next !== undefined && saysTheSame(next, assumption)) {
      if (turn.broken.has(id)) hold(turn, next)
      continue
    }
    turn.broken = turn.broken.delete(id)
    turn.waived = turn.waived.delete(id)
  }
  for (const assumption of plan.assumptions) {
    const known = former.get(assumption.id)
    if (known === undefined || !saysTheSame(known, assumption)) check(turn, assumption)
  }
}

function saysTheSame(a: Assumption, b: Assumption): boolean {
  return a === b || (a.fact === b.fact && canonicalJson(a.is) === canonicalJson(b.is))
}

/** Checks again what rests on facts that have changed. */
export function checkAssumptions(turn: Turn, changedFacts: readonly string[]): void {
  for (const key of changedFacts) {
    for (const id of turn.assumptionsByFact.get(key) ?? []) {
      const assumption = turn.assumptions.get(id)
      if (assumption) check(turn, assumption)
    }
  }
}

/** Goes on although the assumption is broken: the planner has said that the plan stands. */
export function waive(turn: Turn, id: string): void {
  const assumption = turn.assumptions.get(id)
  turn.waived = turn.waived.add(id)
  turn.broken = turn.broken.delete(id)
  if (assumption) release(turn, assumption)
}

function check(turn: Turn, assumption: Assumption): void {
  const { id, fact, is } = assumption
  const known = findFact(turn.facts, fact)
  const problems = known === undefined ? [] : checkSchema(is, known.value)
  if (problems.length === 0) {
    if (!turn.broken.has(id)) return
    turn.broken = turn.broken.delete(id)
    takeBackTroubles(turn)
    release(turn, assumption)
  } else if (!turn.broken.has(id) && !turn.waived.has(id)) {
    turn.broken = turn.broken.add(id)
    hold(turn, assumption)
    raise(turn, {
      type: 'assumption_broken',
      text: `${fact} is ${shorten(known?.value)}, and the plan assumes that ${assumption.statement}`,
      assumption,
      ...(known && !known.by.includes(':') && known.by !== 'goal' && { stepId: known.by }),
    })
  }
}

function hold(turn: Turn, { id, steps }: Assumption): void {
  for (const stepId of steps) {
    const entry = turn.entries.get(stepId)
    if (entry === undefined || isSettled(entry.status) || entry.status === 'running') continue
    const heldBy = [...(entry.heldBy ?? []), id]
    setEntry(turn, stepId, { ...entry, status: entry.status === 'backing_off' ? 'backing_off' : 'held', heldBy })
  }
}

function release(turn: Turn, { id, steps }: Assumption): void {
  for (const stepId of steps) {
    const entry = turn.entries.get(stepId)
    if (!entry?.heldBy?.includes(id)) continue
    const heldBy = entry.heldBy.filter((other) => other !== id)
    setEntry(turn, stepId, { ...entry, status: entry.status === 'held' ? 'waiting' : entry.status, heldBy })
    if (heldBy.length === 0 && entry.status === 'held' && entry.missing === 0) makeReady(turn, stepId)
  }
  propagate(turn)
}

function shorten(value: Json | undefined): string {
  const text = value === undefined ? 'unknown' : JSON.stringify(value)
  return text.length > 80 ? `${text.slice(0, 77)}…` : text
}
