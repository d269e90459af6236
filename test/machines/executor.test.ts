import { describe, expect, it } from 'vitest'
import type { AttemptSettled, ExecutorMessage } from '../../src/machines/executor.messages.ts'
import { executor } from '../../src/machines/executor.machine.ts'
import { createActor, fromCallback, initialTransition, transition } from '../../src/machines/xstate.ts'
import { abort, createHandBehaviour, execute, succeeded } from './attempts.ts'
import { createProbe } from './probe.ts'

function settled(stepId: string, attempt = 1): AttemptSettled {
  return { type: 'attempt.settled', executorId: 'tool-1', outcome: succeeded(stepId, attempt) }
}

/** Runs the chart as a pure function; gives each state's name and what it would have sent. */
function follow(events: readonly ExecutorMessage[]) {
  const pool = createActor(fromCallback<AttemptSettled>(() => undefined))
  const input = { id: 'tool-1', pool, host: createProbe().ref, behaviour: createHandBehaviour().behaviour }
  let [state] = initialTransition(executor, input)
  const path: string[] = [state.value]
  const sent: [to: string | undefined, type: string][] = []
  for (const event of events) {
    const [next, actions] = transition(executor, state, event)
    for (const action of actions) {
      if (action.type !== 'xstate.sendTo') continue
      const { to, event: message } = action.params as { to: { id: string }; event: { type: string } }
      sent.push([to === pool ? 'pool' : to.id, message.type])
    }
    state = next
    path.push(state.value)
  }
  return { path, sent, context: state.context }
}

describe('executor chart', () => {
  it('carries out an attempt and is idle again', () => {
    const { path, sent } = follow([execute('a'), settled('a')])
    expect(path).toEqual(['idle', 'running', 'idle'])
    expect(sent).toEqual([
      ['behaviour', 'step.execute'],
      ['pool', 'attempt.settled'],
    ])
  })

  it('stops on an abort, and is free when the tool has settled after all', () => {
    const { path, sent } = follow([execute('a'), abort('a'), settled('a')])
    expect(path).toEqual(['idle', 'running', 'stopping', 'idle'])
    expect(sent.map(([to]) => to)).toEqual(['behaviour', 'behaviour', 'pool'])
  })

  it('tells an outcome once, even when it comes twice or belongs to another attempt', () => {
    const { path, sent } = follow([
      execute('a'),
      settled('b'),
      settled('a', 2),
      settled('a'),
      settled('a'),
      execute('c'),
      settled('a'),
    ])
    expect(path).toEqual(['idle', 'running', 'running', 'running', 'idle', 'idle', 'running', 'running'])
    expect(sent.filter(([to]) => to === 'pool')).toHaveLength(1)
  })

  it('takes no abort for another attempt', () => {
    expect(follow([execute('a'), abort('b'), abort('a', 'late', 2)]).path).toEqual([
      'idle',
      'running',
      'running',
      'running',
    ])
  })

  it('shows which attempt is in hand', () => {
    expect(follow([execute('a', { attempt: 3 })]).context.attempt).toEqual({ stepId: 'a', attempt: 3 })
  })

  it('has no eventless transitions, which would be looked at after every event', () => {
    for (const state of Object.values(executor.states)) expect(state.always).toBeUndefined()
  })
})
