// createRuntime: where tools, planner, executors, limits, journal and clock meet.
import { PlanloomError } from '../errors.ts'
import type { Planner } from '../actors/planners/planner.ts'
import { createFixedPlanner } from '../actors/planners/fixed.ts'
import { createGoalPlanner } from '../actors/planners/goal/goalPlanner.ts'
import type { JournalEvent, RunJournal } from '../journal/journal.ts'
import { memoryJournal } from '../journal/memoryJournal.ts'
import { onAbort } from '../actors/onAbort.ts'
import type { RunStarted, StepExecute } from '../machines/coordinator.messages.ts'
import { createActor } from '../machines/xstate.ts'
import { isJsonObject } from '../plan/json.ts'
import { parsePlan } from '../plan/parse.ts'
import { goalSchema, type Goal, type Plan } from '../plan/schema.ts'
import { createToolRegistry } from '../tools/registry.ts'
import { BoundedRunJournal, closeWithin, isStall } from './boundedJournal.ts'
import { createCascade } from './cascade.ts'
import { answerReader } from './checkAnswer.ts'
import { checkPlanOptions, checkResumeOptions, checkRuntimeOptions, checkStartOptions } from './checkOptions.ts'
import { systemClock } from './clock.ts'
import { executorsByRole } from './executors.ts'
import { Gate } from './gate.ts'
import { RunHost, type Recovery } from './host.ts'
import { createIdSource } from './ids.ts'
import { planOnly } from './planOnly.ts'
import type { Run } from './run.ts'
import { RunHandle } from './runHandle.ts'
import { RunRecord } from './runRecord.ts'
import { recoveryOf, startOf } from './recovery.ts'
import type { ResumeOptions, Runtime, RuntimeOptions, StartOptions } from './runtime.ts'
import { settingsOf } from './settings.ts'
import { inheritedOptions, type Parent } from './subRuns.ts'

/** Makes a runtime: the host of runs that share tools, limits and a journal.
 *
 * @throws `OPTIONS_INVALID` with everything that is wrong with the options, `TOOL_INVALID` for a tool that is none,
 *   `TOOL_DUPLICATE` when two tools have the same name.
 * @example
 * import { createRuntime } from 'planloom'
 * await using runtime = createRuntime({ tools: [] })
 * const run = runtime.start({ id: 'empty', goal: { text: 'nothing to do' }, revision: 1, parent: null, steps: [],
 *   assumptions: [], by: { planner: 'me' }, because: { type: 'first', text: 'first plan' } })
 * const outcome = await run.result
 * outcome.reason // 'done'
 */
