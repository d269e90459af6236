// The facts that the tools have given which a model called.
//
// A fact that two calls have given differently is not known: nobody can tell which of them is about the step.
import type { FactGiven } from '../../../machines/reports.messages.ts'
import { sameJson } from '../../../plan/sameJson.ts'

export function factsOfCalls(calls: readonly (readonly FactGiven[])[]): readonly FactGiven[] {
  const facts = new Map<string, FactGiven>()
  const unclear = new Set<string>()
  for (const fact of calls.flat()) {
    const before = facts.get(fact.key)
    if (before !== undefined && !sameJson(before.value, fact.value)) unclear.add(fact.key)
    facts.set(fact.key, fact)
  }
  return [...facts.values()].filter(({ key }) => !unclear.has(key))
}
