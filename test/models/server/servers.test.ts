import { describe, expect, it } from 'vitest'
import { troubleOf } from '../../../src/models/server/attempt.ts'
import { createServers, serverFor, type ModelServer } from '../../../src/models/server/modelServer.ts'
import { serverClock } from '../../support/serverClock.ts'
import { VirtualClock } from '../../support/virtualClock.ts'

/** How many of five calls may be out at one time. */
async function mostOut(clock: VirtualClock, ...servers: readonly ModelServer[]): Promise<number> {
  let [out, most] = [0, 0]
  const calls = Array.from({ length: 5 }, (_, index) =>
    servers[index % servers.length]!.call({ tokens: 1, signal: new AbortController().signal }, async () => {
      most = Math.max(most, ++out)
      await clock.wait(10)
      out -= 1
      return { status: 'answered', value: index }
    }),
  )
  await clock.until(Promise.all(calls))
  return most
}

describe('a server', () => {
  it('is one for all that call it by origin and path, whoever writes them', async () => {
    const clock = new VirtualClock()
    const find = createServers(serverClock(clock))
    const one = find('https://Example.com:443/v1', { concurrency: 1 })
    const other = find('https://user:pass-word@example.com/v1/?api-version=7')
    expect(other.name).toBe('https://example.com/v1')
    expect(await mostOut(clock, one, other)).toBe(1)
    expect(await mostOut(clock, find('https://example.com/v2'))).toBe(5)
  })

  it('keeps the strictest of the limits that were named', async () => {
    const clock = new VirtualClock()
    const find = createServers(serverClock(clock))
    const [three, two, any] = [
      find('http://a', { concurrency: 3 }),
      find('http://a', { concurrency: 2 }),
      find('http://a'),
    ]
    find('http://a', { concurrency: 4 })
    expect(await mostOut(clock, three, two, any)).toBe(2)
  })

  it('of this process works on the time of the system', async () => {
    const server = serverFor('http://localhost:1/of-this-process', { retries: 1 })
    const attempts: number[] = []
    const call = server.call({ tokens: 1, signal: new AbortController().signal }, async ({ number }) => {
      attempts.push(number)
      const headers = new Headers({ 'retry-after-ms': '1' })
      return number === 1 ? { status: 'limited', error: new Error('later'), headers } : { status: 'answered', value: 7 }
    })
    expect(await call).toBe(7)
    expect(attempts).toEqual([1, 2])
  })

  it.each([
    [{ concurrency: 0 }, '"concurrency" is 0; it takes a whole number from 1 on.'],
    [{ requestsPerMinute: 1.5 }, '"requestsPerMinute" is 1.5; it takes a whole number from 1 on.'],
    [{ retries: -1 }, '"retries" is -1; it takes a whole number from 0 on.'],
    [{ maxWaitMs: Infinity }, '"maxWaitMs" is Infinity; it takes a whole number from 0 to 2147483647.'],
    [{ tokensPerMinute: Number.NaN }, '"tokensPerMinute" is NaN; it takes a whole number from 1 on.'],
  ])('refuses %j', (settings, message) => {
    expect(() => serverFor('http://localhost:1', settings)).toThrow(
      expect.objectContaining({ code: 'MODEL_OPTIONS_INVALID', message }) as Error,
    )
  })

  it('refuses what is no address, and does not repeat it', () => {
    expect(() => serverFor('sk-secret-that-was-swapped')).toThrow(
      expect.objectContaining({
        code: 'MODEL_OPTIONS_INVALID',
        message: 'The address of the server is no URL.',
      }) as Error,
    )
  })
})

describe('what a failed attempt says', () => {
  it.each([
    [{ httpStatus: undefined }, 'unavailable'],
    [{ httpStatus: 500 }, 'unavailable'],
    [{ httpStatus: 503 }, 'unavailable'],
    [{ httpStatus: 408 }, 'unavailable'],
    [{ httpStatus: 429 }, 'limited'],
    [{ httpStatus: 429, code: 'rate_limit_exceeded' }, 'limited'],
    [{ httpStatus: 429, code: 'insufficient_quota' }, 'refused'],
    [{ httpStatus: 429, headers: new Headers({ 'x-should-retry': 'false' }) }, 'refused'],
    [{ httpStatus: 501 }, 'refused'],
    [{ httpStatus: 400 }, 'refused'],
    [{ httpStatus: 401 }, 'refused'],
    [{ httpStatus: 403 }, 'refused'],
    [{ httpStatus: 404 }, 'refused'],
    [{ httpStatus: 200 }, 'broken'],
    [{ httpStatus: 200, hasBegun: true }, 'broken'],
    [{ httpStatus: undefined, hasBegun: true }, 'broken'],
  ] as const)('%j: %s', (signs, trouble) => {
    expect(troubleOf(signs)).toBe(trouble)
  })
})
