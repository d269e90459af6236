// createRuntime: where tools, planner, executors, limits, journal and clock meet.
import { PlanloomError } from '../errors.ts'
import type { Planner } from '../actors/planners/planner.ts'
import { createFixedPlanner } from '../actors/planners/fixed.ts'
import { createGoalPlanner } from '../actors/planners/goal/goalPlanner.ts'
import { memoryJournal } from '../journal/memoryJournal.ts'
import type { RunStarted } from '../machines/coordinator.messages.ts'
import { createActor } from '../machines/xstate.ts'
import { isJsonObject } from '../plan/json.ts'
import { parsePlan } from '../plan/parse.ts'
import { goalSchema, type Goal, type Plan } from '../plan/schema.ts'
import { createToolRegistry } from '../tools/registry.ts'
import { answerReader } from './checkAnswer.ts'
import { checkPlanOptions, checkRuntimeOptions, checkStartOptions } from './checkOptions.ts'
import { systemClock } from './clock.ts'
import { executorsByRole } from './executors.ts'
import { Gate } from './gate.ts'
import { RunHost } from './host.ts'
import { createIdSource } from './ids.ts'
import { planOnly } from './planOnly.ts'
import type { Run } from './run.ts'
import { RunHandle } from './runHandle.ts'
import { RunRecord } from './runRecord.ts'
import type { Runtime, RuntimeOptions, StartOptions } from './runtime.ts'
import { settingsOf } from './settings.ts'

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
  const over: string[] = []
  const keepRuns = options.keepRuns ?? 100
  const executors = executorsByRole(registry, options.executors ?? [], (goal, work, signal) =>
    begin(goal, { signal, labels: { parentStep: work.stepId } }, work.runId),
  )
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

  function begin(goalOrPlan: string | Goal | Plan, start: StartOptions, parentRunId?: string): RunHandle {
    if (isClosed) {
      throw new PlanloomError('RUNTIME_CLOSED', 'The runtime is closed: it starts no more runs.', {
        hint: 'Make a new one with createRuntime().',
      })
    }
    const plan = isPlan(goalOrPlan) ? parsePlan(goalOrPlan, { tools, executors: roles }) : undefined
    const goal = plan?.goal ?? goalOf(goalOrPlan)
    const planner = start.planner ?? (plan && !options.planner ? createFixedPlanner(plan) : defaultPlanner)
    const runId = start.runId ?? ids.runId()
    const run: RunStarted = {
      type: 'run.started',
      id: 'e0',
      at: clock.now(),
      runId,
      goal,
      ...(plan && { plan }),
      planner: planner.name,
      ...(planner.elaborates && { elaborates: true }),
      tools: registry.traits(),
      settings: settingsOf(options, start, ids.seed()),
      ...(start.labels && { labels: start.labels }),
      ...(parentRunId !== undefined && { parentRunId }),
    }
    return launch(run, planner, start.signal)
  }

  function launch(run: RunStarted, planner: Planner, signal: AbortSignal | undefined): RunHandle {
    const record = new RunRecord()
    const runJournal = journal.create(run.runId)
    const host = new RunHost({
      run,
      journal: runJournal,
      clock,
      gate,
      executors,
      planner,
      tools,
      ask: askOf(),
      readAnswer,
      watch: record,
    })
    const handle = new RunHandle(run, host, record, { tools, executors: roles, readAnswer })
    runs.set(run.runId, handle)
    createActor(host.logic).start()
    const cancel = (): void => {
      handle.cancel('the signal given to start() fired')
    }
    if (signal?.aborted) cancel()
    else signal?.addEventListener('abort', cancel, { once: true })
    void record.result.then(async () => {
      signal?.removeEventListener('abort', cancel)
      keep(run.runId)
      try {
        await runJournal.close()
      } catch (error) {
        // The outcome is told and durable: nobody else is there to hear it, and it must not take the process down.
        const why = error instanceof Error ? error.message : String(error)
        process.emitWarning(`The journal of run "${run.runId}" could not be closed: ${why}`, { code: 'JOURNAL_CLOSE' })
      }
    })
    return handle
  }

  /** Keeps a run that is over, and lets go of the one that has been over for longest. */
  function keep(runId: string): void {
    over.push(runId)
    if (over.length > keepRuns) runs.delete(over.shift() ?? '')
  }

  function askOf(): ConstructorParameters<typeof RunHost>[0]['ask'] {
    const { ask } = options
    return ask && ((question, signal) => ask(question, signal))
  }

  async function close({ runs: live = 'cancel' }: { readonly runs?: 'cancel' | 'wait' } = {}): Promise<void> {
    isClosed = true
    if (live === 'cancel')
      for (const run of runs.values()) if (run.outcome === undefined) run.cancel('the runtime was closed')
    await Promise.all([...runs.values()].map((run) => run.result))
    gate.close()
    await journal.close()
  }

  return {
    start(goal, start = {}) {
      checkStartOptions(start)
      return begin(goal, start)
    },
    async plan(goal, planOptions = {}) {
      checkPlanOptions(planOptions)
      return planOnly({
        goal: goalOf(goal),
        planner: defaultPlanner,
        tools,
        executors: roles,
        clock,
        signal: planOptions.signal,
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
