// Calls that a model makes for a step: through the same gate, to the same executors and within the same limits as steps with tools.
//
// K1. A call counts against the limits of its tool and of the tool's executor, over all runs. It holds no place of the total: the step
//     that it is made for holds one already.
// K2. It ends when its signal fires, or its tool's time limit or heartbeat says so, even if the tool goes on and ignores the signal.
// K3. A call of a tool that must not have its effect twice, and that was cut short, may have had it: that is said with its failure.
import { outcomeOf, thrownOutcome } from '../actors/executors/attemptOutcome.ts'
import type { Executor, ExecutorContext, StepResult } from '../actors/executors/executor.ts'
import type { ToolUse } from '../actors/executors/model/modelMeans.ts'
import { onAbort } from '../actors/onAbort.ts'
import { PlanloomError } from '../errors.ts'
import type { StepExecute } from '../machines/command.messages.ts'
import type { AttemptOutcome } from '../machines/executor.messages.ts'
import { changesSomething, type ToolCatalogue, type ToolDescription } from '../plan/toolDescription.ts'
import type { Clock, TimeoutHandle } from './clock.ts'
import type { Gate } from './gate.ts'

export interface ToolCallsOptions {
  readonly tools: ToolCatalogue
  readonly clock: Clock
  readonly gate: () => Gate
  /** By role. */
  readonly executors: () => ReadonlyMap<string, Executor>
}

/** A person is asked by a step, and a sub-goal is one. */
const notForModels: ReadonlySet<string> = new Set(['person', 'goal'])

/** Makes what carries out the calls of models. */
export function createToolCalls(
  options: ToolCallsOptions,
): (use: ToolUse, context: ExecutorContext) => Promise<StepResult> {
  let count = 0
  return async (use, context) => {
    const tool = options.tools.get(use.tool)
    const role = tool?.executor ?? 'tool'
    const executor = options.executors().get(role)
    if (tool === undefined || executor === undefined || notForModels.has(role) || role === use.work.role)
      return { failure: notCallable(use.tool, role) }
    const work = workOf(use, role, context.idempotencyKey)
    const key = `call ${String(++count)} ${work.stepId}`
    const watch = new CallWatch(tool, context.signal, options.clock)
    const gate = options.gate()
    try {
      const admission = { runId: work.runId, key, classes: [`role:${role}`, `tool:${tool.name}`], holdsPlace: false }
      await watch.until(new Promise<void>((start) => gate.admit({ ...admission, start })))
      watch.begin()
      return resultOf(await watch.until(carryOut(executor, work, watch.contextOf(context))), tool, watch)
    } catch (error) {
      return resultOf(thrownOutcome(work, error, executor, watch.signal), tool, watch)
    } finally {
      gate.leave(work.runId, key)
      watch.end()
    }
  }
}

function workOf({ tool, input, work }: ToolUse, role: string, idempotencyKey: string): StepExecute {
  const { type, runId, stepId, attempt, item } = work
  return { type, runId, stepId, attempt, idempotencyKey, role, tool, input, ...(item !== undefined && { item }) }
}

async function carryOut(executor: Executor, work: StepExecute, context: ExecutorContext): Promise<AttemptOutcome> {
  return outcomeOf(work, await executor.execute(work, context), executor, context.signal)
}

function resultOf(outcome: AttemptOutcome, tool: ToolDescription, watch: CallWatch): StepResult {
  const usage = outcome.usage === undefined ? {} : { usage: outcome.usage }
  if ('output' in outcome) return { output: outcome.output, facts: outcome.facts, ...usage }
  const { reason } = watch.signal as { readonly reason: unknown }
  const isCut = watch.signal.aborted
  const mayHaveHappened = isCut && watch.hasBegun && !tool.idempotent && changesSomething(tool.effects) // K3
  const failure =
    watch.isOver && reason instanceof PlanloomError
      ? { code: reason.code, message: reason.message, retryable: true }
      : outcome.failure
  return { failure: { ...failure, ...(mayHaveHappened && { uncertain: true as const }) }, ...usage }
}

/** The signal of a call, with the limits of its tool. */
class CallWatch {
  /** The tool has been called. */
  hasBegun = false
  /** A limit of the tool has cut it short. */
  isOver = false
  readonly #tool: ToolDescription
  readonly #clock: Clock
  readonly #controller = new AbortController()
  readonly #unfollow: () => void
  readonly #stopped: Promise<never>
  #limit: TimeoutHandle | undefined
  #silence: TimeoutHandle | undefined

  constructor(tool: ToolDescription, outer: AbortSignal, clock: Clock) {
    this.#tool = tool
    this.#clock = clock
    this.#stopped = new Promise((_, reject) => {
      this.signal.addEventListener('abort', () => {
        reject(this.signal.reason as Error)
      })
    })
    this.#stopped.catch(() => undefined) // nobody may be waiting any more
    this.#unfollow = onAbort(outer, () => {
      this.#controller.abort(outer.reason)
    })
    if (outer.aborted) this.#controller.abort(outer.reason)
  }

  get signal(): AbortSignal {
    return this.#controller.signal
  }

  /** What comes of it, unless the signal fires before (K2). */
  until<T>(work: Promise<T>): Promise<T> {
    return Promise.race([work, this.#stopped])
  }

  begin(): void {
    this.hasBegun = true
    const { timeoutMs, name } = this.#tool
    if (timeoutMs !== undefined) {
      this.#limit = this.#clock.setTimeout(() => {
        this.#cut('CALL_TIMEOUT', `The call of "${name}" took longer than its ${String(timeoutMs)} ms.`)
      }, timeoutMs)
    }
    this.#listen()
  }

  contextOf(context: ExecutorContext): ExecutorContext {
    const heard = (): void => {
      this.#listen()
    }
    const { runId, stepId, attempt, idempotencyKey, now, log } = context
    return {
      runId,
      stepId,
      attempt,
      idempotencyKey,
      signal: this.signal,
      now,
      log,
      get budget() {
        return context.budget
      },
      progress: (progress) => {
        heard()
        context.progress(progress)
      },
      heartbeat: () => {
        heard()
        context.heartbeat()
      },
    }
  }

  end(): void {
    this.#unfollow()
    for (const timer of [this.#limit, this.#silence]) if (timer !== undefined) this.#clock.clearTimeout(timer)
    this.#controller.abort(new PlanloomError('ABORTED', 'The call is over.'))
  }

  #listen(): void {
    const { heartbeatMs, name } = this.#tool
    if (heartbeatMs === undefined || this.signal.aborted) return
    if (this.#silence !== undefined) this.#clock.clearTimeout(this.#silence)
    this.#silence = this.#clock.setTimeout(() => {
      this.#cut('CALL_SILENT', `The call of "${name}" gave no sign of life for ${String(heartbeatMs)} ms.`)
    }, heartbeatMs)
  }

  #cut(code: string, message: string): void {
    this.isOver = true
    this.#controller.abort(new PlanloomError(code, message))
  }
}

function notCallable(tool: string, role: string): Extract<StepResult, { readonly failure: object }>['failure'] {
  return {
    code: 'TOOL_NOT_CALLABLE',
    message: `Tool "${tool}" cannot be called by a model: executors of role "${role}" carry it out.`,
    hint: 'Make a step of its own of it.',
    retryable: false,
  }
}