export function createRuntime(options: RuntimeOptions = {}): Runtime {
  checkRuntimeOptions(options)
  const clock = options.clock ?? systemClock
  const journal = options.journal ?? memoryJournal()
  const ids = createIdSource(options.seed)
  const registry = createToolRegistry(options.tools ?? [])
  const readAnswer = answerReader(registry)
  const tools = registry.descriptions()
  const defaultPlanner = options.planner ?? createGoalPlanner()
  const runs = new Map<string, RunHandle>()
  const live = new Map<string, LiveRun>()
  /** Journals of runs that are over, being closed. */
  const closings = new Set<Promise<void>>()
  const cascade = createCascade()
  const planning = new AbortController()
  const journalLimit = { clock, journalMs: options.journalMs ?? 10_000 }
  const over: string[] = []
  const keepRuns = options.keepRuns ?? 100
  const executors = executorsByRole(registry, options.executors ?? [], beginSubRun)
  const roles = [...executors.keys(), 'person']
  const gate = new Gate(clock, gateLimits())
  let isClosed = false

  function gateLimits(): ConstructorParameters<typeof Gate>[1] {
    const concurrency = new Map<string, number>()
    const ratePerSecond = new Map<string, number>()
    for (const [name, tool] of tools) {
      if (tool.concurrency !== undefined) concurrency.set(`tool:${name}`, tool.concurrency)
      if (tool.ratePerSecond !== undefined) ratePerSecond.set(`tool:${name}`, tool.ratePerSecond)
    }
    for (const [role, executor] of executors) {
      if (executor.concurrency !== undefined) concurrency.set(`role:${role}`, executor.concurrency)
      if (executor.ratePerSecond !== undefined) ratePerSecond.set(`role:${role}`, executor.ratePerSecond)
    }
    return { total: options.limits?.totalConcurrency ?? 256, concurrency, ratePerSecond }
  }

  function refuseIfClosed(): void {
    if (!isClosed) return
    throw new PlanloomError('RUNTIME_CLOSED', 'The runtime is closed: it starts no more runs.', {
      hint: 'Make a new one with createRuntime().',
    })
  }

  /** Also of a closed runtime: a run that is waited for needs its sub-runs. */
  function beginSubRun(goal: Goal, work: StepExecute, signal: AbortSignal): Run | Promise<Run> {
    const { runId, stepId, attempt, subRunId } = work
    const parent = live.get(runId)
    if (parent === undefined) throw new PlanloomError('RUN_OVER', `Run "${runId}" is over, and begins no sub-run.`)
    const { run, planner } = parent
    if (subRunId !== undefined) {
      parent.host.submit({ type: 'step.delegated', stepId, attempt, subRunId })
      return resume(subRunId, { planner, signal, changes: 'accept' }) // its parent has been asked
    }
    const start = inheritedOptions({ run, planner, context: parent.host.context }, work, clock.now())
    const begun = begin(goal, { ...start, signal }, { runId, stepId })
    parent.host.submit({ type: 'step.delegated', stepId, attempt, subRunId: begun.id })
    return begun
  }

  function begin(goalOrPlan: string | Goal | Plan, start: StartOptions, parent?: RunHandle['parent']): RunHandle {
    const plan = isPlan(goalOrPlan) ? parsePlan(goalOrPlan, { tools, executors: roles }) : undefined
    const goal = plan?.goal ?? goalOf(goalOrPlan)
    const planner = start.planner ?? (plan && !options.planner ? createFixedPlanner(plan) : defaultPlanner)
    const because =
      parent === undefined
        ? 'the signal given to start()'
        : `the signal of step "${parent.stepId}", which it carries out,`
    const run: RunStarted = {
      type: 'run.started',
      id: 'e0',
      at: clock.now(),
      runId: start.runId ?? ids.runId(),
      goal,
      ...(plan && { plan }),
      planner: planner.name,
      ...(planner.elaborates && { elaborates: true }),
      tools: registry.traits(),
      settings: settingsOf(options, start, ids.seed()),
      ...(start.labels && { labels: start.labels }),
      ...(parent && { parentRunId: parent.runId, parentStepId: parent.stepId }),
      ...(start.signal?.aborted && { cancelled: `${because} had fired` }),
    }
    const { handle, host } = launch({
      run,
      planner,
      subPlanner: start.planner ?? defaultPlanner,
      runJournal: journal.create(run.runId),
    })
    if (start.signal && run.cancelled === undefined) {
      follow(start.signal, host, handle, `${because} fired`)
    }
    return handle
  }

  function follow(signal: AbortSignal, host: RunHost, { result }: Run, because: string): void {
    const cancel = (): void => {
      cascade(() => {
        host.submit({ type: 'run.cancel', because })
      })
    }
    if (signal.aborted)
      cancel() // by what the run has begun meanwhile
    else void result.then(onAbort(signal, cancel))
  }

  async function resume(runId: string, given: ResumeOptions): Promise<RunHandle> {
    const runJournal = journal.open(runId)
    try {
      const past: JournalEvent[] = []
      for await (const event of journal.read(runId)) past.push(event)
      const run = startOf(past, runId)
      const planner = given.planner ?? (run.plan && !options.planner ? createFixedPlanner(run.plan) : defaultPlanner)
      const recovery = recoveryOf(past, { traits: registry.traits(), planner: planner.name, given })
      const subPlanner = given.planner ?? defaultPlanner
      const { handle, host } = launch({ run, planner, subPlanner, runJournal, recovery })
      if (given.signal) follow(given.signal, host, handle, 'the signal given to resume() fired')
      return handle
    } catch (error) {
      await runJournal.close()
      throw error
    }
  }

  function launch({ run, planner, subPlanner, recovery, ...opened }: Launch): LiveRun {
    const { runId } = run
    const record = new RunRecord()
    const runJournal = new BoundedRunJournal(opened.runJournal, journalLimit)
    const host = new RunHost({
      run,
      recovery,
      journal: runJournal,
      clock,
      gate,
      executors,
      planner,
      tools,
      ask: options.ask,
      readAnswer,
      watch: record,
    })
    const handle = new RunHandle(run, host, record, { tools, executors: roles, readAnswer })
    const started: LiveRun = { run, planner: subPlanner, host, handle }
    runs.set(runId, handle)
    live.set(runId, started)
    void record.result.then(() => {
      live.delete(runId)
      keep(runId)
      const closing = closeJournal(runJournal)
      closings.add(closing)
      void closing.then(() => closings.delete(closing))
    })
    createActor(host.logic).start()
    return started
  }

  /** Keeps a run that is over, and lets go of the one that has been over for longest. */
  function keep(runId: string): void {
    over.push(runId)
    if (over.length > keepRuns) runs.delete(over.shift() ?? '')
  }

  async function close({ runs: mode = 'cancel' }: { readonly runs?: 'cancel' | 'wait' } = {}): Promise<void> {
    isClosed = true
    planning.abort(new PlanloomError('RUNTIME_CLOSED', 'The runtime was closed.'))
    // While it waits, what is live may begin sub-runs.
    while (live.size > 0) {
      const now = [...live.values()]
      if (mode === 'cancel') {
        for (const { host } of now) {
          cascade(() => {
            host.submit({ type: 'run.cancel', because: 'the runtime was closed' })
          })
        }
      }
      await Promise.all(now.map(({ handle }) => handle.result))
    }
    await Promise.all(closings)
    gate.close()
    await closeWithin(() => journal.close(), journalLimit)
  }

  return {
    start(goal, start = {}) {
      checkStartOptions(start)
      refuseIfClosed()
      return begin(goal, start)
    },
    async resume(runId, resumeOptions = {}) {
      checkResumeOptions(resumeOptions)
      refuseIfClosed()
      return resume(runId, resumeOptions)
    },
    async plan(goal, planOptions = {}) {
      checkPlanOptions(planOptions)
      refuseIfClosed()
      return planOnly({
        goal: goalOf(goal),
        planner: defaultPlanner,
        tools,
        executors: roles,
        clock,
        signals: [planning.signal, ...(planOptions.signal ? [planOptions.signal] : [])],
        planId: ids.runId(),
        limits: settingsOf(options, {}, 0).limits,
      })
    },
    get runs(): readonly Run[] {
      return [...runs.values()]
    },
    close,
    [Symbol.asyncDispose]: () => close(),
  }
}

