// The coordinator's chart. It holds the plan, dispatches what is ready, takes in what happened, and has the planner
// amend the rest. What the names mean stands next door: coordinator.actions.ts, coordinator.guards.ts.
//
//   planning ─▶ approving ─▶ dispatching ⇄ awaiting
//                  ▲            │  ▲
//                  └─ replanning ◀─┘        paused, from any of these and back
//                                           stopping, from any of these ─▶ completed | failed | cancelled
import * as actions from './coordinator.actions.ts'
import * as guards from './coordinator.guards.ts'
import { contextOf, coordinatorSetup, outcomeOf } from './coordinator.setup.ts'

/** Outcomes that only change the ledger: no new step is dispatched because of them. */
const settleOnly = { actions: 'takeOutcome' } as const
/** Outcomes that let what depended on them go at once, while the state stays: what each step costs, so one action. */
const settleAndGoOn = { actions: 'takeOutcomeAndGoOn' } as const
/** How steps fare, where steps go on. */
const stepsGoOn = {
  'step.succeeded': settleAndGoOn,
  'step.failed': settleAndGoOn,
  'step.surprised': settleAndGoOn,
  'step.timedOut': settleAndGoOn,
  'step.uncertain': settleAndGoOn,
  'step.checked': { actions: ['takeFinding', 'dispatchReady'] },
  'step.asked': { actions: ['takeQuestion', 'dispatchReady'] },
  'step.unanswered': { actions: ['takeNoAnswer', 'dispatchReady'] },
  'timer.fired': { actions: ['takeTimer', 'dispatchReady'] },
  'run.recovered': { actions: ['recover', 'dispatchReady'] },
  'run.forked': { actions: ['fork', 'dispatchReady'] },
} as const
/** What people and programs say of steps, where steps go on. */
const peopleGoOn = {
  'fact.reported': { actions: ['reportFact', 'dispatchReady'] },
  'step.answered': { actions: ['answerStep', 'dispatchReady'] },
  'step.retry': { actions: ['retryStep', 'dispatchReady'] },
  'step.skip': { actions: ['skipStep', 'dispatchReady'] },
  'run.approve': { actions: ['approve', 'dispatchReady'] },
  'run.reject': { actions: ['reject', 'dispatchReady'] },
  'run.edit': { actions: ['editPlan', 'dispatchReady'] },
  'budget.extend': { actions: ['extendBudget', 'dispatchReady'] },
} as const

export const coordinator = coordinatorSetup.extend({ actions, guards }).createMachine({
  id: 'coordinator',
  context: contextOf,
  output: outcomeOf,
  initial: 'planning',
  on: {
    'run.cancel': { actions: 'cancelRun', target: '.stopping' },
    'run.pause': '.paused',
    'actor.failed': { actions: 'failWithActor', target: '.stopping' },
    'budget.extend': { actions: 'extendBudget' },
    'fact.reported': { actions: 'reportFact' },
    'step.answered': { actions: 'answerStep' },
    'step.retry': { actions: 'retryStep' },
    'step.skip': { actions: 'skipStep' },
    'run.edit': { actions: 'editPlan' },
    'run.approve': { actions: 'approve' },
    'run.reject': { actions: 'reject' },
    'timer.fired': { actions: 'takeTimer' },
    'run.recovered': { actions: 'recover' },
    'run.forked': { actions: 'fork' },
    'run.endLost': { actions: 'noteLostEnd' },
    'plan.stepProposed': { guard: 'isCurrentAnswer', actions: 'takeStreamedStep' },
    'plan.proposed': { guard: 'isCurrentAnswer', actions: 'takePlan' },
    'plan.patchProposed': { guard: 'isCurrentAnswer', actions: 'takePatch' },
    'plan.kept': { guard: 'isCurrentAnswer', actions: 'takeKept' },
    'plan.givenUp': { guard: 'isCurrentAnswer', actions: 'takeGivenUp' },
    'plan.failed': { guard: 'isCurrentAnswer', actions: 'takePlannerFailure' },
    'step.succeeded': settleOnly,
    'step.failed': settleOnly,
    'step.surprised': settleOnly,
    'step.timedOut': settleOnly,
    'step.uncertain': settleOnly,
    'step.checked': { actions: 'takeFinding' },
    'step.delegated': { actions: 'noteSubRun' },
    'step.asked': { actions: 'takeQuestion' },
    'step.unanswered': { actions: 'takeNoAnswer' },
    'model.called': { actions: 'takeModelCall' },
  },
  states: {
    planning: {
      entry: ['beginPlanning', 'dispatchReady'],
      always: [
        { guard: 'verdictIsIn', target: 'stopping' },
        { guard: 'approvalIsWanted', target: 'approving' },
        { guard: 'planIsWhole', target: 'dispatching' },
      ],
      on: {
        'plan.stepProposed': { guard: 'isCurrentAnswer', actions: ['takeStreamedStep', 'dispatchReady'] },
        ...stepsGoOn,
        ...peopleGoOn,
      },
    },
    approving: {
      always: [
        { guard: 'verdictIsIn', target: 'stopping' },
        { guard: 'approvalIsGiven', target: 'dispatching' },
      ],
      on: {
        // Where it is an amendment that waits, what is in the plan already goes on.
        ...stepsGoOn,
        ...peopleGoOn,
      },
    },
    dispatching: {
      entry: 'dispatchReady',
      always: 'awaiting',
    },
    awaiting: {
      // It stays here while steps come and go: leaving and coming back costs as much as all else that an event does.
      always: [
        { guard: 'verdictIsIn', target: 'stopping' },
        { guard: 'approvalIsWanted', target: 'approving' },
        { guard: 'troubleIsOpen', target: 'replanning' },
        { guard: 'goalIsUnmet', actions: 'raiseUnmetGoal', target: 'replanning' },
        { guard: 'everyStepSettled', target: 'stopping' },
        { guard: 'nothingCanHappen', target: 'stopping' },
      ],
      on: {
        ...stepsGoOn,
        ...peopleGoOn,
      },
    },
    replanning: {
      entry: 'askForPatch',
      always: [
        { guard: 'verdictIsIn', target: 'stopping' },
        { guard: 'answerIsIn', target: 'dispatching' },
      ],
      on: {
        // What the trouble does not touch goes on.
        ...stepsGoOn,
        ...peopleGoOn,
      },
    },
    paused: {
      always: { guard: 'verdictIsIn', target: 'stopping' },
      on: {
        'run.pause': {},
        'run.recovered': { actions: 'recoverPaused' },
        'run.forked': { actions: 'forkPaused' },
        'run.resume': [{ guard: 'planIsWhole', target: 'dispatching' }, { target: 'planning' }],
      },
    },
    stopping: {
      entry: 'stopEverything',
      always: [
        { guard: 'runIsCompleted', target: 'completed' },
        { guard: 'runIsFailed', target: 'failed' },
        { guard: 'runIsCancelled', target: 'cancelled' },
      ],
      on: {
        // The verdict stands; only what is still out is taken in, and all other commands are refused.
        'run.cancel': {},
        'run.pause': { actions: 'refuse' },
        'run.resume': { actions: 'refuse' },
        'actor.failed': {},
      },
    },
    completed: { type: 'final', entry: 'closeRun' },
    failed: { type: 'final', entry: 'closeRun' },
    cancelled: { type: 'final', entry: 'closeRun' },
  },
})
