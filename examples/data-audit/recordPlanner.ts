// A planner that remembers how it changed the plan, so that a report written during the run can tell.
//
// It is wrapped around any planner and changes nothing of what that answers. What it knows of steps is what the planner was
// shown when it was last asked; a program that holds the run itself knows more (`historyOf(run)`).
import type { PlanAnswer, PlanDraft, Planner, ReplanRequest } from 'planloom'
import { applyPatch, type Plan } from 'planloom/plan'
import { historyOf, type History } from './report/history.ts'

interface Record {
  readonly revisions: Plan[]
  last: ReplanRequest | undefined
}

export interface RecordedPlanner {
  readonly planner: Planner
  /** How the plan of a run has changed so far. */
  readonly history: (runId: string) => History | undefined
}

export function recordPlanner(planner: Planner): RecordedPlanner {
  const records = new Map<string, Record>()
  /** First plans by their goal: which run they are for is known when the first one is amended. */
  const drafts = new Map<string, PlanDraft>()

  function recordOf(plan: Plan): Record {
    const known = records.get(plan.id)
    if (known !== undefined) return known
    const record: Record = { revisions: firstOf(plan, drafts.get(plan.goal.text)), last: undefined }
    records.set(plan.id, record)
    return record
  }

  function see(plan: Plan): void {
    const { revisions } = recordOf(plan)
    if ((revisions.at(-1)?.revision ?? 0) < plan.revision) revisions.push(plan)
  }

  const recorded: Planner = {
    ...planner,
    plan(request, context) {
      const answer = planner.plan(request, context)
      const note = (given: PlanAnswer) => {
        if ('steps' in given) drafts.set(request.goal.text, given)
        return given
      }
      if (Symbol.asyncIterator in answer || Symbol.iterator in answer) return answer
      return answer instanceof Promise ? answer.then(note) : note(answer)
    },
    async replan(request, context) {
      see(request.plan)
      recordOf(request.plan).last = request
      if (planner.replan === undefined) return { giveUp: `The planner "${planner.name}" does not amend plans.` }
      const answer = await planner.replan(request, context)
      if ('patch' in answer) {
        const because = answer.because ?? request.troubles.map(({ text }) => text).join('; ')
        const steps = request.troubles.flatMap(({ stepId }) => (stepId === undefined ? [] : [stepId]))
        see(
          applyPatch(request.plan, {
            base: request.plan.revision,
            by: { planner: planner.name },
            because: {
              type: request.troubles.every(({ type }) => type === 'expanded') ? 'expanded' : 'trouble',
              text: because,
              steps,
            },
            operations: [...answer.patch],
          }),
        )
      }
      return answer
    },
  }
  return {
    planner: recorded,
    history(runId) {
      const record = records.get(runId)
      if (record === undefined) return undefined
      const { revisions, last } = record
      const steps = revisions.at(-1)?.steps ?? []
      return historyOf({
        revisions,
        ledger: () => steps.map(({ id }) => ({ status: 'planned', ...finalReport(last, id), id })),
      })
    },
  }
}

function firstOf(plan: Plan, draft: PlanDraft | undefined): Plan[] {
  if (draft === undefined || plan.revision === 1) return []
  const because = { type: 'first', text: 'first plan' } as const
  return [
    {
      ...plan,
      revision: 1,
      parent: null,
      because,
      steps: [...draft.steps],
      assumptions: [...(draft.assumptions ?? [])],
    },
  ]
}

/** How a step ended, where it had ended when the planner was last asked. */
function finalReport(request: ReplanRequest | undefined, id: string) {
  const report = request?.situation.step(id)
  return report !== undefined && ['succeeded', 'failed', 'skipped', 'abandoned', 'uncertain'].includes(report.status)
    ? report
    : undefined
}
