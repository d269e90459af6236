import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { dropAttempt, emptyQueue, putAttempt, takeAttempt, type AttemptQueue } from '../../src/machines/attemptQueue.ts'
import { attemptKey } from '../../src/machines/executor.messages.ts'
import { execute } from './attempts.ts'

type Action = { readonly do: 'put' | 'drop'; readonly step: number } | { readonly do: 'take' }

const actions: fc.Arbitrary<readonly Action[]> = fc.array(
  fc.oneof(
    fc.record({ do: fc.constantFrom('put' as const, 'drop' as const), step: fc.integer({ min: 0, max: 12 }) }),
    fc.constant({ do: 'take' as const }),
  ),
  { size: 'max', maxLength: 60 },
)

describe('attempt queue', () => {
  it('gives what was put, in order, once, and not what was dropped (Q2)', () => {
    fc.assert(
      fc.property(actions, (script) => {
        let queue = emptyQueue
        const model: string[] = []
        let attempt = 0
        for (const action of script) {
          if (action.do === 'take') {
            const taken = takeAttempt(queue)
            expect(taken?.work.stepId).toBe(model.shift())
            queue = taken?.rest ?? queue
            continue
          }
          const stepId = `s${String(action.step)}`
          if (action.do === 'put') {
            queue = putAttempt(queue, execute(stepId, { attempt }))
            model.push(stepId)
            attempt += 1
          } else {
            // Drops the first one in line of this step.
            const index = model.indexOf(stepId)
            const key = [...queue.attempts.values()]
              .filter((work) => work.stepId === stepId)
              .sort((a, b) => a.attempt - b.attempt)[0]
            queue = dropAttempt(queue, key === undefined ? attemptKey(execute(stepId)) : attemptKey(key))
            if (index >= 0) model.splice(index, 1)
          }
          expect(queue.attempts.size).toBe(model.length)
        }
      }),
    )
  })

  it('takes an attempt in only once', () => {
    const once = putAttempt(emptyQueue, execute('a'))
    expect(putAttempt(once, execute('a'))).toBe(once)
  })

  it('leaves former queues as they were', () => {
    const one = putAttempt(emptyQueue, execute('a'))
    const two = putAttempt(one, execute('b'))
    expect(takeAttempt(two)?.work.stepId).toBe('a')
    expect(takeAttempt(two)?.work.stepId).toBe('a')
    expect(one.attempts.size).toBe(1)
  })

  it('holds 100,000 attempts, and drops most of them, without growing slow (Q1)', () => {
    let queue: AttemptQueue = emptyQueue
    for (let n = 0; n < 100_000; n++) queue = putAttempt(queue, execute(`s${String(n)}`))
    for (let n = 0; n < 99_999; n++) queue = dropAttempt(queue, attemptKey(execute(`s${String(n)}`)))
    expect(takeAttempt(queue)?.work.stepId).toBe('s99999')
  })
})
