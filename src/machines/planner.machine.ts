// The planner's chart: it has a planner think, checks what comes, and has it think again where that is not sound.
//
//   idle ─▶ thinking ⇄ checking
//     ▲________│__________│
//
// T1. Every request is answered once, unless it was cancelled or a newer one has taken its place.
// T2. Nothing unsound goes on to the coordinator: not a plan, not a patch, not a streamed step.
// T3. What comes late, to a question that was stopped, changes nothing.
import * as actions from './planner.actions.ts'
import { contextOf } from './planner.context.ts'
import * as guards from './planner.guards.ts'
import { plannerSetup } from './planner.setup.ts'

export const planner = plannerSetup.extend({ actions, guards }).createMachine({
  id: 'planner',
  context: contextOf,
  entry: 'startBehaviour',
  initial: 'idle',
  on: {
    'xstate.error.actor.*': { actions: 'replaceBehaviour' },
  },
  states: {
    idle: {
      on: { 'plan.request': { actions: ['beginRequest', 'ask'], target: 'thinking' } },
    },
    thinking: {
      on: {
        'planner.stepProposed': { guard: 'isAwaited', actions: 'takeStep' },
        'planner.answered': { guard: 'isAwaited', actions: 'checkAnswer', target: 'checking' },
        'planner.threw': { guard: 'isAwaited', actions: 'tellThrown', target: 'idle' },
        'plan.request': { actions: ['beginRequest', 'ask'] },
        'plan.cancel': { guard: 'isAboutRequest', actions: 'stopThinking', target: 'idle' },
        'xstate.error.actor.*': [
          { guard: 'hasCrashedBefore', actions: ['replaceBehaviour', 'tellCrash'], target: 'idle' },
          { actions: ['replaceBehaviour', 'ask'] },
        ],
      },
    },
    checking: {
      always: [
        { guard: 'answerIsSound', actions: 'tellAnswer', target: 'idle' },
        { guard: 'roundsAreLeft', actions: 'ask', target: 'thinking' },
        { actions: 'tellUnsound', target: 'idle' },
      ],
    },
  },
})
