// Views of a coordinator's state, for planners and people: read when looked at, never copied.
import type { CoordinatorContext } from '../machines/coordinator.context.ts'
import type { PlanSituation } from '../machines/reports.messages.ts'
import { findFact, listFacts } from '../machines/decisions/facts.ts'
import { reportOf } from '../machines/decisions/ledger.ts'
import type { Plan } from '../plan/schema.ts'

/** Plan, ledger, outputs and facts as they are in `context`, for as long as anybody holds it. */
export function situationOf(context: CoordinatorContext, plan: Plan): PlanSituation {
  return {
    plan,
    step(id) {
      const entry = context.entries.get(id)
      return entry && reportOf(entry)
    },
    output: (id) => context.outputs.get(id),
    fact: (key) => findFact(context.facts, key),
    facts: () => listFacts(context.facts),
  }
}
