// A run as a program holds it: reads come from the coordinator's state, commands go to its host.
import type { Observable } from 'rxjs'
import { runOver } from '../journal/requests.ts'
import { initialContext, type CoordinatorContext } from '../machines/coordinator.context.ts'
import type { RunStarted } from '../machines/coordinator.messages.ts'
import type { FactReport, Outcome, StepReport, Trouble } from '../machines/reports.messages.ts'
import { findFact, listFacts } from '../machines/decisions/facts.ts'
import { reportOf } from '../machines/decisions/ledger.ts'
import { openQuestion } from '../machines/decisions/questionBook.ts'
import { findRefusal, type Command } from '../machines/decisions/refusal.ts'
import { checkAnswer } from './checkAnswer.ts'
import { checkEdit, readPatch, type EditMeans } from './checkEdit.ts'
import { CommandRefusedError } from './commandRefused.ts'
import type { Json } from '../plan/json.ts'
import { toJsonValue } from '../plan/jsonValue.ts'
import type { Goal, Operation, Patch, Plan } from '../plan/schema.ts'
import type { ReadAnswer } from '../actors/executors/personExecutor.ts'
import type { RunHost } from './host.ts'
import type { Question, Replay, Run, RunState, StepProgress, Transition } from './run.ts'
import type { RunRecord } from './runRecord.ts'
import { runLeft } from './leaving.ts'
import { ledgerOf } from './ledgerOf.ts'
import { eventUnknown } from './readRun.ts'
import { replayJournal } from './replay.ts'
import { revisionsOf } from './revisions.ts'
import { findQuestions } from './questions.ts'
import { checkLimits, checkReport } from './checkOptions.ts'
import { modelUseOf, type ModelUse } from './modelUse.ts'
import { namedLimits } from './settings.ts'

/** Who gives a command. */
interface From {
  readonly by?: string
  /** Number of the request in the journal that it is. */
  readonly request?: number
}

/** What commands are checked with before they become events. */
export interface HandleMeans extends EditMeans {
  readonly readAnswer: ReadAnswer
  /** Puts the run down. @throws `LEAVE_REFUSED` */
  readonly leave: () => Promise<void>
}

export class RunHandle implements Run {
  readonly id: string
  readonly goal: Goal
  readonly parent: Run['parent']
  readonly forkedFrom: Run['forkedFrom']
  readonly result: Promise<Outcome>
  readonly progress: Observable<StepProgress>
  readonly #host: RunHost
  readonly #record: RunRecord
  readonly #means: HandleMeans
  readonly #beginning: CoordinatorContext
  #revisions: readonly Plan[] = []

  constructor(run: RunStarted, host: RunHost, record: RunRecord, means: HandleMeans) {
    this.id = run.runId
    this.goal = run.goal
    const { parentRunId, parentStepId } = run
    this.parent =
      parentRunId === undefined || parentStepId === undefined ? undefined : { runId: parentRunId, stepId: parentStepId }
    this.forkedFrom = run.forkedFrom
    this.#host = host
    this.#record = record
    this.#means = means
    this.#beginning = initialContext(run)
    this.result = record.result
    this.progress = record.progress.asObservable()
  }

