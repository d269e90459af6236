// The pool's actions: each runs one decision, takes over its context and does what it says.
import type { HostRef } from './behaviour.messages.ts'
import type { executor } from './executor.machine.ts'
import * as decisions from './pool.decisions.ts'
import type { PoolMessage } from './pool.messages.ts'
import { poolSetup } from './pool.setup.ts'
import { assertEvent, type ActorRefFrom } from './xstate.ts'

type ExecutorRef = ActorRefFrom<typeof executor>

function act(decide: (turn: decisions.PoolTurn, event: PoolMessage) => void) {
  return poolSetup.enqueueActions(({ context, event, enqueue, self }) => {
    const turn: decisions.PoolTurn = { context, commands: [] }
    decide(turn, event)
    if (turn.context !== context) enqueue.assign(turn.context)
    const { host, behaviour } = context.settings
    for (const command of turn.commands) {
      switch (command.type) {
        case 'tell':
          enqueue.sendTo<ExecutorRef>(command.executorId, command.message)
          break
        case 'report':
          enqueue.sendTo<HostRef>(host, command.message)
          break
        case 'start':
          enqueue.spawnChild('executor', {
            id: command.executorId,
            input: { id: command.executorId, behaviour, host, pool: self },
          })
          break
        case 'stop':
          enqueue.stopChild(command.executorId)
          break
      }
    }
  })
}

export const giveOut = act((turn, event) => {
  assertEvent(event, 'step.execute')
  decisions.giveOut(turn, event)
})
export const takeOutcome = act((turn, event) => {
  assertEvent(event, 'attempt.settled')
  decisions.takeOutcome(turn, event)
})
export const abortAttempt = act((turn, event) => {
  assertEvent(event, 'step.abort')
  decisions.abortAttempt(turn, event)
})
export const abortEverything = act((turn) => {
  decisions.abortEverything(turn, 'the run is over')
})
export const refuse = act((turn, event) => {
  assertEvent(event, 'step.execute')
  decisions.refuse(turn, event)
})
export const replaceExecutor = act((turn, event) => {
  assertEvent(event, 'xstate.error.actor.*')
  decisions.replaceExecutor(turn, event)
})
export const buryExecutor = act((turn, event) => {
  assertEvent(event, 'xstate.error.actor.*')
  decisions.buryExecutor(turn, event)
})
export const failWithExecutor = act((turn, event) => {
  assertEvent(event, 'xstate.error.actor.*')
  decisions.failWithExecutor(turn, event)
})

// The common case of each step, written out: one message and one assignment, and no list of commands in between.

export const tellFree = poolSetup.sendTo<ExecutorRef>(
  ({ context }) => context.free?.id ?? '',
  ({ event }) => {
    assertEvent(event, 'step.execute')
    return event
  },
)
export const takeFree = poolSetup.assign(({ context, event }) => {
  assertEvent(event, 'step.execute')
  return decisions.takeFree(context, event)
})
export const passOn = poolSetup.sendTo<HostRef>(
  ({ context }) => context.settings.host,
  ({ event }) => {
    assertEvent(event, 'attempt.settled')
    return event.outcome
  },
)
export const setFree = poolSetup.assign(({ context, event }) => {
  assertEvent(event, 'attempt.settled')
  return decisions.setFree(context, event)
})
