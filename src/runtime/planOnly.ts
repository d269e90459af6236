// Planning without running: the planner's chart on its own, with the same checks as in a run.
import { onAbort } from '../actors/onAbort.ts'
import { createPlannerBehaviour } from '../actors/plannerBehaviour.ts'
import type { Planner } from '../actors/planners/planner.ts'
import { PlanloomError } from '../errors.ts'
import type { HostMessage, HostRef } from '../machines/behaviour.messages.ts'
import type { RunLimits } from '../machines/settings.messages.ts'
import { planner as plannerChart } from '../machines/planner.machine.ts'
import { createActor, fromCallback } from '../machines/xstate.ts'
import { PlanInvalidError } from '../plan/parse.ts'
import type { Goal, Plan } from '../plan/schema.ts'
import type { ToolCatalogue } from '../plan/toolDescription.ts'
import type { Clock } from './clock.ts'

export interface PlanOnlyOptions {
  readonly goal: Goal
  readonly planId: string
  readonly planner: Planner
  readonly tools: ToolCatalogue
  readonly executors: readonly string[]
  readonly limits: RunLimits
  readonly clock: Clock
  /** Any of them stops it. */
  readonly signals: readonly AbortSignal[]
}

/** @throws `GOAL_UNREACHABLE` when the planner gives up, `PLAN_INVALID` when what it proposes cannot run, or the planner's failure. */
export async function planOnly(options: PlanOnlyOptions): Promise<Plan> {
  const { planner, clock, goal, limits } = options
  const stop = new AbortController()
  const answer = await new Promise<HostMessage>((settle, refuse) => {
    for (const signal of options.signals) {
      const stopped = (): void => {
        refuse(new PlanloomError('ABORTED', 'Planning was stopped.', { cause: signal.reason }))
      }
      if (signal.aborted) {
        stopped()
        return
      }
      stop.signal.addEventListener('abort', onAbort(signal, stopped))
    }
    const host = createActor(
      fromCallback<HostMessage>(({ receive }) => {
        receive((message) => {
          if (message.type !== 'plan.stepProposed') settle(message)
        })
      }),
    ).start() as HostRef
    const actor = createActor(plannerChart, {
      input: {
        host,
        planner: planner.name,
        planId: options.planId,
        tools: options.tools,
        executors: options.executors,
        behaviour: createPlannerBehaviour({ planner, now: () => clock.now(), signal: stop.signal }),
        ...(planner.repairRounds !== undefined && { repairRounds: planner.repairRounds }),
      },
    }).start()
    const facts = Object.entries(goal.facts ?? {}).map(([key, value]) => ({ key, value, by: 'goal', at: clock.now() }))
    actor.send({ type: 'plan.request', requestId: 'plan-1', goal, troubles: [], facts, limits })
    stop.signal.addEventListener('abort', () => {
      actor.stop()
      host.stop()
    })
  }).finally(() => {
    stop.abort()
  })
  if (answer.type === 'plan.proposed') return answer.plan
  if (answer.type === 'plan.givenUp') {
    throw new PlanloomError('GOAL_UNREACHABLE', `Planner "${planner.name}" finds no plan: ${answer.because}`, {
      hint: 'Give it a tool or a fact for what is missing.',
    })
  }
  if (answer.type === 'plan.failed') {
    if (answer.findings?.length) throw new PlanInvalidError(answer.findings)
    throw new PlanloomError(answer.failure.code, answer.failure.message, { hint: answer.failure.hint })
  }
  throw new PlanloomError(
    'PLANNER_FAILED',
    `Planner "${planner.name}" answered "${answer.type}" to a request for a plan.`,
  )
}
