// The executor's actions: they pass on what it is told, in both directions, and note which attempt is in hand.
import { executorSetup } from './executor.setup.ts'
import { assertEvent } from './xstate.ts'

export const beginAttempt = executorSetup.assign(({ event }) => {
  assertEvent(event, 'step.execute')
  return { attempt: { stepId: event.stepId, attempt: event.attempt } }
})

export const tellBehaviour = executorSetup.sendTo('behaviour', ({ event }) => event)

export const tellPool = executorSetup.sendTo(
  ({ context }) => context.pool,
  ({ event }) => {
    assertEvent(event, 'attempt.settled')
    return event
  },
)
