// What a changed plan assumes: of steps that were thought over what the new solution assumes; all other assumptions stay.
import { canonicalJson } from '../../../plan/hash.ts'
import type { Assumption, Operation, Step } from '../../../plan/schema.ts'
import { isTrue } from './knowledge.ts'
import { sameJson } from '../../../plan/sameJson.ts'
import type { Standing } from './standing.ts'

interface Thought {
  readonly standing: Standing
  /** Steps that were thought over. */
  readonly affected: ReadonlySet<string>
  /** Ids of assumptions that have turned out to be wrong. */
  readonly broken: readonly string[]
}

export function changeAssumptions(
  { standing, affected, broken }: Thought,
  written: readonly Assumption[],
  gone: readonly Step[],
): Operation[] {
  const operations: Operation[] = []
  const goneIds = new Set(gone.map(({ id }) => id))
  const fresh = new Map(written.map((assumption) => [meaningOf(assumption), assumption]))
  for (const assumption of concerned({ standing, affected, broken }, written)) {
    const meaning = meaningOf(assumption)
    const next = fresh.get(meaning)
    const known = standing.knowledge.facts.get(assumption.fact)
    const isConfirmed = known !== undefined && isTrue(assumption.is, known.value)
    const others = assumption.steps.filter((id) => (isConfirmed || !affected.has(id)) && !goneIds.has(id))
    const steps = [...new Set([...others, ...(next?.steps ?? [])])]
    fresh.delete(meaning)
    if (steps.length === 0 || broken.includes(assumption.id)) operations.push({ op: 'unassume', id: assumption.id })
    else if (!sameJson([...steps].sort(), [...assumption.steps].sort())) {
      operations.push({ op: 'assume', assumption: { ...assumption, steps } })
    }
  }
  const added = new Set<string>()
  for (const assumption of fresh.values()) {
    const id = freeId(assumption.id, (one) => standing.assumptions.has(one) || added.has(one))
    added.add(id)
    operations.push({ op: 'assume', assumption: { ...assumption, id } })
  }
  return operations
}

/** Assumptions of the plan that can change: those of steps thought over, broken ones, and those that are made again. */
function concerned({ standing, affected, broken }: Thought, written: readonly Assumption[]): readonly Assumption[] {
  const { assumptions, assumptionsOf, assumptionsAbout } = standing
  const found = new Set<Assumption>()
  for (const id of affected) for (const assumption of assumptionsOf.get(id) ?? []) found.add(assumption)
  for (const { fact } of written) for (const assumption of assumptionsAbout.get(fact) ?? []) found.add(assumption)
  for (const id of broken) {
    const assumption = assumptions.get(id)
    if (assumption) found.add(assumption)
  }
  return [...found].sort((a, b) => (standing.assumptionPlace.get(a) ?? 0) - (standing.assumptionPlace.get(b) ?? 0))
}

function meaningOf({ fact, is }: Assumption): string {
  return `${fact} ${canonicalJson(is)}`
}

function freeId(id: string, isTaken: (id: string) => boolean): string {
  const [name = id, suffix = ''] = /^(.*?)(\[[\d.]+\])?$/.exec(id)?.slice(1) ?? [id]
  for (let nth = 1; ; nth++) {
    const free = nth === 1 ? id : `${name}:${String(nth)}${suffix}`
    if (!isTaken(free)) return free
  }
}
