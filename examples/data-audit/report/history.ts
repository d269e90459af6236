// How the run came to its report: every revision of the plan, what it changed and why, and how each step ended.
import type { Plan } from 'planloom/plan'
import { diffPlans } from 'planloom/plan'

export interface StepRecord {
  readonly id: string
  readonly tool: string | undefined
  /** Number of the file it works on. */
  readonly item: number | undefined
  readonly status: string
  readonly seconds: number | undefined
  readonly failure: { readonly code: string; readonly message: string; readonly hint?: string } | undefined
  readonly abandoned: string | undefined
  /** Another step has taken its place: it is in the plan no more. */
  readonly replaced: boolean
}

export interface RevisionRecord {
  readonly revision: number
  readonly by: string
  readonly type: Plan['because']['type']
  readonly because: string
  readonly steps: number
  readonly inserted: readonly string[]
  readonly removed: readonly string[]
  readonly replaced: readonly string[]
  readonly abandoned: readonly { readonly id: string; readonly because: string }[]
  readonly reordered: readonly string[]
}

export interface History {
  readonly revisions: readonly RevisionRecord[]
  readonly steps: readonly StepRecord[]
}

/** What the history is made from; a `Run` is one. */
export interface HistorySource {
  readonly revisions: readonly Plan[]
  ledger(): Iterable<{
    readonly id: string
    readonly status: string
    readonly failure?: { readonly code: string; readonly message: string; readonly hint?: string }
    readonly startedAt?: number
    readonly endedAt?: number
  }>
}

/** Takes down how a run has gone so far. */
export function historyOf(run: HistorySource): History {
  const latest = run.revisions.at(-1)
  const known = new Map(run.revisions.flatMap(({ steps }) => steps).map((step) => [step.id, step]))
  const current = new Map(latest?.steps.map((step) => [step.id, step]))
  const reports = [...run.ledger()].sort((a, b) => (a.startedAt ?? Infinity) - (b.startedAt ?? Infinity))
  const steps = reports.map(({ id, status, failure, startedAt, endedAt }): StepRecord => {
    const step = current.get(id) ?? known.get(id)
    return {
      id,
      tool: step?.tool,
      item: step?.item === undefined ? undefined : Number(step.item.split('.')[0]),
      status,
      seconds: startedAt === undefined || endedAt === undefined ? undefined : (endedAt - startedAt) / 1000,
      failure: failure && {
        code: failure.code,
        message: failure.message,
        ...(failure.hint !== undefined && { hint: failure.hint }),
      },
      abandoned: step?.abandoned,
      replaced: !current.has(id),
    }
  })
  const revisions = run.revisions.map((plan, index) => recordOf(run.revisions[index - 1], plan))
  return { revisions, steps }
}

function recordOf(before: Plan | undefined, plan: Plan): RevisionRecord {
  const record = {
    revision: plan.revision,
    by: plan.by.planner,
    type: plan.because.type,
    because: plan.because.text,
    steps: plan.steps.length,
  }
  if (before === undefined)
    return {
      ...record,
      inserted: plan.steps.map(({ id }) => id),
      removed: [],
      replaced: [],
      abandoned: [],
      reordered: [],
    }
  const { operations } = diffPlans(before, plan)
  const wasAbandoned = new Set(before.steps.filter((step) => step.abandoned !== undefined).map(({ id }) => id))
  return {
    ...record,
    inserted: operations.flatMap((operation) => (operation.op === 'insert' ? [operation.step.id] : [])),
    removed: operations.flatMap((operation) => (operation.op === 'remove' ? [operation.id] : [])),
    replaced: operations.flatMap((operation) =>
      operation.op === 'replace' && operation.step.abandoned === undefined ? [operation.id] : [],
    ),
    abandoned: plan.steps.flatMap(({ id, abandoned }) =>
      abandoned === undefined || wasAbandoned.has(id) ? [] : [{ id, because: abandoned }],
    ),
    reordered: operations.flatMap((operation) => (operation.op === 'reorder' ? operation.ids : [])),
  }
}
