// createRuntime: where tools, planner, executors, limits, journal and clock meet.
import { PlanloomError } from '../errors.ts'
import type { Executor } from '../actors/executors/executor.ts'
import { createModelExecutor } from '../actors/executors/model/modelExecutor.ts'
import type { JournalEvent } from '../journal/journal.ts'
import { memoryJournal } from '../journal/memoryJournal.ts'
import type { StepExecute } from '../machines/command.messages.ts'
import type { RunStarted } from '../machines/coordinator.messages.ts'
import { parsePlan } from '../plan/parse.ts'
import type { Goal, Plan } from '../plan/schema.ts'
import { createToolRegistry } from '../tools/registry.ts'
import { closeWithin } from './boundedJournal.ts'
import { answerReader } from './checkAnswer.ts'
import {
  checkForkOptions,
  checkPlanOptions,
  checkResumeAllOptions,
  checkResumeOptions,
  checkRoles,
  checkRuntimeOptions,
  checkStartOptions,
} from './checkOptions.ts'
import { systemClock } from './clock.ts'
import { defaultPlanners } from './defaultPlanner.ts'
import { createEffectFinder } from './effectFinder.ts'
import { executorsByRole, rolesOf } from './executors.ts'
import { prepareFork } from './fork.ts'
import { Gate } from './gate.ts'
import { gateLimits } from './gateLimits.ts'
import { goalOf, isPlan } from './goalOf.ts'
import { createIdSource } from './ids.ts'
import { LiveRuns, type CloseMode } from './liveRuns.ts'
import { isLeft } from './leaving.ts'
import { planOnly } from './planOnly.ts'
import { eventsTo } from './readRun.ts'
import { recoveryOf, startOf } from './recovery.ts'
import { resumeAll } from './resumeAll.ts'
import type { Run } from './run.ts'
import type { RunHandle } from './runHandle.ts'
import type { ForkOptions, ResumeOptions, Runtime, RuntimeOptions, StartOptions } from './runtime.ts'
import { settingsOf } from './settings.ts'
import { steadyClock } from './steadyClock.ts'
import { inheritedOptions } from './subRuns.ts'
import { createToolCalls } from './toolCalls.ts'

