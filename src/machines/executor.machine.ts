// The executor's chart: one attempt at a time, in front of one long-lived behaviour that carries attempts out.
//
//   idle ─▶ running ─▶ idle
//              └─▶ stopping ─▶ idle      its signal has fired; it is free again when the tool has settled after all
//
// A behaviour that breaks takes its executor down with it; the pool replaces both.
import * as actions from './executor.actions.ts'
import * as guards from './executor.guards.ts'
import { behaviourInputOf, contextOf, executorSetup } from './executor.setup.ts'

export const executor = executorSetup.extend({ actions, guards }).createMachine({
  id: 'executor',
  context: contextOf,
  invoke: { id: 'behaviour', src: 'behaviour', input: behaviourInputOf },
  initial: 'idle',
  states: {
    idle: {
      on: { 'step.execute': { actions: ['beginAttempt', 'tellBehaviour'], target: 'running' } },
    },
    running: {
      on: {
        'attempt.settled': { guard: 'isAboutAttempt', actions: 'tellPool', target: 'idle' },
        'step.abort': { guard: 'isAboutAttempt', actions: 'tellBehaviour', target: 'stopping' },
      },
    },
    stopping: {
      on: {
        'attempt.settled': { guard: 'isAboutAttempt', actions: 'tellPool', target: 'idle' },
      },
    },
  },
})
