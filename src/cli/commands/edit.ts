// `planloom edit`: the plan of a run is changed by a patch, or by a file that holds the plan as it is to be.
import { PlanloomError } from '../../errors.ts'
import { diffPlans, type Operation } from '../../plan/index.ts'
import { readRun, type RunCommand, type SqliteJournal } from '../../runtime/index.ts'
import { checkedPlan, loadPlanValue } from '../loadPlan.ts'

/** What a file asks of the plan of a run. Whether it can be done is for whoever has the run to say.
 *
 * @throws `PLAN_INVALID`; `USAGE` for a file that is neither, that changes nothing, or that was made for another revision */
export async function editOf(
  file: string,
  journal: SqliteJournal,
  runId: string,
  at?: number,
): Promise<Extract<RunCommand, { readonly type: 'run.edit' }>> {
  const value = await loadPlanValue(file)
  const { plan } = await readRun(journal, runId, at === undefined ? {} : { at })
  const { operations, base, revision } = documentOf(value)
  const made = operations === undefined ? revision : base
  if (plan !== undefined && made !== undefined && made !== plan.revision) {
    throw new PlanloomError(
      'USAGE',
      `${file} is for revision ${JSON.stringify(made)} of the plan, and run "${runId}" has come to revision ${plan.revision}.`,
      { hint: `planloom show ${runId} --json gives the plan as it is now.`, where: { path: file, runId } },
    )
  }
  if (operations !== undefined) return { type: 'run.edit', operations: operations as readonly Operation[] }
  if (plan === undefined) {
    throw new PlanloomError('USAGE', `Run "${runId}" has no plan yet that could be changed.`, { where: { runId } })
  }
  const edited = diffPlans(plan, checkedPlan(file, value))
  if (edited.operations.length > 0) return { type: 'run.edit', operations: edited.operations }
  throw new PlanloomError('USAGE', `${file} is the plan as it is: there is nothing to change.`, {
    hint: 'Change its steps, assumptions or goal; or give a patch with operations.',
    where: { path: file, runId },
  })
}

/** What is no document at all is no plan either: that is said where plans are checked. */
function documentOf(value: unknown): Document {
  if (Array.isArray(value)) return { operations: value }
  return typeof value === 'object' && value !== null ? value : {}
}

interface Document {
  readonly operations?: unknown
  readonly base?: unknown
  readonly revision?: unknown
}
