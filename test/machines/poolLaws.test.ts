// The pool's laws over random scripts: attempts that come, end, are aborted, hang, and executors that crash.
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { pool } from '../../src/machines/pool.machine.ts'
import { createActor } from '../../src/machines/xstate.ts'
import { abort, createHandBehaviour, execute } from './attempts.ts'
import { createProbe } from './probe.ts'

const script = fc.array(
  fc.record({
    do: fc.constantFrom('execute', 'execute', 'execute', 'end', 'end', 'abort', 'poison', 'again'),
    step: fc.integer({ min: 0, max: 15 }),
  }),
  { size: 'max', maxLength: 80 },
)

describe('pool laws', () => {
  it('answers every attempt once, never has two executors at one attempt, and never works on more than its size (O1–O3)', () => {
    fc.assert(
      fc.property(script, fc.integer({ min: 1, max: 4 }), (actions, size) => {
        const probe = createProbe()
        const hand = createHandBehaviour()
        const errors: unknown[] = []
        const actor = createActor(pool, {
          input: { host: probe.ref, role: 'tool', behaviour: hand.behaviour, now: () => 0, size, intensity: 1_000 },
        })
        actor.subscribe({ error: (error) => errors.push(error) })
        actor.start()
        const given = new Set<string>()
        for (const { do: what, step } of actions) {
          const id = `s${String(step)}`
          if (what === 'execute' || what === 'again') {
            if (what === 'execute') given.add(id)
            if (given.has(id) && !isAnswered(id)) actor.send(execute(id))
          } else if (what === 'end') hand.end(id)
          else if (what === 'abort') actor.send(abort(id))
          else hand.poisoned.add(id)
          const { held, stopping, alive, queue } = actor.getSnapshot().context
          expect(held.size - stopping).toBeLessThanOrEqual(size)
          expect(Object.keys(actor.getSnapshot().children)).toHaveLength(alive)
          expect(new Set([...held.values()].map(({ executorId }) => executorId)).size).toBe(held.size)
          if (queue.attempts.size > 0) expect(held.size - stopping, 'nobody idles while somebody waits').toBe(size)
          expect(errors).toEqual([])
        }
        actor.send({ type: 'pool.close' })
        for (const id of given) hand.end(id)
        expect(actor.getSnapshot().value).toBe('closed')
        const answers = probe.messages.map((message) => ('stepId' in message ? message.stepId : message.type)).sort()
        expect(answers).toEqual([...given].sort())

        function isAnswered(id: string): boolean {
          return probe.messages.some((message) => 'stepId' in message && message.stepId === id)
        }
      }),
    )
  })
})
