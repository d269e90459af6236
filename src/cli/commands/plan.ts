// `planloom plan`: shows the plan for a goal, and runs nothing.
import type { Goal, Plan } from '../../plan/index.ts'
import { createRuntime, PlanloomError } from '../../runtime/index.ts'
import { draw, type DrawingFormat } from '../drawing.ts'
import { exitCodes } from '../exitCodes.ts'
import { errorDocument } from '../findingLines.ts'
import { listenForInterrupts } from '../interrupts.ts'
import { findingsOf, InvalidWorkError } from '../invalidWork.ts'
import { checkedPlan } from '../loadPlan.ts'
import { loadWork, type Work, type WorkOptions } from '../loadWork.ts'
import type { Output } from '../output.ts'

export interface PlanOptions extends WorkOptions {
  readonly format: DrawingFormat
}

/** With `--json` the document is the plan itself, ready for `run`, `validate`, `graph` and `diff`. */
export async function plan(file: string, options: PlanOptions, output: Output): Promise<number> {
  const work = await loadWork(file, options)
  try {
    const proposed = work.goal ? await planFor(file, work.goal, work, output) : checkedPlan(file, work.plan, work.tools)
    output.print(draw(proposed, options.format))
    output.document(proposed)
    output.note(followingLines(proposed, work).map((line) => output.errorColours.dim(line)))
    return exitCodes.done
  } catch (error) {
    if (error instanceof PlanloomError && error.code === 'ABORTED') {
      output.document(errorDocument(error))
      return exitCodes.cancelled
    }
    throw error
  }
}

/** What the plan does not show because it is not known yet. */
function followingLines({ steps }: Plan, { goal, planner }: Work): string[] {
  // Without a planner of one's own it is the goal planner, which plans for single items once there are any.
  const elaborates = goal !== undefined && (planner === undefined || planner.elaborates === true)
  return steps.flatMap(({ id, forEach, expanded }) => {
    if (forEach === undefined || expanded !== undefined) return []
    const known = `once ${forEach.$from} has given the list`
    return elaborates
      ? `more steps follow ${known} that ${id} goes over: what comes next is planned for each item`
      : `${id} becomes one step for each item, ${known}`
  })
}

async function planFor(
  file: string,
  goal: Goal,
  { tools, planner, model, executors, limits }: Work,
  output: Output,
): Promise<Plan> {
  const runtime = createRuntime({
    tools,
    ...(planner && { planner }),
    ...(model && { model }),
    ...(executors && { executors }),
    ...(limits && { limits }),
  })
  const interrupted = new AbortController()
  const stopListening = listenForInterrupts({
    once() {
      interrupted.abort()
    },
    twice() {
      output.document({ error: { code: 'ABORTED', message: 'Planning was stopped.' } })
      process.exit(exitCodes.cancelled)
    },
  })
  try {
    return await runtime.plan(goal, { signal: interrupted.signal })
  } catch (error) {
    const findings = findingsOf(error)
    if (findings.length === 0) throw error
    const who = planner === undefined ? 'The planner' : `The planner "${planner.name}"`
    throw new InvalidWorkError('PLAN_INVALID', `${who} proposes nothing that could run.`, file, findings)
  } finally {
    stopListening()
    await runtime.close()
  }
}
