// Forks: a new run that begins as another one did, up to a moment of it, and goes on from there with something changed.
//
// K1. The record of a fork is whole by itself: it begins with the events of the run that it comes from, and can be replayed,
//     exported and gone on with when that run is gone. Large outputs are not stored again.
// K2. What had succeeded by then is not carried out again.
// K3. What is changed is checked before there is a fork: one that is refused leaves nothing behind.
import { PlanloomError } from '../errors.ts'
import type { ReadAnswer } from '../actors/executors/personExecutor.ts'
import type { JournalEvent } from '../journal/journal.ts'
import type { CoordinatorContext } from '../machines/coordinator.context.ts'
import { CoordinatorFold, type CoordinatorStanding } from '../machines/coordinatorFold.ts'
import type { Draft, ForkOutcome, RunForked, RunStarted } from '../machines/coordinator.messages.ts'
import type { ToolTraits } from '../machines/settings.messages.ts'
import { toJsonValue } from '../plan/jsonValue.ts'
import type { Patch } from '../plan/schema.ts'
import { checkAnswer } from './checkAnswer.ts'
import { checkEdit, readPatch, type EditMeans } from './checkEdit.ts'
import { foldJournal } from './replay.ts'
import type { ForkOptions } from './runtime.ts'
import { namedLimits } from './settings.ts'

export interface ForkMeans extends EditMeans {
  readonly readAnswer: ReadAnswer
  readonly traits: Readonly<Record<string, ToolTraits>>
  readonly planner: string
  /** Id of the new run. */
  readonly runId: string
  /** ms since the epoch. */
  readonly now: number
}

/** What a fork begins with. */
export interface Fork {
  readonly run: RunStarted
  /** The events of the record, `run` first. */
  readonly past: readonly JournalEvent[]
  readonly message: Draft<RunForked>
}

/** Makes ready a fork of a run after the last of its events that are given.
 *
 * @throws `FORK_REFUSED` where the run was over or ending then, or where the outcome of a step that others have used would change;
 *   `ANSWER_INVALID`, `PATCH_REFUSED`, `PLAN_INVALID`
 */
export function prepareFork(
  parent: RunStarted,
  events: readonly JournalEvent[],
  changes: ForkOptions,
  means: ForkMeans,
): Fork {
  const run = forkOf(parent, events.at(-1)?.seq ?? 0, means)
  const past: readonly JournalEvent[] = [{ ...run, seq: 0 }, ...withoutChangedOutcome(events, changes).slice(1)]
  const standing = foldJournal(past)
  const { context } = standing
  refuseIfEnding(context, parent.runId, events)
  const patch = patchOf(context, changes, means)
  const message: Draft<RunForked> = {
    type: 'run.forked',
    since: past.at(-1)?.at ?? run.at,
    tools: means.traits,
    planner: means.planner,
    ...outcomesOf(context, events, changes, means),
    ...(changes.facts && {
      facts: Object.entries(changes.facts).map(([key, value]) => ({ key, value: toJsonValue(value) })),
    }),
    ...(changes.withdrawn && { withdrawn: changes.withdrawn }),
    ...(changes.limits && { limits: namedLimits(changes.limits) }),
    ...(patch && { patch }),
    ...(changes.uncertain && { uncertain: changes.uncertain }),
    ...(changes.by !== undefined && { by: changes.by }),
  }
  tryOut(standing, { ...message, id: `e${String(past.length)}`, at: means.now })
  return { run, past, message }
}

function forkOf(
  { parentRunId: _run, parentStepId: _step, ...start }: RunStarted,
  seq: number,
  { runId, now }: ForkMeans,
): RunStarted {
  return { ...start, runId, forkedFrom: { runId: start.runId, seq, at: now } }
}