  /** A run whose first event could not be recorded has never come further than its beginning. */
  get #context(): CoordinatorContext {
    return this.#host.context ?? this.#beginning
  }

  get state(): RunState {
    return this.#host.state
  }

  get plan(): Plan | undefined {
    return this.#context.plan
  }

  get revisions(): readonly Plan[] {
    this.#revisions = revisionsOf(this.#context, this.#revisions)
    return this.#revisions
  }

  get patches(): readonly Patch[] {
    return this.#context.patches.toArray()
  }

  get outcome(): Outcome | undefined {
    return this.#record.outcome
  }

  get troubles(): readonly Trouble[] {
    const { asked, troubles } = this.#context
    return [...(asked?.troubles ?? []), ...troubles]
  }

  get proposed(): Patch | undefined {
    return this.#context.proposed
  }

  get questions(): readonly Question[] {
    return findQuestions(this.#context)
  }

  at(n: number): Replay {
    const events = this.#record.eventsTo(n)
    if (events.length === 0) throw eventUnknown(this.id, n, this.#record.last)
    return replayJournal(events)
  }

  step(id: string): StepReport | undefined {
    const entry = this.#context.entries.get(id)
    return entry && reportOf(entry)
  }

  ledger(): Iterable<StepReport & { readonly id: string }> {
    return ledgerOf(this.#context)
  }

  output(id: string): Json | undefined {
    return this.#context.outputs.get(id)
  }

  fact(key: string): FactReport | undefined {
    return findFact(this.#context.facts, key)
  }

  facts(): Iterable<FactReport> {
    return listFacts(this.#context.facts)
  }

  modelUse(): ModelUse {
    return modelUseOf(this.#context)
  }

  transitions(from = 0): Observable<Transition> {
    return this.#record.transitions(from)
  }

  approve({ stepId, ...from }: From & { readonly stepId?: string } = {}): void {
    this.#command({ type: 'run.approve', ...(stepId !== undefined && { stepId }), ...whoOf(from) })
  }

  reject(because: string, { stepId, ...from }: From & { readonly stepId?: string } = {}): void {
    this.#command({ type: 'run.reject', because, ...(stepId !== undefined && { stepId }), ...whoOf(from) })
  }

  edit(
    operations: readonly Operation[],
    { because = 'edited by hand', ...from }: From & { readonly because?: string } = {},
  ): void {
    const context = this.#context
    const { plan } = context
    const patch = readPatch(this.id, {
      base: plan?.revision ?? 1,
      by: { planner: from.by ?? 'person' },
      because: { type: 'edited', text: because },
      operations,
    })
    const command = { type: 'run.edit', patch, ...whoOf(from) } as const
    this.#check(command)
    if (plan !== undefined) checkEdit(this.id, context, plan, patch, this.#means)
    this.#host.submit(command)
  }

  pause(from: From = {}): void {
    this.#command({ type: 'run.pause', ...whoOf(from) })
  }

  resume(from: From = {}): void {
    this.#command({ type: 'run.resume', ...whoOf(from) })
  }

  cancel(because?: string, from: From = {}): void {
    if (this.outcome !== undefined || this.#host.isLeft) return // what is over needs no stopping
    this.#command({ type: 'run.cancel', ...(because !== undefined && { because }), ...whoOf(from) })
  }

  async leave(): Promise<void> {
    await this.#means.leave()
  }

  retry(stepId: string, from: From = {}): void {
    this.#command({ type: 'step.retry', stepId, ...whoOf(from) })
  }

  skip(stepId: string, { because, ...from }: From & { readonly because?: string } = {}): void {
    this.#command({ type: 'step.skip', stepId, ...(because !== undefined && { because }), ...whoOf(from) })
  }

  answer(stepId: string, value: Json, { question, ...from }: From & { readonly question?: number } = {}): void {
    this.#check({ type: 'step.answered', stepId, value: null, ...(question !== undefined && { question }) })
    const step = this.#context.steps.get(stepId)
    if (step === undefined) return
    const open = openQuestion(this.#context, stepId)
    const { value: read, facts } = checkAnswer(this.id, open ? { id: stepId } : step, value, this.#means.readAnswer)
    this.#host.submit({
      type: 'step.answered',
      stepId,
      ...(open && { question: open.number }),
      value: read,
      ...(facts.length > 0 && { facts }),
      ...whoOf(from),
    })
  }

  report(key: string, value: Json, from: From = {}): void {
    checkReport({ key })
    this.#command({ type: 'fact.reported', key, value: toJsonValue(value), ...whoOf(from) })
  }

  extend(limits: Parameters<Run['extend']>[0], from: From = {}): void {
    checkLimits(limits)
    this.#command({ type: 'budget.extend', limits: namedLimits(limits), ...whoOf(from) })
  }

  #command(command: Command): void {
    this.#check(command)
    this.#host.submit(command)
  }

  /** What cannot be taken as things stand is thrown, and is no event. What comes between this look and the command's turn
   * (a command given while an event is being told) is found by the coordinator, which then refuses it. */
  #check(command: Command): void {
    const { outcome } = this
    if (outcome !== undefined) throw runOver(this.id, command, outcome)
    if (this.#host.isLeft) throw runLeft(this.id)
    const refusal = findRefusal(this.#context, this.#host.isUnattended ? { ...command, unattended: true } : command)
    if (refusal === undefined) return
    throw new CommandRefusedError(this.id, refusal, 'stepId' in command ? command.stepId : undefined)
  }
}

function whoOf({ by, request }: From): From {
  return { ...(by !== undefined && { by }), ...(request !== undefined && { request }) }
}
