// The ledger as people read it.
import type { CoordinatorContext } from '../machines/coordinator.context.ts'
import type { StepReport } from '../machines/reports.messages.ts'
import { reportOf } from '../machines/decisions/ledger.ts'

/** First the steps of the plan in its order, then those of former revisions. */
export function* ledgerOf({
  entries,
  plan,
}: Pick<CoordinatorContext, 'entries' | 'plan'>): Generator<StepReport & { readonly id: string }> {
  const told = new Set<string>()
  for (const { id } of plan?.steps ?? []) {
    const entry = entries.get(id)
    told.add(id)
    if (entry) yield { id, ...reportOf(entry) }
  }
  for (const [id, entry] of entries) if (!told.has(id)) yield { id, ...reportOf(entry) }
}