/** A step whose outcome is the last event may have another one: it is taken to be running still. */
function withoutChangedOutcome(events: readonly JournalEvent[], { outcomes }: ForkOptions): readonly JournalEvent[] {
  const last = events.at(-1)
  const isChanged = last !== undefined && endsStep(last) && Object.hasOwn(outcomes ?? {}, last.stepId)
  return isChanged ? events.slice(0, -1) : events
}

function endsStep(event: JournalEvent): event is Extract<JournalEvent, { readonly stepId: string }> {
  return [
    'step.succeeded',
    'step.failed',
    'step.surprised',
    'step.timedOut',
    'step.uncertain',
    'step.answered',
  ].includes(event.type)
}

function refuseIfEnding(
  { verdict, outcome }: CoordinatorContext,
  runId: string,
  events: readonly JournalEvent[],
): void {
  if (verdict === undefined && outcome === undefined) return
  const said = outcome === undefined ? 'was ending' : 'was over'
  throw refused(runId, `Run "${runId}" ${said} after event ${String(events.length - 1)}: nothing comes after that.`, {
    hint: 'Fork it before: "planloom events" lists what happened, with the numbers.',
  })
}

function outcomesOf(
  { entries, steps }: CoordinatorContext,
  events: readonly JournalEvent[],
  { outcomes }: ForkOptions,
  { runId, readAnswer }: ForkMeans,
): Pick<RunForked, 'outcomes'> {
  if (outcomes === undefined) return {}
  const read = Object.entries(outcomes).map(([id, outcome]): readonly [string, ForkOutcome] => {
    const step = steps.get(id)
    if (step === undefined || entries.get(id)?.status !== 'running') throw notRunning(id, events)
    if ('output' in outcome) {
      const { value, facts } = checkAnswer(runId, step, outcome.output, readAnswer)
      return [id, { output: value, facts }]
    }
    const failure = { code: outcome.code ?? 'FORKED', message: outcome.failure, retryable: false }
    return [id, { failure }]
  })
  return { outcomes: Object.fromEntries(read) }
}

function notRunning(stepId: string, events: readonly JournalEvent[]): PlanloomError {
  const at = String(events.length - 1)
  const ended = events.findLast((event) => endsStep(event) && event.stepId === stepId)
  const what =
    ended === undefined
      ? `Step "${stepId}" was not running after event ${at}.`
      : `Step "${stepId}" had ended with event ${String(ended.seq)}, and others may have used what came of it by event ${at}.`
  const hint =
    ended === undefined
      ? 'Fork at an event at which it is running, or at the one that tells of its end.'
      : `Fork at event ${String(ended.seq)} to give it another outcome.`
  return refused(undefined, what, { hint, stepId })
}

function patchOf(context: CoordinatorContext, { operations, by }: ForkOptions, means: ForkMeans): Patch | undefined {
  if (operations === undefined) return undefined
  const { plan } = context
  if (plan === undefined || !context.planIsWhole)
    throw refused(undefined, 'There was no plan yet that could be changed.', {
      hint: 'Fork it later, or with another planner.',
    })
  const patch = readPatch(means.runId, {
    base: plan.revision,
    by: { planner: by ?? 'person' },
    because: { type: 'forked', text: 'changed in a fork' },
    operations,
  })
  checkEdit(means.runId, context, plan, patch, means)
  return patch
}

/** What the checks could not know: whether the patch still applies once the rest has changed. */
function tryOut(standing: CoordinatorStanding, event: RunForked): void {
  const fold = new CoordinatorFold(standing)
  fold.take(event)
  const { refused: why } = fold.context
  if (why !== undefined) {
    throw new PlanloomError('PATCH_REFUSED', why, {
      hint: 'Leave finished and running steps alone; insert or rewire what comes after them.',
    })
  }
}

function refused(
  runId: string | undefined,
  message: string,
  { hint, stepId }: { readonly hint: string; readonly stepId?: string },
): PlanloomError {
  const where = { ...(runId !== undefined && { runId }), ...(stepId !== undefined && { stepId }) }
  return new PlanloomError('FORK_REFUSED', message, { hint, where })
}
