// From a transition of a run to the entry that clients get of it.
import type { RunStarted, RunState, StepReport, Transition } from '../../runtime/index.ts'
import type { RunEntry, StepChange, UsedSoFar } from '../protocol/runEntry.ts'
import { patchedPlan, streamedStep, wholePlan } from './outline.ts'
import { preview, shortened } from './shortened.ts'
import { textOf } from './eventText.ts'

/** Longest line of text and longest preview of a value. */
const lineLength = 200
const previewLength = 80

/** What entries say only where it is other than before. */
interface Standing {
  readonly state: RunState | undefined
  readonly used: Transition['used'] | undefined
}

/** Makes the entries of one run, in order, from its first transition on. */
export class RunEntries {
  readonly #run: RunStarted
  #before: Standing = { state: undefined, used: undefined }

  /** @param run its first event */
  constructor(run: RunStarted) {
    this.#run = run
  }

  next(transition: Transition): RunEntry {
    const { n, at, event, state, used, refused } = transition
    const before = this.#before
    this.#before = { state, used }
    const text = textOf(event)
    const by = 'by' in event ? event.by : undefined
    const step = 'stepId' in event ? event.stepId : undefined
    const steps = transition.steps.map(changeOf)
    const revisions = this.#revisionsOf(transition)
    const facts = this.#factsOf(transition)
    return {
      n,
      at,
      type: event.type,
      ...(event.type === 'run.started' && { origin: originOf(event) }),
      ...(by !== undefined && { by: shortened(by, lineLength) }),
      ...(step !== undefined && { step }),
      ...('attempt' in event && { attempt: event.attempt }),
      ...(text !== undefined && { text: shortened(text, lineLength) }),
      ...(state !== before.state && { state }),
      ...(steps.length > 0 && { steps }),
      ...(revisions.length > 0 && { revisions }),
      ...(facts.length > 0 && { facts }),
      ...(used !== before.used && differs(used, before.used) && { used: usedSoFar(used) }),
      ...(transition.outcome && { outcome: outcomeOf(transition.outcome) }),
      ...(refused !== undefined && { refused: shortened(refused, lineLength) }),
    }
  }

  #revisionsOf({ event, plan, patches, revision, refused }: Transition): NonNullable<RunEntry['revisions']> {
    const run = this.#run
    const first = revision - patches.length + 1
    const patched = patches.map((patch, index) => patchedPlan(patch, first + index, run))
    if (plan !== undefined) return [wholePlan(plan, run), ...patched]
    if (event.type === 'plan.stepProposed' && refused === undefined && revision === 1)
      return [streamedStep(event.step, run)]
    return patched
  }

  #factsOf({ facts, known }: Transition): NonNullable<RunEntry['facts']> {
    if (facts.length === 0) return []
    const reports = new Map(known.map((fact) => [fact.key, fact]))
    return [...new Set(facts)].map((key) => {
      const fact = reports.get(key)
      return fact === undefined ? { key } : { key, by: fact.by, preview: preview(fact.value, previewLength) }
    })
  }
}

function changeOf(report: StepReport & { readonly id: string }): StepChange {
  const { id, status, attempt, startedAt, endedAt, failure, causedBy, subRunId, reusedFrom } = report
  return {
    id,
    status,
    ...(attempt > 0 && { attempt }),
    ...(startedAt !== undefined && { startedAt }),
    ...(endedAt !== undefined && { endedAt }),
    ...(failure && { code: failure.code, message: shortened(failure.message, lineLength) }),
    ...(causedBy !== undefined && { causedBy }),
    ...(subRunId !== undefined && { subRunId }),
    ...(reusedFrom && { reused: true }),
  }
}

function originOf({ goal, planner, labels, parentRunId, parentStepId, forkedFrom }: RunStarted): RunEntry['origin'] {
  return {
    goal: shortened(goal.text, lineLength),
    planner,
    ...(labels && { labels: { ...labels } }),
    ...(parentRunId !== undefined &&
      parentStepId !== undefined && { parent: { runId: parentRunId, stepId: parentStepId } }),
    ...(forkedFrom && { forkedFrom: { runId: forkedFrom.runId, n: forkedFrom.seq } }),
  }
}

function usedSoFar({ tokens, cost, plannerCalls, replans }: Transition['used']): UsedSoFar {
  return { tokens, cost, plannerCalls, replans }
}

/** Time is in every entry. */
function differs(used: Transition['used'], before: Transition['used'] | undefined): boolean {
  if (before === undefined) return true
  const [now, then] = [usedSoFar(used), usedSoFar(before)]
  return (Object.keys(now) as (keyof UsedSoFar)[]).some((key) => now[key] !== then[key])
}

function outcomeOf({ status, reason, message }: NonNullable<Transition['outcome']>): RunEntry['outcome'] {
  return { status, reason, message }
}
