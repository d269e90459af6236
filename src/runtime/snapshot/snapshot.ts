// Snapshots: where a run's coordinator stood after an event, written so that it can be read part by part.
//
// N1. A coordinator that goes on from a snapshot comes to what one comes to that has taken in all events.
// N2. What a snapshot says in its head (state, outcome) is read without reading the rest.
// N3. A snapshot that another version wrote, or that holds other fields than the coordinator has today, is not used.
import { List, Map as PersistentMap, Set as PersistentSet } from 'immutable'
import type { RunSnapshot, StoredSnapshot } from '../../journal/journal.ts'
import {
  initialContext,
  type Asked,
  type CoordinatorContext,
  type LostEnd,
} from '../../machines/coordinator.context.ts'
import type { CoordinatorStanding } from '../../machines/coordinatorFold.ts'
import type { RunStarted } from '../../machines/coordinator.messages.ts'
import type { StepQuestions } from '../../machines/decisions/questionBook.ts'
import type { ModelUsage } from '../../machines/modelUsage.messages.ts'
import type { Outcome, Trouble } from '../../machines/reports.messages.ts'
import { deepFreeze } from '../../plan/freeze.ts'
import { hashJson } from '../../plan/hash.ts'
import type { Json } from '../../plan/json.ts'
import type { Patch, Plan } from '../../plan/schema.ts'
import type { RunState } from '../run.ts'
import { readFacts, writeFacts, type FactTable } from './factTable.ts'
import { readLedger, writeLedger, type LedgerTable } from './ledgerTable.ts'
import { readQueues, writeQueues, type QueueTable } from './queueTable.ts'
import { always, lazily, once } from './lazily.ts'
import { ValueTable } from './valueTable.ts'

/** Grows when what is written changes its meaning. */
const snapshotFormat = 1

/** What is written as it is, being small JSON already. */
const plainKeys = [
  'limits',
  'planIsWhole',
  'planIsApproved',
  'counts',
  'busy',
  'requests',
  'used',
  'firstProgress',
  'verdict',
  'late',
  'eventId',
  'now',
  'changed',
  'changedFacts',
  'refused',
] as const satisfies readonly (keyof CoordinatorContext)[]

type Plain = Pick<CoordinatorContext, (typeof plainKeys)[number]>

/** Small maps and sets, as lists. */
interface Small {
  readonly waived: readonly string[]
  readonly broken: readonly string[]
  readonly seen: readonly string[]
  readonly out: readonly (readonly [string, number])[]
  readonly timers: readonly (readonly [string, number])[]
  readonly failures: readonly (readonly [string, readonly string[]])[]
  readonly doubts: readonly (readonly [string, 'tool' | 'person'])[]
  readonly questions: readonly (readonly [string, StepQuestions])[]
  readonly answered: readonly string[]
  readonly modelUse: readonly (readonly [string, ModelUsage])[]
  readonly subRunUse: readonly (readonly [string, { readonly stepId: string; readonly usage: ModelUsage }])[]
  readonly assumptionsByFact: readonly (readonly [string, readonly string[]])[]
  readonly lostEnd: {
    readonly after: number | null
    readonly tools: RunStarted['tools']
    readonly known: readonly string[]
  } | null
  /** As the run goes on with, which may not be what it began with. */
  readonly run: Omit<RunStarted, 'plan' | 'goal'>
}

interface Head {
  readonly state: RunState
  readonly outcome: Outcome | null
  readonly shape: string
}

interface Plans {
  readonly plan: number | null
  readonly first: number | null
  readonly proposed: number | null
  readonly patches: readonly number[]
}

/** The same trouble may stand in several places, and is one trouble there. */
interface Troubles {
  readonly open: readonly number[]
  readonly proposedFor: readonly number[]
  readonly asked: (Omit<Asked, 'troubles'> & { readonly troubles: readonly number[] }) | null
}

interface Parts {
  readonly head: Head
  readonly plain: Plain
  readonly small: Small
  readonly plans: Plans
  readonly troubles: Troubles
  readonly ledger: LedgerTable
  readonly queues: QueueTable
  readonly facts: FactTable
  readonly outputs: readonly (readonly [id: string, value: number])[]
}

/** Writes down where a run stands after event `seq`. */
export function takeSnapshot(seq: number, { state, context }: CoordinatorStanding): RunSnapshot {
  const table = new ValueTable()
  const indexOf = (value: object | undefined): number | null => (value === undefined ? null : table.add(value as Json))
  const indexesOf = (values: Iterable<object>): number[] => [...values].map((value) => table.add(value as Json))
  const ledger = writeLedger(context.entries)
  const parts: Parts = {
    head: { state, outcome: context.outcome ?? null, shape: shapeOf(context.run) },
    plain: Object.fromEntries(plainKeys.map((key) => [key, context[key]])) as unknown as Plain,
    small: {
      waived: [...context.waived],
      broken: [...context.broken],
      seen: [...context.seen],
      out: [...context.out],
      timers: [...context.timers],
      failures: [...context.failures],
      doubts: [...context.doubts],
      questions: [...context.questions],
      answered: [...context.answered],
      modelUse: [...context.modelUse],
      subRunUse: [...context.subRunUse],
      assumptionsByFact: [...context.assumptionsByFact],
      lostEnd: writeLostEnd(context.lostEnd),
      run: withoutGoal(context.run),
    },
    plans: {
      plan: indexOf(context.plan),
      first: indexOf(context.first),
      proposed: indexOf(context.proposed),
      patches: indexesOf(context.patches),
    },
    troubles: {
      open: indexesOf(context.troubles),
      proposedFor: indexesOf(context.proposedFor),
      asked: context.asked === undefined ? null : { ...context.asked, troubles: indexesOf(context.asked.troubles) },
    },
    ledger,
    queues: writeQueues(context, ledger.ids),
    facts: writeFacts(context.facts, table),
    outputs: [...context.outputs].map(([id, output]) => [id, table.add(output)]),
  }
  return { seq, format: snapshotFormat, parts: parts as unknown as RunSnapshot['parts'], values: table.values }
}

