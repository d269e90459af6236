// The executors of a runtime: tools, sub-goals, a language model, and those that its user brings along.
import { createToolExecutor } from '../actors/executors/toolExecutor.ts'
import type { Executor, ExecutorContext, StepResult } from '../actors/executors/executor.ts'
import type { StepExecute } from '../machines/command.messages.ts'
import type { Outcome } from '../machines/reports.messages.ts'
import type { Json } from '../plan/json.ts'
import type { Goal } from '../plan/schema.ts'
import { carryOut } from '../tools/carryOut.ts'
import type { ToolRegistry } from '../tools/registry.ts'
import { failureFrom } from '../plan/thrownValue.ts'
import type { Run } from './run.ts'
import { usageOf } from './subRuns.ts'

/** @throws what keeps the sub-run from beginning. */
export type StartSubRun = (goal: Goal, work: StepExecute, signal: AbortSignal) => Run | Promise<Run>

export interface ExecutorMeans {
  readonly registry: ToolRegistry
  readonly own: readonly Executor[]
  readonly startSubRun: StartSubRun
  /** What follows instructions, where there is a model. */
  readonly model: Executor | undefined
}

/** All executors by role; one that a user gives replaces a built-in one of the same role. */
export function executorsByRole({ registry, own, startSubRun, model }: ExecutorMeans): ReadonlyMap<string, Executor> {
  const roles = new Set(['tool'])
  for (const description of registry.descriptions().values())
    if (description.executor !== undefined) roles.add(description.executor)
  const executors = new Map<string, Executor>()
  for (const role of roles)
    executors.set(role, createToolExecutor({ role, carryOut: (work, context) => runTool(registry, work, context) }))
  executors.set('goal', subRunExecutor(startSubRun))
  if (model !== undefined) executors.set(model.role, model)
  for (const executor of own) executors.set(executor.role, executor)
  return executors
}

/** All roles that are served: those of executors, and people. */
export function rolesOf(executors: ReadonlyMap<string, Executor>): readonly string[] {
  return [...executors.keys(), 'person']
}

function runTool(registry: ToolRegistry, work: StepExecute, context: ExecutorContext): Promise<StepResult> {
  const { item } = work
  return carryOut(registry.get(work.tool ?? ''), work.input, context, item === undefined ? {} : { item })
}

/** A step with a goal: a run of its own, with a coordinator of its own, that ends when this attempt does. */
function subRunExecutor(startSubRun: StartSubRun): Executor {
  return {
    role: 'goal',
    async execute(work, context): Promise<StepResult> {
      const goal = work.goal
      if (goal === undefined) {
        return {
          failure: { code: 'STEP_WITHOUT_GOAL', message: `Step "${work.stepId}" names no goal.`, retryable: false },
        }
      }
      const facts: Record<string, Json> = { ...goal.facts, ...work.input }
      let run: Run
      try {
        run = await startSubRun({ ...goal, facts }, work, context.signal)
      } catch (error) {
        return {
          failure: failureFrom(error, { code: 'SUB_RUN_FAILED', who: 'The start of a sub-run', retryable: false }),
        }
      }
      const outcome = await run.result
      return outcome.status === 'completed'
        ? succeeded(run, goal, outcome)
        : { failure: failureOf(work, outcome), usage: usageOf(run, outcome) }
    },
  }
}

/** The wanted facts, or where the goal names none the outputs of the steps that nobody uses. */
function succeeded(run: Run, goal: Goal, outcome: Outcome): StepResult {
  const given = (goal.want ?? []).flatMap(({ fact }) => {
    const known = run.fact(fact)
    return known ? [{ key: fact, value: known.value }] : []
  })
  const output: Record<string, Json> = {}
  if (given.length > 0) for (const { key, value } of given) output[key] = value
  else for (const { id, status } of run.ledger()) if (status === 'succeeded') output[id] = run.output(id) ?? null
  return { output, facts: given, usage: usageOf(run, outcome) }
}

function failureOf(work: StepExecute, outcome: Outcome): Extract<StepResult, { readonly failure: object }>['failure'] {
  return {
    code: 'SUB_RUN_FAILED',
    message: `The sub-run of step "${work.stepId}" ended as ${outcome.status} (${outcome.reason}): ${outcome.message}`,
    ...(outcome.failure?.hint !== undefined && { hint: outcome.failure.hint }),
    retryable: false,
  }
}
