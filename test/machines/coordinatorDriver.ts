// Drives the coordinator's pure chart as a host would, in an order that a seed decides: it delivers commands, lets attempts
// end in any way and order, fires timers, answers for the planner, and now and then does what people do.
import type { CoordinatorContext } from '../../src/machines/coordinator.context.ts'
import { coordinator } from '../../src/machines/coordinator.machine.ts'
import type {
  CoordinatorCommand,
  PlanRequestCommand,
  StepCheck,
  StepExecute,
} from '../../src/machines/command.messages.ts'
import type { CoordinatorMessage, Draft, RunStarted } from '../../src/machines/coordinator.messages.ts'
import type { RunLimits, ToolTraits, UncertainPolicy } from '../../src/machines/settings.messages.ts'
import { initialTransition, transition } from '../../src/machines/xstate.ts'
import type { Operation, Plan, Step } from '../../src/plan/schema.ts'

const testLimits: RunLimits = {
  concurrency: 3,
  roles: {},
  plannerCalls: 1000,
  replans: 8,
  tokens: Number.MAX_SAFE_INTEGER,
  cost: Number.MAX_SAFE_INTEGER,
  timeMs: Number.MAX_SAFE_INTEGER,
  plannerMs: 10_000,
  graceMs: 1_000,
  steps: 1_000,
  sameFailure: 5,
  depth: 8,
}

export const testTools: Readonly<Record<string, ToolTraits>> = {
  noop: { effects: 'none', idempotent: true, version: '1' },
  narrow: { effects: 'none', idempotent: true, version: '1', concurrency: 1 },
  retrying: {
    effects: 'none',
    idempotent: true,
    version: '1',
    retry: { attempts: 3, backoffMs: 10, factor: 2, maxBackoffMs: 100, jitter: 0.5 },
  },
  pay: { effects: 'external', idempotent: false, version: '1' },
  send: { effects: 'external', idempotent: false, version: '1', checks: true },
}

export interface DriveOptions {
  readonly seed: number
  readonly limits?: Partial<RunLimits>
  /** Share of attempts that fail, 0 to 1. */
  readonly failures?: number
  readonly people?: boolean
  readonly partial?: 'allow' | 'forbid'
  readonly uncertain?: UncertainPolicy
  /** The process ends now and then, and the run is gone on with. */
  readonly crashes?: boolean
}

export interface Moment {
  readonly event: CoordinatorMessage | RunStarted
  readonly state: string
  readonly context: CoordinatorContext
  readonly commands: readonly CoordinatorCommand[]
}

export type Check = (moment: Moment, before: Moment | undefined, drive: Drive) => void

/** mulberry32 */
function randomFrom(seed: number): () => number {
  let state = seed >>> 0
  return () => {
    state = (state + 0x6d2b79f5) >>> 0
    let mixed = Math.imul(state ^ (state >>> 15), state | 1)
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61)
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32
  }
}

export class Drive {
  readonly moments: Moment[] = []
  readonly out = new Map<string, StepExecute>()
  readonly timers = new Map<string, number>()
  readonly executed: StepExecute[] = []
  readonly #random: () => number
  readonly #options: DriveOptions
  readonly #check: Check
  #snapshot: ReturnType<typeof initialTransition<typeof coordinator>>[0]
  #request: PlanRequestCommand | undefined
  readonly checks = new Map<string, StepCheck>()
  #now = 1000
  #events = 0
  #fresh = 0
  /** Outcomes that were delivered, to be delivered again. */
  readonly #past: Draft<CoordinatorMessage>[] = []

  constructor(plan: Plan, options: DriveOptions, check: Check) {
    this.#options = options
    this.#random = randomFrom(options.seed)
    this.#check = check
    const run: RunStarted = {
      type: 'run.started',
      id: 'e0',
      at: this.#now,
      runId: 'run-1',
      goal: plan.goal,
      plan,
      planner: 'driver',
      tools: testTools,
      settings: {
        limits: { ...testLimits, ...options.limits },
        approval: 'none',
        dispatch: 'eager',
        seed: options.seed,
        ...(options.uncertain && { uncertain: options.uncertain }),
      },
    }
    const [snapshot] = initialTransition(coordinator, run)
    this.#snapshot = snapshot
    this.#record(run)
  }

  get last(): Moment {
    return this.moments.at(-1) as Moment
  }

  get isOver(): boolean {
    return this.#snapshot.status !== 'active'
  }

  /** Goes on until the run is over. @returns false when it was not over after `most` events. */
  toTheEnd(most = 2000): boolean {
    for (let events = 0; events < most && !this.isOver; events++) {
      const draft = this.#choose()
      if (draft === undefined) return false
      this.send(draft)
    }
    return this.isOver
  }