/** Where a run stood, read as far as it is asked for. */
export interface SnapshotStanding extends CoordinatorStanding {
  readonly seq: number
  readonly outcome: Outcome | undefined
}

/** @returns `undefined` for a snapshot that this version cannot go on from */
export function readSnapshot(stored: StoredSnapshot, run: RunStarted): SnapshotStanding | undefined {
  if (stored.format !== snapshotFormat) return undefined
  const read = <K extends keyof Parts>(name: K): Parts[K] => stored.part(name) as unknown as Parts[K]
  const head = read('head')
  if (head.shape !== shapeOf(run)) return undefined
  let context: CoordinatorContext | undefined
  return {
    seq: stored.seq,
    state: head.state,
    outcome: head.outcome ?? undefined,
    get context() {
      context ??= readContext(read, eachOnce(stored), run, head.outcome ?? undefined)
      return context
    },
  }
}

/** Who asks twice for a value gets the same one. */
function eachOnce(stored: StoredSnapshot): (index: number) => Json {
  const known: Json[] = []
  return (index) => (known[index] ??= deepFreeze(stored.value(index)))
}

/** Each part of it is read when it is looked at: the plan of a large run without its ledger, the ledger without its outputs. */
function readContext(
  read: <K extends keyof Parts>(name: K) => Parts[K],
  valueOf: (index: number) => Json,
  run: RunStarted,
  outcome: Outcome | undefined,
): CoordinatorContext {
  const plans = read('plans')
  const small = read('small')
  const troubles = read('troubles')
  const patchAt = (index: number): Patch => valueOf(index) as unknown as Patch
  const planAt = (index: number | null): Plan | undefined =>
    index === null ? undefined : (valueOf(index) as unknown as Plan)
  const troublesAt = (indexes: readonly number[]): Trouble[] =>
    indexes.map((index) => valueOf(index) as unknown as Trouble)
  const ledger = once(() => read('ledger'))
  const queues = once(() => readQueues(read('queues'), ledger().ids))
  return lazily<CoordinatorContext>({
    ...always({ ...read('plain'), run: { ...run, ...small.run }, outcome, commands: [] }),
    plan: () => planAt(plans.plan),
    first: () => planAt(plans.first),
    patches: () => List(plans.patches.map((index) => patchAt(index))),
    proposed: () => (plans.proposed === null ? undefined : patchAt(plans.proposed)),
    steps: () => PersistentMap((planAt(plans.plan)?.steps ?? []).map((step) => [step.id, step])),
    entries: () => PersistentMap(readLedger(ledger())),
    ready: () => queues().ready,
    dependents: () => queues().dependents,
    outputs: () => PersistentMap(read('outputs').map(([id, value]) => [id, valueOf(value)])),
    facts: () => readFacts(read('facts'), valueOf),
    assumptions: () =>
      PersistentMap((planAt(plans.plan)?.assumptions ?? []).map((assumption) => [assumption.id, assumption])),
    assumptionsByFact: () => PersistentMap(small.assumptionsByFact),
    broken: () => PersistentSet(small.broken),
    waived: () => PersistentSet(small.waived),
    out: () => PersistentMap(small.out),
    timers: () => PersistentMap(small.timers),
    troubles: () => List(troublesAt(troubles.open)),
    proposedFor: () => troublesAt(troubles.proposedFor),
    asked: () =>
      troubles.asked === null ? undefined : { ...troubles.asked, troubles: troublesAt(troubles.asked.troubles) },
    seen: () => PersistentSet(small.seen),
    failures: () => PersistentMap(small.failures),
    doubts: () => PersistentMap(small.doubts),
    questions: () => PersistentMap(small.questions),
    answered: () => List(small.answered),
    modelUse: () => PersistentMap(small.modelUse),
    subRunUse: () => PersistentMap(small.subRunUse),
    lostEnd: () => readLostEnd(small.lostEnd),
  })
}

function writeLostEnd(lost: LostEnd | undefined): Small['lostEnd'] {
  return lost === undefined ? null : { ...lost, after: lost.after ?? null, known: [...lost.known] }
}

function readLostEnd(lost: Small['lostEnd']): LostEnd | undefined {
  return lost === null ? undefined : { ...lost, after: lost.after ?? undefined, known: PersistentSet(lost.known) }
}

function withoutGoal({ goal: _goal, plan: _plan, ...run }: RunStarted): Small['run'] {
  return run
}

/** Which fields the coordinator has. */
function shapeOf(run: RunStarted): string {
  return hashJson(Object.keys(initialContext(run)).sort())
}