interface Launch {
  readonly run: RunStarted
  readonly planner: Planner
  /** Plans for sub-goals: a plan that was given is a plan for its own goal only. */
  readonly subPlanner: Planner
  readonly runJournal: RunJournal
  readonly recovery?: Recovery
}

interface LiveRun extends Pick<Parent, 'run' | 'planner'> {
  readonly host: RunHost
  readonly handle: RunHandle
}

/** Never rejects: the outcome is told and durable, so nobody else is there to hear it, and it must not take the process down. */
async function closeJournal(journal: BoundedRunJournal): Promise<void> {
  try {
    await journal.close()
  } catch (error) {
    if (isStall(error)) return
    const why = error instanceof Error ? error.message : String(error)
    process.emitWarning(`The journal of run "${journal.runId}" could not be closed: ${why}`, { code: 'JOURNAL_CLOSE' })
  }
}

function isPlan(value: string | Goal | Plan): value is Plan {
  return isJsonObject(value) && 'steps' in value
}

function goalOf(goal: string | Goal | Plan): Goal {
  const parsed = goalSchema.safeParse(typeof goal === 'string' ? { text: goal } : goal)
  if (parsed.success) return parsed.data
  throw new PlanloomError(
    'GOAL_INVALID',
    `The goal is not valid: ${parsed.error.issues.map((issue) => `${issue.path.length > 0 ? `${issue.path.join('/')}: ` : ''}${issue.message}`).join('; ')}`,
    {
      hint: 'A goal is a text, or an object with "text" and perhaps "want", "facts" and "partial".',
      cause: parsed.error,
    },
  )
}
