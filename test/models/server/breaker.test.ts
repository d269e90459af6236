import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import type { Attempt } from '../../../src/models/server/attempt.ts'
import { createServers, type ServerSettings } from '../../../src/models/server/modelServer.ts'
import { serverClock } from '../../support/serverClock.ts'
import { VirtualClock } from '../../support/virtualClock.ts'

type Outcome = 'answered' | 'limited' | 'unavailable' | 'broken' | 'refused' | 'thrown'

function outcomeOf(status: Outcome): Attempt<string> {
  if (status === 'thrown') throw new Error('thrown')
  return status === 'answered' ? { status, value: 'well' } : { status, error: new Error(status) }
}

function open(settings: ServerSettings, startAt = 0) {
  const clock = new VirtualClock({ startAt })
  const server = createServers(serverClock(clock))('http://localhost:1/v1', { retries: 0, ...settings })
  const begun: number[] = []
  const call = (status: Outcome, takes = 0) =>
    server.call({ tokens: 1, signal: new AbortController().signal }, async () => {
      begun.push(clock.now())
      if (takes > 0) await clock.wait(takes)
      return outcomeOf(status)
    })
  /** What comes of calls side by side: the answer, or the code or message of the error. */
  const all = (...results: readonly Promise<string>[]) => {
    const told = results.map((result) =>
      result.catch((error: unknown) => (error as { code?: string }).code ?? (error as Error).message),
    )
    return clock.until(Promise.all(told))
  }
  const codeOf = async (result: Promise<string>) => (await all(result))[0]
  return { clock, begun, call, codeOf, all }
}

describe('a server that is down', () => {
  it('is called by nobody for a while, and says since when and when it is tried again', async () => {
    const { clock, begun, call, codeOf } = open(
      { failuresInARow: 2, restMs: 5_000 },
      Date.parse('2026-12-03T06:00:00Z'),
    )
    await codeOf(call('unavailable'))
    await clock.advance(1_000)
    await codeOf(call('unavailable'))
    await expect(clock.until(call('answered'))).rejects.toMatchObject({
      code: 'MODEL_UNAVAILABLE',
      message:
        'http://localhost:1/v1 has not answered since 2026-12-03T06:00:00.000Z, 2 times in a row. It is left alone until ' +
        '2026-12-03T06:00:06.000Z, then one call tries it. The last reason: unavailable',
      hint: expect.stringContaining('runs'),
      since: Date.parse('2026-12-03T06:00:00Z'),
      retryAt: Date.parse('2026-12-03T06:00:06Z'),
    })
    expect(begun).toHaveLength(2)
  })

  it('is tried by one call, and the others wait for what comes of it', async () => {
    const { clock, begun, call, codeOf, all } = open({ failuresInARow: 1, restMs: 5_000 })
    await codeOf(call('unavailable'))
    await clock.advance(5_000)
    const results = all(call('answered', 700), call('answered'), call('answered'))
    expect(await results).toEqual(['well', 'well', 'well'])
    expect(begun).toEqual([0, 5_000, 5_700, 5_700])
  })

  it('is left alone again when that one fails, and the others are told', async () => {
    const { clock, begun, call, codeOf, all } = open({ failuresInARow: 1, restMs: 5_000 })
    await codeOf(call('unavailable'))
    await clock.advance(5_000)
    const results = all(call('broken', 700), call('answered'), call('answered'))
    expect(await results).toEqual(['broken', 'MODEL_UNAVAILABLE', 'MODEL_UNAVAILABLE'])
    expect(begun).toEqual([0, 5_000])
    await clock.advance(4_999)
    expect(await codeOf(call('answered'))).toBe('MODEL_UNAVAILABLE')
    await clock.advance(1)
    expect(await codeOf(call('answered'))).toBe('well')
  })

  it('is tried by the next one when the first gives up', async () => {
    const { clock, begun, call, codeOf, all } = open({ failuresInARow: 1, restMs: 5_000 })
    await codeOf(call('unavailable'))
    await clock.advance(5_000)
    const results = all(call('thrown', 100), call('answered', 100), call('answered'))
    expect(await results).toEqual(['thrown', 'well', 'well'])
    expect(begun).toEqual([0, 5_000, 5_100, 5_200])
  })

  it('is not waited for by calls that back off when it is found to be down', async () => {
    const { clock, begun, call, all } = open({ failuresInARow: 2, retries: 3 })
    // Both are out together: one failure. The first one, tried again, is the second in the row.
    expect(await all(call('unavailable'), call('unavailable', 100))).toEqual(['MODEL_UNAVAILABLE', 'MODEL_UNAVAILABLE'])
    expect([begun, clock.now()]).toEqual([[0, 0, 500], 500])
  })

  it('is not thought to be down because of one hiccup that takes many calls with it (C2)', async () => {
    const { call, codeOf, all } = open({ failuresInARow: 2, concurrency: 20 })
    await all(...Array.from({ length: 20 }, () => call('unavailable', 50)))
    expect(await codeOf(call('answered'))).toBe('well')
  })
})

describe('the circuit breaker', () => {
  const step = fc.record({
    afterMs: fc.nat(3_000),
    takesMs: fc.nat(4_000),
    status: fc.constantFrom<Outcome>(
      'answered',
      'limited',
      'unavailable',
      'unavailable',
      'broken',
      'refused',
      'thrown',
    ),
  })

  it('lets nobody call while it is open, then one, and all only after an answer (C1 to C4)', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.array(step, { minLength: 1, maxLength: 40 }),
        fc.integer({ min: 1, max: 3 }),
        fc.integer({ min: 1, max: 5_000 }),
        async (steps, failuresInARow, restMs) => {
          const clock = new VirtualClock()
          const server = createServers(serverClock(clock))('http://localhost:1', { retries: 0, failuresInARow, restMs })
          /** What the breaker must think, folded from what was seen. */
          const model = { failures: 0, round: 0, openUntil: undefined as number | undefined, trials: 0 }
          const results = steps.map(async ({ status, takesMs }, index) => {
            await clock.wait(steps.slice(0, index + 1).reduce((sum, { afterMs }) => sum + afterMs, 0))
            const attempt = async (): Promise<Attempt<string>> => {
              const isTrial = model.openUntil !== undefined
              if (isTrial) {
                expect(clock.now()).toBeGreaterThanOrEqual(model.openUntil!)
                expect(model.trials).toBe(0)
                model.trials += 1
              }
              const round = model.round
              await clock.wait(takesMs)
              if (isTrial) model.trials -= 1
              if (status === 'answered' || status === 'limited' || status === 'refused') {
                model.failures = 0
                model.openUntil = undefined
              } else if (status !== 'thrown' && round === model.round) {
                model.round += 1
                model.failures += 1
                if (model.openUntil !== undefined || model.failures >= failuresInARow)
                  model.openUntil = clock.now() + restMs
              }
              return outcomeOf(status)
            }
            const isOpen = model.openUntil !== undefined && clock.now() < model.openUntil
            const began = { at: -1 }
            const result = server.call({ tokens: 0, signal: new AbortController().signal }, () => {
              began.at = clock.now()
              return attempt()
            })
            if (isOpen) {
              await expect(result).rejects.toMatchObject({ code: 'MODEL_UNAVAILABLE', retryAt: model.openUntil })
              expect(began.at).toBe(-1)
            } else await result.catch(() => undefined)
          })
          await clock.until(Promise.all(results))
        },
      ),
    )
  })
})
