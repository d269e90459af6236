import { describe, expect, it } from 'vitest'
import type { Attempt } from '../../../src/models/server/attempt.ts'
import { createServers, type ServerSettings } from '../../../src/models/server/modelServer.ts'
import { serverClock } from '../../support/serverClock.ts'
import { VirtualClock } from '../../support/virtualClock.ts'

const down: Attempt<string> = { status: 'unavailable', error: new Error('connection refused') }
const limited = (headers: Record<string, string> = {}): Attempt<string> => ({
  status: 'limited',
  error: new Error('too many requests'),
  headers: new Headers(headers),
})
const well = (value = 'well'): Attempt<string> => ({ status: 'answered', value })

/** Plays what comes of each attempt, in turn; the last one again and again. */
function play(settings: ServerSettings, outcomes: readonly Attempt<string>[], random = 0.5, startAt = 0) {
  const clock = new VirtualClock({ startAt })
  const server = createServers(serverClock(clock, random))('http://localhost:1/v1', settings)
  const begun: number[] = []
  const controller = new AbortController()
  const call = (signal = controller.signal) =>
    server.call({ tokens: 1, signal }, async ({ number }) => {
      begun.push(clock.now())
      return outcomes[Math.min(number, outcomes.length) - 1]!
    })
  return { clock, begun, call, controller }
}

describe('an attempt that failed', () => {
  it('is made again after half a second, a second, two …, with chance in the middle', async () => {
    const { clock, begun, call } = play({ failuresInARow: 9 }, [down, down, down, well()])
    expect(await clock.until(call())).toBe('well')
    expect(begun).toEqual([0, 500, 1500, 3500])
  })

  it('may be made again at once, as chance has it', async () => {
    const { clock, begun, call } = play({}, [down, well()], 0)
    await clock.until(call())
    expect(begun).toEqual([0, 0])
  })

  it('is made again as often as the settings say, then tells why', async () => {
    const { clock, begun, call } = play({ retries: 2 }, [down])
    await expect(clock.until(call())).rejects.toMatchObject({
      code: 'MODEL_UNAVAILABLE',
      message:
        'http://localhost:1/v1 did not answer in 3 attempts, the first at 1970-01-01T00:00:00.000Z. The last reason: connection refused',
      since: 0,
      cause: down.error,
    })
    expect(begun).toHaveLength(3)
  })

  it('is not made again where the wait would be too long in all', async () => {
    const { clock, begun, call } = play({ maxWaitMs: 1_499 }, [down])
    await expect(clock.until(call())).rejects.toMatchObject({ code: 'MODEL_UNAVAILABLE' })
    expect(begun).toEqual([0, 500])
    expect(clock.now()).toBe(500)
  })

  it.each(['refused', 'broken'] as const)('is not made again when it was %s', async (status) => {
    const error = new Error('no such model')
    const { clock, begun, call } = play({}, [{ status, error }])
    await expect(clock.until(call())).rejects.toBe(error)
    expect(begun).toEqual([0])
  })

  it('is not made again when it threw', async () => {
    const error = new Error('a fault of ours')
    const server = createServers(serverClock(new VirtualClock()))('http://localhost:1')
    let attempts = 0
    const call = server.call({ tokens: 1, signal: new AbortController().signal }, async () => {
      attempts += 1
      throw error
    })
    await expect(call).rejects.toBe(error)
    expect(attempts).toBe(1)
  })
})

