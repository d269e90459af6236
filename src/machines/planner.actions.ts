// The planner's actions: asking, checking, and telling the host what came of it.
import { OrderedMap } from 'immutable'
import type { BehaviourInput } from './behaviour.ts'
import type { HostMessage, HostRef } from './behaviour.messages.ts'
import type { Failure, Usage } from './reports.messages.ts'
import type { PlanFailed, UnsoundRound } from './coordinator.messages.ts'
import { checkAnswer as check, checkStreamedStep, refusedBefore, type CheckedAnswer } from './planner.check.ts'
import type { PlannerContext } from './planner.context.ts'
import type { PlannerAsk, PlannerQuestion, PlannerReply, PlannerRequest, PlannerStop } from './planner.messages.ts'
import { plannerSetup } from './planner.setup.ts'
import { successorOf } from './successor.ts'
import { assertEvent, type ActorRef, type Snapshot } from './xstate.ts'

type BehaviourRef = ActorRef<Snapshot<unknown>, PlannerAsk | PlannerStop>

export const startBehaviour = plannerSetup.spawnChild('behaviour', { id: 'behaviour', input: behaviourInputOf })

/** Puts a new behaviour in the place of one that has died, under a new name. */
export const replaceBehaviour = plannerSetup.enqueueActions(({ context, event, enqueue }) => {
  assertEvent(event, 'xstate.error.actor.*')
  const behaviourId = successorOf(context.behaviourId)
  enqueue.stopChild(event.actorId)
  enqueue.spawnChild('behaviour', { id: behaviourId, input: behaviourInputOf })
  enqueue.assign({ behaviourId, crashes: context.crashes + 1 })
})

export const beginRequest = plannerSetup.assign(({ event }) => {
  assertEvent(event, 'plan.request')
  return {
    request: event,
    round: 0,
    unsound: 0,
    findings: event.situation ? [] : refusedBefore(event.troubles),
    unsoundAnswers: [],
    usage: undefined,
    streamed: OrderedMap((event.begun ?? []).map((step) => [step.id, step])),
    checked: undefined,
    crashes: 0,
  }
})

/** Asks, or asks again with what was found in the last answer. */
export const ask = plannerSetup.enqueueActions(({ context, enqueue }) => {
  const { request } = context
  if (request === undefined) return
  const round = context.round + 1
  enqueue.assign({ round })
  enqueue.sendTo<BehaviourRef>(context.behaviourId, {
    type: 'planner.ask',
    requestId: request.requestId,
    round,
    question: questionOf(context, request),
  })
})

export const stopThinking = plannerSetup.sendTo<BehaviourRef>(
  ({ context }) => context.behaviourId,
  ({ context }) => ({ type: 'planner.stop', requestId: context.request?.requestId ?? '' }),
)

/** Passes on a step of a plan that is still being written, if it is sound by itself and new. */
export const takeStep = plannerSetup.enqueueActions(({ context, event, enqueue }) => {
  assertEvent(event, 'planner.stepProposed')
  const { request, settings, streamed } = context
  const step = request && checkStreamedStep(event.step, { request, settings, streamed })
  if (step === undefined) return
  enqueue.assign({ streamed: streamed.set(step.id, step) })
  enqueue.sendTo<HostRef>(settings.host, { type: 'plan.stepProposed', requestId: event.requestId, step })
})

export const checkAnswer = plannerSetup.assign(({ context, event }) => {
  assertEvent(event, 'planner.answered')
  const { request, settings, streamed } = context
  if (request === undefined) return {}
  const checked = check(event.answer, { request, settings, streamed })
  return {
    checked,
    usage: sum(context.usage, checked.usage),
    ...(checked.status === 'unsound' && {
      findings: checked.findings,
      unsound: context.unsound + 1,
      unsoundAnswers: [...context.unsoundAnswers, roundOf(checked)],
    }),
  }
})

export const tellAnswer = plannerSetup.enqueueActions(({ context, enqueue }) => {
  const { checked, settings } = context
  if (checked?.status !== 'sound') return
  enqueue.sendTo<HostRef>(settings.host, { ...checked.reply, ...spentOn(context) })
})

/** Says that the planner has been asked often enough and nothing sound came. */
export const tellUnsound = plannerSetup.enqueueActions(({ context, enqueue }) => {
  const { findings, unsound, settings } = context
  const [first] = findings
  tellFailure(context, enqueue, {
    code: 'PLAN_INVALID',
    message: `The planner "${settings.planner}" gave no sound answer in ${String(unsound)} ${unsound === 1 ? 'try' : 'tries'}; ${String(findings.length)} found in the last one, first: ${first?.message ?? 'nothing'}`,
    ...(first && { hint: first.hint, path: first.path }),
    retryable: false,
  })
})

export const tellThrown = plannerSetup.enqueueActions(({ context, event, enqueue }) => {
  assertEvent(event, 'planner.threw')
  tellFailure(context, enqueue, event.failure)
})

export const tellCrash = plannerSetup.enqueueActions(({ context, event, enqueue }) => {
  assertEvent(event, 'xstate.error.actor.*')
  const { error } = event
  tellFailure(context, enqueue, {
    code: 'PLANNER_CRASHED',
    message: `What asks the planner "${context.settings.planner}" crashed twice: ${error instanceof Error ? error.message : String(error)}`,
    hint: 'This is a defect of the runtime, not of the planner.',
    retryable: false,
  })
})

function tellFailure(context: PlannerContext, enqueue: Enqueue, failure: Failure): void {
  const { settings, request, findings } = context
  if (request === undefined) return
  enqueue.sendTo(settings.host, {
    type: 'plan.failed',
    requestId: request.requestId,
    failure,
    ...(findings.length > 0 && { findings: findings.map((finding) => ({ ...finding })) }),
    ...spentOn(context),
  })
}

/** What the whole request has cost, and the rounds of repair in it. */
function spentOn({ usage, unsoundAnswers }: PlannerContext): Pick<PlanFailed, 'usage' | 'unsound'> {
  return { ...(usage && { usage }), ...(unsoundAnswers.length > 0 && { unsound: unsoundAnswers }) }
}

/** Findings of a round that the record keeps: a thousand of one kind tell no more than the first ones. */
const mostFindingsKept = 20

function roundOf({ findings, usage, model }: Extract<CheckedAnswer, { status: 'unsound' }>): UnsoundRound {
  return {
    findings: findings.slice(0, mostFindingsKept).map((finding) => ({ ...finding })),
    ...(usage && { usage }),
    ...(model !== undefined && { model }),
  }
}

interface Enqueue {
  sendTo(host: HostRef, message: HostMessage): void
}

function questionOf(context: PlannerContext, request: PlannerRequest): PlannerQuestion {
  const { goal, facts, limits, situation, troubles } = request
  const begun = [...context.streamed.values()]
  return {
    goal,
    facts,
    limits,
    tools: context.toolList,
    findings: context.findings,
    executors: context.settings.executors,
    ...((request.begun ?? begun.length > 0) && { begun }),
    ...(situation && { amend: { plan: situation.plan, situation, troubles } }),
  }
}

function behaviourInputOf({
  context,
}: {
  readonly context: PlannerContext
}): BehaviourInput<PlannerAsk | PlannerStop, PlannerReply> {
  const { behaviour, host } = context.settings
  return { id: 'planner', behaviour, host }
}

function sum(before: Usage | undefined, more: Usage | undefined): Usage | undefined {
  if (before === undefined || more === undefined) return before ?? more
  return { tokens: (before.tokens ?? 0) + (more.tokens ?? 0), cost: (before.cost ?? 0) + (more.cost ?? 0) }
}