/** The step that a sub-run is begun for. */
interface BegunBy extends NonNullable<RunHandle['parent']> {
  /** It may be the second one. */
  readonly inDoubt: boolean
}

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
  const planners = defaultPlanners(options)
  const planning = new AbortController()
  const journalLimit = { clock, journalMs: options.journalMs ?? 10_000 }
  const call = createToolCalls({ tools, clock, gate: () => gate, executors: () => executors })
  const { model, ask, modelSteps } = options
  const executors: ReadonlyMap<string, Executor> = executorsByRole({
    registry,
    own: options.executors ?? [],
    startSubRun: beginSubRun,
    model:
      model &&
      createModelExecutor({
        askPerson: ask ? 'offered' : 'withheld',
        ...modelSteps,
        model,
        tools,
        call,
        timers: clock,
      }),
  })
  const roles = rolesOf(executors)
  checkRoles('createRuntime()', options.limits, roles)
  const gate: Gate = new Gate(steadyClock(clock), gateLimits(tools, executors, options.limits?.totalConcurrency))
  const findOut = createEffectFinder({ registry, readAnswer, ask: options.ask, clock })
  const runs = new LiveRuns({
    means: { clock, gate, reuse: journal.reuse, executors, tools, ask: options.ask, readAnswer, findOut },
    journalLimit,
    keepRuns: options.keepRuns ?? 100,
    mayLeave: options.journal !== undefined,
  })
  let isClosed = false

  function refuseIfClosed(): void {
    if (!isClosed) return
    throw new PlanloomError('RUNTIME_CLOSED', 'The runtime is closed: it starts no more runs.', {
      hint: 'Make a new one with createRuntime().',
    })
  }

  /** Also of a closed runtime: a run that is waited for needs its sub-runs. */
  function beginSubRun(goal: Goal, work: StepExecute, signal: AbortSignal): Run | Promise<Run> {
    const { runId, stepId, attempt, subRunId } = work
    const parent = runs.find(runId)
    if (isLeft(signal.reason)) throw signal.reason
    if (parent === undefined) throw new PlanloomError('RUN_OVER', `Run "${runId}" is over, and begins no sub-run.`)
    const { run, planner, host } = parent
    const anew = (inDoubt = false): Run => {
      const start = inheritedOptions({ run, planner, context: host.context }, work, clock.now())
      const begun = begin(goal, { ...start, signal }, { runId, stepId, inDoubt })
      host.submit({ type: 'step.delegated', stepId, attempt, subRunId: begun.id })
      return begun
    }
    if (subRunId === undefined) return anew(work.inDoubt)
    host.submit({ type: 'step.delegated', stepId, attempt, subRunId })
    const { uncertain } = host.context?.run.settings ?? run.settings
    const same = { planner, signal, ...(uncertain && { uncertain }) }
    // Its parent has been asked, and may be waited for by a runtime that is being closed.
    return resume(subRunId, { ...same, changes: 'accept' }, () => undefined).catch((error: unknown) => {
      if (!isUnknownRun(error)) throw error
      return anew(true) // nothing is left of its record
    })
  }

  function begin(goalOrPlan: string | Goal | Plan, start: StartOptions, parent?: BegunBy): RunHandle {
    const plan = isPlan(goalOrPlan) ? parsePlan(goalOrPlan, { tools, executors: roles }) : undefined
    const goal = plan?.goal ?? goalOf(goalOrPlan)
    const planner = start.planner ?? planners.forRun(goal, plan)
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
      settings: settingsOf(options, start, ids.seed(), planner),
      recordsDecisions: true,
      ...(start.labels && { labels: start.labels }),
      ...(parent && { parentRunId: parent.runId, parentStepId: parent.stepId }),
      ...(parent?.inDoubt && { inDoubt: true }),
      ...(start.signal?.aborted && { cancelled: `${because} had fired` }),
    }
    const subPlanner = start.planner ?? planners.forGoal(goal)
    const launched = runs.launch({ run, planner, subPlanner, runJournal: journal.create(run.runId) })
    if (start.signal && run.cancelled === undefined) runs.follow(launched, start.signal, `${because} fired`)
    return launched.handle
  }

  /** @param mayBegin throws where it may not, once its record has been read */
  async function resume(runId: string, given: ResumeOptions, mayBegin = refuseIfClosed): Promise<RunHandle> {
    const runJournal = journal.open(runId)
    try {
      const past: JournalEvent[] = []
      for await (const event of journal.read(runId)) past.push(event)
      const run = startOf(past, runId)
      const planner = given.planner ?? planners.forRun(run.goal, run.plan)
      const recovery = recoveryOf(past, { traits: registry.traits(), planner: planner.name, given })
      mayBegin()
      const waiting = runJournal.takeRequests?.() ?? []
      const subPlanner = given.planner ?? planners.forGoal(run.goal)
      const launched = runs.launch({ run, planner, subPlanner, runJournal, recovery, waiting })
      if (given.signal) runs.follow(launched, given.signal, 'the signal given to resume() fired')
      return launched.handle
    } catch (error) {
      await runJournal.close()
      throw error
    }
  }

  async function fork(runId: string, at: number, changes: ForkOptions): Promise<RunHandle> {
    const events = await eventsTo(journal, runId, 0, at)
    const parent = startOf(events, runId)
    const planner = changes.planner ?? planners.forRun(parent.goal, parent.plan)
    const { run, past, message } = prepareFork(parent, events, changes, {
      tools,
      executors: roles,
      readAnswer,
      traits: registry.traits(),
      planner: planner.name,
      runId: changes.runId ?? ids.runId(),
      now: clock.now(),
    })
    refuseIfClosed() // while it was being read
    const runJournal = journal.create(run.runId)
    for (const event of past) runJournal.append(event)
    const subPlanner = changes.planner ?? planners.forGoal(run.goal)
    const launched = runs.launch({ run, planner, subPlanner, runJournal, recovery: { past, message } })
    if (changes.signal) runs.follow(launched, changes.signal, 'the signal given to fork() fired')
    return launched.handle
  }

  async function close({ runs: mode = 'cancel' }: { readonly runs?: CloseMode } = {}): Promise<void> {
    if (mode === 'leave') runs.checkLeave()
    isClosed = true
    planning.abort(new PlanloomError('RUNTIME_CLOSED', 'The runtime was closed.'))
    await runs.close(mode)
    gate.close()
    await closeWithin(() => journal.close(), journalLimit)
  }

  return {
    start(goal, start = {}) {
      checkStartOptions(start)
      checkRoles('start()', start.limits, roles)
      refuseIfClosed()
      return begin(goal, start)
    },
    async resume(runId, resumeOptions = {}) {
      checkResumeOptions(resumeOptions)
      refuseIfClosed()
      return resume(runId, resumeOptions)
    },
    async fork(runId, at, changes = {}) {
      checkForkOptions(changes)
      checkRoles('fork()', changes.limits, roles)
      refuseIfClosed()
      return fork(runId, at, changes)
    },
    async resumeAll(all = {}) {
      checkResumeAllOptions(all)
      refuseIfClosed()
      return resumeAll(all, {
        journal,
        resume: (runId, given) => resume(runId, given),
        isLive: (runId) => runs.find(runId) !== undefined,
      })
    },
    async plan(goal, planOptions = {}) {
      checkPlanOptions(planOptions)
      refuseIfClosed()
      const wanted = goalOf(goal)
      return planOnly({
        goal: wanted,
        planner: planners.forGoal(wanted),
        tools,
        executors: roles,
        clock,
        signals: [planning.signal, ...(planOptions.signal ? [planOptions.signal] : [])],
        planId: ids.runId(),
        limits: settingsOf(options, {}, 0).limits,
      })
    },
    get runs(): readonly Run[] {
      return runs.handles
    },
    close,
    [Symbol.asyncDispose]: () => close(),
  }
}

function isUnknownRun(error: unknown): boolean {
  return error instanceof PlanloomError && error.code === 'RUN_UNKNOWN'
}
