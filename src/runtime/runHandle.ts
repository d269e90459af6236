// A run as a program holds it: reads come from the coordinator's state, commands go to its host.
import type { Observable } from 'rxjs'
import { PlanloomError } from '../errors.ts'
import { initialContext, type CoordinatorContext } from '../machines/coordinator.context.ts'
import type {
  CoordinatorMessage,
  Draft,
  FactReport,
  Outcome,
  RunStarted,
  StepReport,
  Trouble,
} from '../machines/coordinator.messages.ts'
import { findFact, listFacts } from '../machines/decisions/facts.ts'
import { reportOf } from '../machines/decisions/ledger.ts'
import { checkAnswer } from './checkAnswer.ts'
import { checkEdit, readPatch } from './checkEdit.ts'
import type { Json } from '../plan/json.ts'
import { toJsonValue } from '../plan/jsonValue.ts'
import type { Goal, Operation, Patch, Plan } from '../plan/schema.ts'
import type { ToolCatalogue } from '../plan/toolDescription.ts'
import type { RunHost } from './host.ts'
import type { Question, Run, RunState, StepProgress, Transition } from './run.ts'
import type { RunRecord } from './runRecord.ts'
import { ledgerOf } from './ledgerOf.ts'
import { revisionsOf } from './revisions.ts'
import { findQuestions } from './questions.ts'
import { checkLimits } from './settings.ts'

interface By {
  readonly by?: string
}

export class RunHandle implements Run {
  readonly id: string
  readonly goal: Goal
  readonly parent: Run['parent']
  readonly result: Promise<Outcome>
  readonly progress: Observable<StepProgress>
  readonly #host: RunHost
  readonly #record: RunRecord
  readonly #tools: ToolCatalogue
  readonly #beginning: CoordinatorContext
  #revisions: readonly Plan[] = []

  constructor(run: RunStarted, host: RunHost, record: RunRecord, tools: ToolCatalogue) {
    this.id = run.runId
    this.goal = run.goal
    const { parentRunId, parentStepId } = run
    this.parent =
      parentRunId === undefined || parentStepId === undefined ? undefined : { runId: parentRunId, stepId: parentStepId }
    this.#host = host
    this.#record = record
    this.#tools = tools
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
    const patch = readPatch(this.id, {
      base: context.plan?.revision ?? 1,
      by: { planner: by ?? 'person' },
      because: { type: 'edited', text: because },
      operations,
    })
    checkEdit(this.id, context, patch, this.#tools)
    this.#command({ type: 'run.edit', patch, ...whoOf(by) })
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
    checkAnswer(this.id, this.#context, stepId, value)
    this.#command({ type: 'step.answered', stepId, value: toJsonValue(value), ...whoOf(by) })
  }

  report(key: string, value: Json, { by }: By = {}): void {
    this.#command({ type: 'fact.reported', key, value: toJsonValue(value), ...whoOf(by) })
  }

  extend(limits: Parameters<Run['extend']>[0], { by }: By = {}): void {
    this.#command({ type: 'budget.extend', limits: checkLimits(limits), ...whoOf(by) })
  }

  /** Hands a command over. What the coordinator refuses is thrown. */
  #command(draft: Draft<CoordinatorMessage>): void {
    const { outcome } = this
    if (outcome !== undefined) throw this.#isOver(draft, outcome)
    this.#host.submit(draft)
    const refused = this.#host.context?.refused
    if (refused === undefined) return
    throw new PlanloomError('COMMAND_REFUSED', refused, {
      hint: 'Look at the state of the step or run, and try what is possible from there.',
      where: { runId: this.id, ...('stepId' in draft && typeof draft.stepId === 'string' && { stepId: draft.stepId }) },
    })
  }

  #isOver({ type }: Draft<CoordinatorMessage>, { status, reason }: Outcome): PlanloomError {
    return new PlanloomError('RUN_OVER', `Run "${this.id}" is over (${status}, ${reason}): "${type}" came too late.`, {
      hint: 'Start a new run with what it left (its plan, facts and outputs can still be read).',
      where: { runId: this.id },
    })
  }
}

function whoOf(by: string | undefined): By {
  return by === undefined ? {} : { by }
}
