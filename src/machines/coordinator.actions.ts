// The coordinator's actions: each runs one decision on what the coordinator holds.
import { coordinatorSetup } from './coordinator.setup.ts'
import type { CoordinatorMessage } from './coordinator.messages.ts'
import * as close from './decisions/close.ts'
import * as control from './decisions/control.ts'
import * as dispatch from './decisions/dispatch.ts'
import * as forking from './decisions/fork.ts'
import * as findings from './decisions/findings.ts'
import * as modelCalls from './decisions/modelCalls.ts'
import * as lostEnd from './decisions/lostEnd.ts'
import * as outcomes from './decisions/outcomes.ts'
import * as planner from './decisions/planner.ts'
import * as questions from './decisions/questions.ts'
import * as recovery from './decisions/recovery.ts'
import { decide, type Turn } from './decisions/turn.ts'
import { isUnattended } from './decisions/refusal.ts'

type EventOf<T extends CoordinatorMessage['type']> = Extract<CoordinatorMessage, { readonly type: T }>

/** An action that runs a decision whatever the event is. On start there is none yet but the run itself. */
function act(decision: (turn: Turn) => void) {
  return coordinatorSetup.assign(({ context: { held }, event }) => ({
    held: decide(held, 'id' in event ? event : held.run, decision),
  }))
}

/** An action for events of certain types. */
function actOn<T extends CoordinatorMessage['type']>(
  types: readonly T[],
  decision: (turn: Turn, event: EventOf<T>) => void,
) {
  return coordinatorSetup.assign(({ context: { held }, event }) => {
    const message: CoordinatorMessage = event
    if (!isOneOf(message, types)) throw new Error(`"${message.type}" is not for this action.`)
    return {
      held: decide(held, message, (turn) => {
        decision(turn, message)
      }),
    }
  })
}

function isOneOf<T extends CoordinatorMessage['type']>(
  event: CoordinatorMessage,
  types: readonly T[],
): event is EventOf<T> {
  return (types as readonly string[]).includes(event.type)
}

export const beginPlanning = act(planner.beginPlanning)
export const raiseUnmetGoal = act(planner.raiseUnmetGoal)
export const askForPatch = act(planner.askForPatch)
/** A run that nobody has sends nothing out: what is ready goes with `run.recovered`. */
export const dispatchReady = coordinatorSetup.assign(({ context: { held }, event }) =>
  isUnattended(event) ? {} : { held: decide(held, 'id' in event ? event : held.run, dispatch.dispatchReady) },
)
export const stopEverything = act(close.stopEverything)
export const closeRun = act(close.closeRun)

const outcomeTypes = ['step.succeeded', 'step.failed', 'step.surprised', 'step.timedOut', 'step.uncertain'] as const

export const takeOutcome = actOn(outcomeTypes, outcomes.takeOutcome)
/** Both in one turn: the way of every step. */
export const takeOutcomeAndGoOn = actOn(outcomeTypes, (turn, event) => {
  outcomes.takeOutcome(turn, event)
  if (!isUnattended(event)) dispatch.dispatchReady(turn)
})
export const noteSubRun = actOn(['step.delegated'], outcomes.noteSubRun)
export const takeQuestion = actOn(['step.asked'], questions.takeQuestion)
export const takeNoAnswer = actOn(['step.unanswered'], questions.takeNoAnswer)
export const takeModelCall = actOn(['model.called'], modelCalls.takeModelCall)
export const takeFinding = actOn(['step.checked'], findings.takeFinding)
export const takeStreamedStep = actOn(['plan.stepProposed'], (turn, { step }) => {
  planner.takeStreamedStep(turn, step)
})
export const takePlan = actOn(['plan.proposed'], planner.takePlan)
export const takePatch = actOn(['plan.patchProposed'], planner.takePatch)
export const takeKept = actOn(['plan.kept'], planner.takeKept)
export const takeGivenUp = actOn(['plan.givenUp'], planner.takeGivenUp)
export const takePlannerFailure = actOn(['plan.failed'], planner.takePlannerFailure)
export const recover = actOn(['run.recovered'], recovery.recover)
export const noteLostEnd = actOn(['run.endLost'], lostEnd.noteLostEnd)
export const fork = actOn(['run.forked'], forking.fork)
export const forkPaused = actOn(['run.forked'], forking.forkPaused)
export const recoverPaused = actOn(['run.recovered'], recovery.recoverPaused)
export const takeTimer = actOn(['timer.fired'], (turn, { key }) => {
  if (key.startsWith('retry:')) outcomes.takeRetryTimer(turn, key)
  else if (key.startsWith('planner:')) planner.takePlannerTimer(turn, key)
  else if (key === 'grace') close.stopWaiting(turn)
  else if (key === 'run') close.takeRunTimer(turn)
})

const commandTypes = ['run.pause', 'run.resume'] as const

export const refuse = actOn(commandTypes, control.refuse)
export const approve = actOn(['run.approve'], control.approve)
export const reject = actOn(['run.reject'], control.reject)
export const editPlan = actOn(['run.edit'], control.edit)
export const retryStep = actOn(['step.retry'], control.retryStep)
export const skipStep = actOn(['step.skip'], control.skipStep)
export const answerStep = actOn(['step.answered'], control.answerStep)
export const reportFact = actOn(['fact.reported'], control.reportFact)
export const extendBudget = actOn(['budget.extend'], control.extendBudget)
export const cancelRun = actOn(['run.cancel'], close.cancelRun)
export const failWithActor = actOn(['actor.failed'], close.failWithActor)
