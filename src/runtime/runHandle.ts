// A run as a program holds it: reads come from the coordinator's state, commands go to its host.
import type { Observable } from 'rxjs'
import { PlanloomError } from '../errors.ts'
import { initialContext, type CoordinatorContext } from '../machines/coordinator.context.ts'
import type { FactReport, Outcome, RunStarted, StepReport, Trouble } from '../machines/coordinator.messages.ts'
import { findFact, listFacts } from '../machines/decisions/facts.ts'
import { reportOf } from '../machines/decisions/ledger.ts'
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
import { ledgerOf } from './ledgerOf.ts'
import { eventUnknown } from './readRun.ts'
import { replayJournal } from './replay.ts'
import { revisionsOf } from './revisions.ts'
import { findQuestions } from './questions.ts'
import { checkLimits, checkReport } from './checkOptions.ts'
import { namedLimits } from './settings.ts'

interface By {
  readonly by?: string
}

/** What commands are checked with before they become events. */
export interface HandleMeans extends EditMeans {
  readonly readAnswer: ReadAnswer
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

  transitions(from = 0): Observable<Transition> {
    return this.#record.transitions(from)
  }

  approve({ stepId, by }: By & { readonly stepId?: string } = {}): void {
    this.#command({ type: 'run.approve', ...(stepId !== undefined && { stepId }), ...whoOf(by) })
  }

  reject(because: string, { stepId, by }: By & { readonly stepId?: string } = {}): void {
    this.#command({ type: 'run.reject', because, ...(stepId !== undefined && { stepId }), ...whoOf(by) })
  }

  edit(
    operations: readonly Operation[],
    { because = 'edited by hand', by }: By & { readonly because?: string } = {},
  ): void {
    const context = this.#context
    const { plan } = context
    const patch = readPatch(this.id, {
      base: plan?.revision ?? 1,
      by: { planner: by ?? 'person' },
      because: { type: 'edited', text: because },
      operations,
    })
    const command = { type: 'run.edit', patch, ...whoOf(by) } as const
    this.#check(command)
    if (plan !== undefined) checkEdit(this.id, context, plan, patch, this.#means)
    this.#host.submit(command)
  }

  pause({ by }: By = {}): void {
    this.#command({ type: 'run.pause', ...whoOf(by) })
  }

  resume({ by }: By = {}): void {
    this.#command({ type: 'run.resume', ...whoOf(by) })
  }

  cancel(because?: string, { by }: By = {}): void {
    if (this.outcome !== undefined) return // what is over needs no stopping
    this.#command({ type: 'run.cancel', ...(because !== undefined && { because }), ...whoOf(by) })
  }

  retry(stepId: string, { by }: By = {}): void {
    this.#command({ type: 'step.retry', stepId, ...whoOf(by) })
  }

  skip(stepId: string, { because, by }: By & { readonly because?: string } = {}): void {
    this.#command({ type: 'step.skip', stepId, ...(because !== undefined && { because }), ...whoOf(by) })
  }

  answer(stepId: string, value: Json, { by }: By = {}): void {
    this.#check({ type: 'step.answered', stepId, value: null })
    const step = this.#context.steps.get(stepId)
    if (step === undefined) return
    const { value: read, facts } = checkAnswer(this.id, step, value, this.#means.readAnswer)
    this.#host.submit({ type: 'step.answered', stepId, value: read, ...(facts.length > 0 && { facts }), ...whoOf(by) })
  }

  report(key: string, value: Json, { by }: By = {}): void {
    checkReport({ key })
    this.#command({ type: 'fact.reported', key, value: toJsonValue(value), ...whoOf(by) })
  }

  extend(limits: Parameters<Run['extend']>[0], { by }: By = {}): void {
    checkLimits(limits)
    this.#command({ type: 'budget.extend', limits: namedLimits(limits), ...whoOf(by) })
  }

  #command(command: Command): void {
    this.#check(command)
    this.#host.submit(command)
  }

  /** What cannot be taken as things stand is thrown, and is no event. What comes between this look and the command's turn
   * (a command given while an event is being told) is found by the coordinator, which then refuses it. */
  #check(command: Command): void {
    const { outcome } = this
    if (outcome !== undefined) throw this.#isOver(command, outcome)
    const refusal = findRefusal(this.#context, command)
    if (refusal === undefined) return
    throw new CommandRefusedError(this.id, refusal, 'stepId' in command ? command.stepId : undefined)
  }

  #isOver({ type }: Command, { status, reason }: Outcome): PlanloomError {
    return new PlanloomError('RUN_OVER', `Run "${this.id}" is over (${status}, ${reason}): "${type}" came too late.`, {
      hint: 'Start a new run with what it left (its plan, facts and outputs can still be read).',
      where: { runId: this.id },
    })
  }
}

function whoOf(by: string | undefined): By {
  return by === undefined ? {} : { by }
}