  send(draft: Draft<CoordinatorMessage>): void {
    this.#now += Math.floor(this.#random() * 5)
    this.#events += 1
    const event = { ...draft, id: `e${String(this.#events)}`, at: this.#now } as CoordinatorMessage
    const [snapshot] = transition(coordinator, this.#snapshot, event)
    this.#snapshot = snapshot
    this.#record(event)
  }

  #record(event: CoordinatorMessage | RunStarted): void {
    const { held } = this.#snapshot.context
    // An event without a transition changes nothing, and causes nothing.
    const commands = held.eventId === event.id ? held.commands : []
    for (const command of commands) this.#deliver(command)
    const moment: Moment = { event, state: this.#snapshot.value, context: held, commands }
    const before = this.moments.at(-1)
    this.moments.push(moment)
    this.#check(moment, before, this)
  }

  #deliver(command: CoordinatorCommand): void {
    switch (command.type) {
      case 'step.execute':
        this.out.set(`${command.stepId} ${String(command.attempt)}`, command)
        this.executed.push(command)
        break
      case 'step.abort':
        break // the attempt may still end in any way
      case 'step.check':
        this.checks.set(command.stepId, command)
        break
      case 'step.ask':
      case 'step.askAbort':
      case 'step.tell':
        break // no attempt asks here
      case 'step.checkAbort':
        this.checks.delete(command.stepId)
        break
      case 'timer.set':
        this.timers.set(command.key, command.at)
        break
      case 'timer.clear':
        this.timers.delete(command.key)
        break
      case 'plan.request':
        this.#request = command
        break
      case 'plan.cancel':
        this.#request = undefined
        break
    }
  }

  #choose(): Draft<CoordinatorMessage> | undefined {
    const roll = this.#random()
    if (this.#options.people === true && roll < 0.06) return this.#personal()
    if (this.#options.crashes === true && roll > 0.06 && roll < 0.12) return this.#crash()
    if (this.#past.length > 0 && roll > 0.93) return this.#pick(this.#past) // late or doubled
    const choices: (() => Draft<CoordinatorMessage>)[] = []
    for (const work of this.out.values()) choices.push(() => this.#end(work))
    for (const check of this.checks.values()) choices.push(() => this.#find(check))
    const request = this.#request
    if (request) choices.push(() => this.#answer(request))
    // A planner or a tool that hangs is the exception.
    const isRare = (key: string): boolean => key.startsWith('planner:') || key === 'grace'
    for (const key of this.timers.keys())
      if (!isRare(key) || choices.length === 0 || this.#random() < 0.1) choices.push(() => this.#fire(key))
    if (this.last.state === 'paused') choices.push(() => ({ type: 'run.resume' }))
    return choices.length === 0 ? undefined : this.#pick(choices)()
  }

  #end(work: StepExecute): Draft<CoordinatorMessage> {
    const { stepId, attempt } = work
    this.out.delete(`${stepId} ${String(attempt)}`)
    const roll = this.#random()
    const failures = this.#options.failures ?? 0.3
    const failure = {
      code: 'TOOL_FAILED',
      message: `boom ${String(Math.floor(this.#random() * 3))}`,
      retryable: this.#random() < 0.7,
    }
    const output = { value: Math.floor(this.#random() * 10), items: [1, 2, 3].slice(0, Math.floor(this.#random() * 4)) }
    const facts = [{ key: `fact-${String(Math.floor(this.#random() * 4))}`, value: Math.floor(this.#random() * 3) }]
    const draft: Draft<CoordinatorMessage> =
      roll >= failures
        ? { type: 'step.succeeded', stepId, attempt, output, facts }
        : roll < failures * 0.7
          ? { type: 'step.failed', stepId, attempt, failure }
          : roll < failures * 0.75
            ? { type: 'step.uncertain', stepId, attempt, failure }
            : roll < failures * 0.85
              ? { type: 'step.surprised', stepId, attempt, output, facts, failure }
              : { type: 'step.timedOut', stepId, attempt, failure: { ...failure, code: 'STEP_TIMEOUT' } }
    this.#past.push(draft)
    return draft
  }

  #find({ stepId, attempt }: StepCheck): Draft<CoordinatorMessage> {
    this.checks.delete(stepId)
    const roll = this.#random()
    const facts = [{ key: 'fact-1', value: Math.floor(this.#random() * 3) }]
    const unknown = { code: 'CHECK_FAILED', message: 'no idea', retryable: false }
    const surprise = { code: 'EXPECTATION_BROKEN', message: 'odd', retryable: false }
    const happened = { happened: true, output: { value: 1, items: [1] }, facts } as const
    const finding =
      roll < 0.3
        ? happened
        : roll < 0.4
          ? { ...happened, surprise }
          : roll < 0.7
            ? ({ happened: false } as const)
            : { unknown }
    const draft: Draft<CoordinatorMessage> = { type: 'step.checked', stepId, attempt, finding }
    this.#past.push(draft)
    return draft
  }

  /** Nothing of what was out is there any more; what it said may still be on its way. */
  #crash(): Draft<CoordinatorMessage> {
    this.out.clear()
    this.checks.clear()
    this.timers.clear()
    this.#request = undefined
    const uncertain = this.#random() < 0.2 ? this.#pick<UncertainPolicy>(['replan', 'ask', 'retry', 'fail']) : undefined
    const tools = this.#random() < 0.1 ? { ...testTools, send: { ...testTools['pay']! } } : testTools
    return { type: 'run.recovered', tools, planner: 'driver', ...(uncertain && { uncertain }) }
  }

  #fire(key: string): Draft<CoordinatorMessage> {
    this.#now = Math.max(this.#now, this.timers.get(key) ?? 0)
    this.timers.delete(key)
    return { type: 'timer.fired', key }
  }

  #answer(request: PlanRequestCommand): Draft<CoordinatorMessage> {
    this.#request = undefined
    const { requestId } = request
    const roll = this.#random()
    if (roll < 0.25) return { type: 'plan.kept', requestId, because: 'it stands' }
    if (roll < 0.3) return { type: 'plan.givenUp', requestId, because: 'no idea' }
    if (roll < 0.33)
      return { type: 'plan.failed', requestId, failure: { code: 'PLANNER_THREW', message: 'oh', retryable: true } }
    const { plan, entries } = this.last.context
    if (plan === undefined) return { type: 'plan.kept', requestId, because: 'no plan' }
    const operations = this.#operations(plan, (id) => entries.get(id)?.status ?? 'waiting')
    return {
      type: 'plan.patchProposed',
      requestId,
      patch: {
        base: plan.revision,
        by: { planner: 'driver' },
        because: { type: 'trouble', text: 'trouble' },
        operations,
      },
    }
  }

  /** A patch that may fit or not: some of it touches what is done, on purpose. */
  #operations(plan: Plan, statusOf: (id: string) => string): Operation[] {
    const operations: Operation[] = []
    const id = `new-${String(this.#fresh++)}`
    const target = this.#pick(plan.steps)
    const roll = this.#random()
    if (roll < 0.35) {
      const step: Step = {
        id,
        tool: this.#pick(['noop', 'narrow', 'retrying']),
        after: statusOf(target.id) === 'succeeded' ? [target.id] : [],
      }
      operations.push({ op: 'insert', step, ...(this.#random() < 0.5 && { before: target.id }) })
    } else if (roll < 0.55) operations.push({ op: 'replace', id: target.id, step: { ...target, why: `again ${id}` } })
    else if (roll < 0.7) operations.push({ op: 'abandon', id: target.id, because: 'not worth it' })
    else if (roll < 0.85) operations.push({ op: 'reorder', ids: [target.id], before: this.#pick(plan.steps).id })
    else {
      operations.push({ op: 'insert', step: { id, tool: 'noop' } })
      for (const from of target.after ?? []) operations.push({ op: 'rewire', id: target.id, from, to: id })
    }
    return operations.filter(
      (operation) => operation.op !== 'reorder' || !operation.ids.includes(operation.before ?? ''),
    )
  }

  #personal(): Draft<CoordinatorMessage> {
    const { entries } = this.last.context
    const ids = [...entries.keys()]
    const stepId = ids.length === 0 ? 'nobody' : this.#pick(ids)
    return this.#pick<() => Draft<CoordinatorMessage>>([
      () => ({ type: 'run.pause' }),
      () => ({ type: 'run.resume' }),
      () => ({ type: 'step.retry', stepId }),
      () => ({ type: 'step.skip', stepId }),
      () => ({ type: 'fact.reported', key: 'fact-1', value: 7, by: 'me' }),
      () => ({ type: 'step.answered', stepId, value: 1 }),
      () => (this.#random() < 0.2 ? { type: 'run.cancel', because: 'enough' } : { type: 'run.resume' }),
    ])()
  }

  #pick<T>(from: readonly T[]): T {
    return from[Math.floor(this.#random() * from.length)] as T
  }
}
