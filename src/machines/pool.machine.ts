// The pool's chart: it supervises the executors of one role (one_for_one) and gives them attempts.
//
//   open ─▶ closing ─▶ closed
//     └─▶ failed ─────────▲          more executors crashed than may within the period
//
// O1. Every attempt is answered once: by its executor, or by the pool where the executor cannot.
// O2. An executor that hangs in a tool which ignores its signal does not hold up others: it is no capacity any more, and
//     when there are too many such executors, the one that has hung longest is let go.
// O3. An executor that dies is replaced under a new name, `intensity` times within a period; then the pool fails, and says so.
import * as actions from './pool.actions.ts'
import { contextOf } from './pool.context.ts'
import * as guards from './pool.guards.ts'
import { poolSetup } from './pool.setup.ts'

export const pool = poolSetup.extend({ actions, guards }).createMachine({
  id: 'pool',
  context: contextOf,
  initial: 'open',
  states: {
    open: {
      on: {
        'step.execute': [{ guard: 'oneIsFree', actions: ['tellFree', 'takeFree'] }, { actions: 'giveOut' }],
        'attempt.settled': [{ guard: 'nothingWaitsForIt', actions: ['passOn', 'setFree'] }, { actions: 'takeOutcome' }],
        'step.abort': { actions: 'abortAttempt' },
        'xstate.error.actor.*': [
          { guard: 'restartsAreUsedUp', actions: 'failWithExecutor', target: 'failed' },
          { actions: 'replaceExecutor' },
        ],
        'pool.close': { target: 'closing' },
      },
    },
    closing: {
      entry: 'abortEverything',
      always: { guard: 'nothingIsHeld', target: 'closed' },
      on: {
        'step.execute': { actions: 'refuse' },
        'attempt.settled': { actions: 'takeOutcome' },
        'xstate.error.actor.*': { actions: 'buryExecutor' },
      },
    },
    failed: {
      on: {
        'step.execute': { actions: 'refuse' },
        'xstate.error.actor.*': {},
        'pool.close': { target: 'closed' },
      },
    },
    closed: { type: 'final' },
  },
})