describe('a server that says when to come back', () => {
  const startAt = Date.parse('2026-12-03T06:00:00Z')

  it.each<[Record<string, string>, number]>([
    [{ 'retry-after': '7' }, 7_000],
    [{ 'retry-after': ' 0.25 ' }, 250],
    [{ 'retry-after-ms': '1234', 'retry-after': '7' }, 1_234],
    [{ 'retry-after': 'Thu, 03 Dec 2026 06:00:09 GMT' }, 9_000],
    [{ 'retry-after': 'Thursday, 03-Dec-26 06:00:09 GMT' }, 9_000],
    // By its own clock, which is a minute behind.
    [{ 'retry-after': 'Thu, 03 Dec 2026 05:59:09 GMT', date: 'Thu, 03 Dec 2026 05:59:00 GMT' }, 9_000],
    // What asks for nothing, or cannot be read: backoff.
    [{ 'retry-after': '0' }, 500],
    [{ 'retry-after': '-3' }, 500],
    [{ 'retry-after': 'soon' }, 500],
    [{ 'retry-after': '1e3' }, 500],
    [{ 'retry-after': '' }, 500],
    [{ 'retry-after': 'Thu, 03 Dec 2026 05:59:09 GMT' }, 500],
    [{ 'retry-after': '9'.repeat(400) }, 500],
    [{}, 500],
  ])('%j waits %d ms', async (headers, waitsMs) => {
    const { clock, begun, call } = play({}, [limited(headers), well()], 0.5, startAt)
    await clock.until(call())
    expect(begun.map((at) => at - startAt)).toEqual([0, waitsMs])
  })

  it('is not waited for when that takes longer than a call waits, and nobody else comes earlier', async () => {
    const { clock, begun, call } = play({}, [limited({ 'retry-after': '61' })])
    const refused = {
      code: 'MODEL_RATE_LIMITED',
      retryAt: 61_000,
      message: expect.stringContaining('before 1970-01-01T00:01:01.000Z'),
    }
    await expect(clock.until(call())).rejects.toMatchObject(refused)
    await expect(clock.until(call())).rejects.toMatchObject(refused) // at once, and unasked
    expect(clock.now()).toBe(0)
    expect(begun).toEqual([0])
    await clock.advance(61_000)
    await expect(clock.until(call())).rejects.toMatchObject({ code: 'MODEL_RATE_LIMITED' })
    expect(begun).toEqual([0, 61_000])
  })

  it('waits of one call add up', async () => {
    const { clock, begun, call } = play({ retries: 9 }, [limited({ 'retry-after': '25' })])
    await expect(clock.until(call())).rejects.toMatchObject({ code: 'MODEL_RATE_LIMITED' })
    expect(begun).toEqual([0, 25_000, 50_000])
    expect(clock.now()).toBe(50_000)
  })

  it('holds back all calls with one 429', async () => {
    const { clock, begun, call } = play({ concurrency: 1 }, [limited({ 'retry-after': '3' }), well()])
    const results = Promise.all([call(), call(), call()])
    await clock.until(results)
    // Each call has its first attempt put off in this play; they come one after the other, never within three seconds of a 429.
    expect(begun).toEqual([0, 3_000, 3_000, 6_000, 6_000, 9_000])
  })

  it('holds back all calls with a 503 that says so', async () => {
    const busy: Attempt<string> = { ...limited({ 'retry-after': '3' }), status: 'unavailable' } as Attempt<string>
    const { clock, begun, call } = play({ concurrency: 2, failuresInARow: 9 }, [busy, well()])
    await clock.until(Promise.all([call(), call(), call()]))
    expect(begun).toEqual([0, 0, 3_000, 3_000, 3_000, 6_000])
  })
})

describe('a wait', () => {
  it.each([
    ['for its backoff', down],
    ['for the time that the server asks for', limited({ 'retry-after': '50' })],
  ])('%s ends at once when the signal fires', async (_why, outcome) => {
    const { clock, begun, call, controller } = play({}, [outcome])
    const result = call()
    const reason = new Error('the run was cancelled')
    clock.setTimeout(() => controller.abort(reason), 100)
    await expect(clock.until(result)).rejects.toBe(reason)
    expect(clock.now()).toBe(100)
    expect(begun).toEqual([0])
    expect(clock.pending).toBe(0)
  })

  it('does not begin when the signal has fired', async () => {
    const { begun, call } = play({}, [well()])
    const reason = new Error('over')
    await expect(call(AbortSignal.abort(reason))).rejects.toBe(reason)
    expect(begun).toEqual([])
  })

  it('for a place ends at once, and the next one in the queue takes it', async () => {
    const clock = new VirtualClock()
    const server = createServers(serverClock(clock))('http://localhost:1', { concurrency: 1 })
    const begun: string[] = []
    const call = (name: string, signal = new AbortController().signal) =>
      server.call({ tokens: 1, signal }, async () => {
        begun.push(`${name} at ${clock.now()}`)
        await clock.wait(1_000)
        return well(name)
      })
    const second = new AbortController()
    const [a, b, c] = [call('a'), call('b', second.signal), call('c')]
    const reason = new Error('not needed')
    clock.setTimeout(() => second.abort(reason), 10)
    await expect(clock.until(b)).rejects.toBe(reason)
    expect(clock.now()).toBe(10)
    await clock.until(Promise.all([a, c]))
    expect(begun).toEqual(['a at 0', 'c at 1000'])
  })

  it('of one that asks for many tokens no longer holds up the others when it is given up', async () => {
    const clock = new VirtualClock()
    const server = createServers(serverClock(clock))('http://localhost:1', { tokensPerMinute: 100 })
    const call = (tokens: number, signal = new AbortController().signal) =>
      server.call({ tokens, signal }, async () => well(`${tokens} at ${clock.now()}`))
    const large = new AbortController()
    const [first, second, third] = [call(60), call(90, large.signal), call(30)]
    clock.setTimeout(() => large.abort(new Error('not needed')), 10)
    await expect(clock.until(second)).rejects.toThrow('not needed')
    expect(await clock.until(Promise.all([first, third]))).toEqual(['60 at 0', '30 at 10'])
  })

  it('gives the reason of the signal where the attempt ended because of it', async () => {
    const { clock, controller } = play({}, [])
    const server = createServers(serverClock(clock))('http://localhost:1', { failuresInARow: 1 })
    const reason = new Error('the run was cancelled')
    const given = server.call({ tokens: 1, signal: controller.signal }, async (): Promise<Attempt<string>> => {
      controller.abort(reason)
      return down
    })
    await expect(given).rejects.toBe(reason)
    // It says nothing of the server.
    expect(await server.call({ tokens: 1, signal: new AbortController().signal }, async () => well())).toBe('well')
  })
})
