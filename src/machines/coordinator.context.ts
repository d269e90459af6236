// What the coordinator holds. Persistent values and counters only: every earlier state stays readable, and no event
// costs more because the plan is larger.
import { List, Map as PersistentMap, Set as PersistentSet } from 'immutable'
import type { Json } from '../plan/json.ts'
import type { Assumption, Patch, Plan, Step } from '../plan/schema.ts'
import type { CoordinatorCommand } from './command.messages.ts'
import type { RunStarted } from './coordinator.messages.ts'
import type { ModelUsage } from './modelUsage.messages.ts'
import type { BudgetUsed, Failure, Outcome, OutcomeReason, StepStatus, Trouble } from './reports.messages.ts'
import type { RunLimits } from './settings.messages.ts'
import { noFacts, type Facts } from './decisions/facts.ts'
import type { Entry, Link } from './decisions/ledger.ts'
import type { StepQuestions } from './decisions/questionBook.ts'
import type { ReadyQueue } from './decisions/readyQueue.ts'

/** What the planner was asked and has not answered. */
export interface Asked {
  readonly requestId: string
  readonly troubles: readonly Trouble[]
  /** How often the planner has broken down over these same troubles. */
  readonly breakdowns: number
}

/** How the run is going to end, as soon as nothing is out any more. */
export interface Verdict {
  readonly status: Outcome['status']
  readonly reason: OutcomeReason
  readonly message: string
  readonly stepId?: string | undefined
  readonly failure?: Failure | undefined
  readonly cycle?: readonly string[] | undefined
}

/** The end of the run's record, or of that of the sub-run in whose place it is, is lost. */
export interface LostEnd {
  /** The latest event that is left of it; absent where nothing is. */
  readonly after: number | undefined
  /** As they were then. */
  readonly tools: RunStarted['tools']
  /** Steps that were not carried out in the part that is lost, or of which that was asked already. */
  readonly known: PersistentSet<string>
}

export interface CoordinatorContext {
  readonly run: RunStarted
  readonly limits: RunLimits

  /** The current revision; while a plan streams in, what there is of it. */
  readonly plan: Plan | undefined
  readonly planIsWhole: boolean
  readonly planIsApproved: boolean
  readonly first: Plan | undefined
  readonly patches: List<Patch>
  /** A patch that waits for approval. */
  readonly proposed: Patch | undefined
  /** The troubles that it answers. */
  readonly proposedFor: readonly Trouble[]

  readonly steps: PersistentMap<string, Step>
  readonly dependents: PersistentMap<string, Link>
  readonly entries: PersistentMap<string, Entry>
  readonly outputs: PersistentMap<string, Json>
  readonly facts: Facts
  readonly assumptions: PersistentMap<string, Assumption>
  readonly assumptionsByFact: PersistentMap<string, readonly string[]>
  /** Broken assumptions that were not dealt with yet. */
  readonly broken: PersistentSet<string>
  readonly waived: PersistentSet<string>

  readonly ready: PersistentMap<string, ReadyQueue>
  readonly counts: Readonly<Record<StepStatus, number>>
  /** Steps out with executors, by lane limit: `role:tool`, `tool:http_fetch`. */
  readonly out: PersistentMap<string, number>
  /** Steps out that count against the run's concurrency (all but those that wait for a person). */
  readonly busy: number
  readonly timers: PersistentMap<string, number>
  /** Steps of which it is being found out whether they had their effect, and from whom. */
  readonly doubts: PersistentMap<string, 'tool' | 'person'>
  /** What attempts of a step have asked people. */
  readonly questions: PersistentMap<string, StepQuestions>
  /** Steps whose attempts have their answer, and wait for a place among those that are out; some of them may have ended. */
  readonly answered: List<string>

  readonly troubles: List<Trouble>
  readonly asked: Asked | undefined
  readonly requests: number
  readonly used: BudgetUsed
  /** What calls of models have used, by who made them: `planner`, `step:<id>`. */
  readonly modelUse: PersistentMap<string, ModelUsage>
  /** What calls of models below sub-runs have used, by sub-run, with the step that began it. */
  readonly subRunUse: PersistentMap<string, { readonly stepId: string; readonly usage: ModelUsage }>
  /** Plan, facts and progress after each replanning: the same again is a loop. */
  readonly seen: PersistentSet<string>
  /** Facts and progress when the first plan came. */
  readonly firstProgress: string
  /** Final failures by what was tried and how it failed. */
  readonly failures: PersistentMap<string, readonly string[]>
  readonly verdict: Verdict | undefined
  readonly outcome: Outcome | undefined
  readonly late: number
  readonly lostEnd: LostEnd | undefined

  /** The event in hand. */
  readonly eventId: string
  /** Its time. */
  readonly now: number
  /** Commands that the last event caused, for the host to deliver: the outbox is part of the state, so that state and
   * commands are committed together. */
  readonly commands: readonly CoordinatorCommand[]
  /** Steps whose report the last event changed. */
  readonly changed: readonly string[]
  /** Facts that the last event gave or withdrew. */
  readonly changedFacts: readonly string[]
  /** Why the last event was refused, where it was. */
  readonly refused: string | undefined
}

/** What a run has used so far. Its time goes on while nobody has it; that of a fork is the time of the other run up to where it was
 * forked, and its own from then on. */
export function usedIn({ used, run, now, outcome }: CoordinatorContext): BudgetUsed {
  return outcome?.usage ?? { ...used, timeMs: now - run.at }
}

export function initialContext(run: RunStarted): CoordinatorContext {
  return {
    run,
    limits: run.settings.limits,
    plan: undefined,
    planIsWhole: false,
    planIsApproved: false,
    first: undefined,
    patches: List(),
    proposed: undefined,
    proposedFor: [],
    steps: PersistentMap(),
    dependents: PersistentMap(),
    entries: PersistentMap(),
    outputs: PersistentMap(),
    facts: noFacts,
    assumptions: PersistentMap(),
    assumptionsByFact: PersistentMap(),
    broken: PersistentSet(),
    waived: PersistentSet(),
    ready: PersistentMap(),
    counts: {
      waiting: 0,
      ready: 0,
      held: 0,
      running: 0,
      backing_off: 0,
      succeeded: 0,
      failed: 0,
      skipped: 0,
      abandoned: 0,
      cancelled: 0,
      uncertain: 0,
    },
    out: PersistentMap(),
    busy: 0,
    timers: PersistentMap(),
    doubts: PersistentMap(),
    questions: PersistentMap(),
    answered: List(),
    troubles: List(),
    asked: undefined,
    requests: 0,
    modelUse: PersistentMap(),
    subRunUse: PersistentMap(),
    used: { tokens: 0, cost: 0, plannerCalls: 0, replans: 0, timeMs: 0 },
    seen: PersistentSet(),
    firstProgress: '',
    failures: PersistentMap(),
    verdict:
      run.cancelled === undefined
        ? undefined
        : { status: 'cancelled', reason: 'cancelled', message: `Cancelled before it began: ${run.cancelled}.` },
    outcome: undefined,
    late: 0,
    lostEnd: run.inDoubt ? { after: undefined, tools: run.tools, known: PersistentSet() } : undefined,
    eventId: run.id,
    now: run.at,
    commands: [],
    changed: [],
    changedFacts: [],
    refused: undefined,
  }
}
