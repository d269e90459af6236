// `planloom plan`: shows the plan for a goal, and runs nothing.
import { parsePlan, type Goal, type Plan } from '../../plan/index.ts'
import { createRuntime, PlanloomError } from '../../runtime/index.ts'
import { draw, type DrawingFormat } from '../drawing.ts'
import { exitCodes } from '../exitCodes.ts'
import { listenForInterrupts } from '../interrupts.ts'
import { catalogueOf } from '../loadPlan.ts'
import { loadWork, type Work, type WorkOptions } from '../loadWork.ts'
import type { Output } from '../output.ts'

export interface PlanOptions extends WorkOptions {
  readonly format: DrawingFormat
}

/** With `--json` the document is the plan itself, ready for `run`, `validate`, `graph` and `diff`. */
export async function plan(file: string, options: PlanOptions, output: Output): Promise<number> {
  const work = await loadWork(file, options)
  try {
    const proposed = work.goal ? await planFor(work.goal, work) : parsePlan(work.plan, catalogueOf(work.tools))
    output.print(draw(proposed, options.format))
    output.document(proposed)
    return exitCodes.done
  } catch (error) {
    if (error instanceof PlanloomError && error.code === 'ABORTED') return exitCodes.cancelled
    throw error
  }
}

async function planFor(goal: Goal, { tools, planner, executors, limits }: Work): Promise<Plan> {
  const runtime = createRuntime({
    tools,
    ...(planner && { planner }),
    ...(executors && { executors }),
    ...(limits && { limits }),
  })
  const interrupted = new AbortController()
  const stopListening = listenForInterrupts({
    once() {
      interrupted.abort()
    },
    twice() {
      process.exit(exitCodes.cancelled)
    },
  })
  try {
    return await runtime.plan(goal, { signal: interrupted.signal })
  } finally {
    stopListening()
    await runtime.close()
  }
}
