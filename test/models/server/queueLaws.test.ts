// The laws of the queue in front of a server, on a clock that stands still: whatever is asked, however long it takes, and however
// often the server puts it off.
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import type { Attempt } from '../../../src/models/server/attempt.ts'
import { createServers, type ServerSettings } from '../../../src/models/server/modelServer.ts'
import { serverClock } from '../../support/serverClock.ts'
import { VirtualClock } from '../../support/virtualClock.ts'

const minute = 60_000

interface Asked {
  readonly at: number
  readonly tokens: number
  readonly givenUpAfter: number | undefined
  readonly attempts: readonly {
    readonly takes: number
    readonly uses: number
    /** Of what does not answer; the last attempt always does. */
    readonly trouble: 'limited' | 'unavailable'
    readonly retryAfter: number | undefined
  }[]
}

/** One attempt, as it was seen from outside. */
interface Seen {
  readonly call: number
  readonly tokens: number
  readonly readyAt: number
  beganAt: number
  endedAt: number
  used: number
  /** What the calls behind it see: it no longer waits. */
  leftAt: number
}

interface Hold {
  readonly at: number
  readonly until: number
}

const asked: fc.Arbitrary<Asked> = fc.record({
  at: fc.nat(100_000),
  tokens: fc.nat(60),
  givenUpAfter: fc.option(fc.nat(90_000), { nil: undefined, freq: 4 }),
  attempts: fc.array(
    fc.record({
      takes: fc.nat(40_000),
      uses: fc.nat(60),
      trouble: fc.constantFrom('limited', 'unavailable'),
      retryAfter: fc.option(fc.integer({ min: 1, max: 30 }), { nil: undefined }),
    }),
    { minLength: 1, maxLength: 3 },
  ),
})

const limits = fc.record(
  {
    concurrency: fc.integer({ min: 1, max: 4 }),
    requestsPerMinute: fc.integer({ min: 1, max: 6 }),
    tokensPerMinute: fc.integer({ min: 20, max: 150 }),
  },
  { requiredKeys: ['concurrency'] },
)

async function play(calls: readonly Asked[], settings: ServerSettings) {
  const clock = new VirtualClock()
  const server = createServers(serverClock(clock, 0.5))('http://localhost:1', {
    ...settings,
    failuresInARow: 1e6,
    retries: 9,
    maxWaitMs: 1e9,
  })
  const seen: Seen[] = []
  const holds: Hold[] = []
  const results = [...calls]
    .sort((a, b) => a.at - b.at)
    .map(async ({ at, tokens, givenUpAfter, attempts }, call) => {
      await clock.wait(at)
      const controller = new AbortController()
      if (givenUpAfter !== undefined) clock.setTimeout(() => controller.abort(new Error('given up')), givenUpAfter)
      const begin = (readyAt: number): Seen => {
        const waiting = { call, tokens, readyAt, beganAt: Infinity, endedAt: Infinity, used: tokens, leftAt: Infinity }
        seen.push(waiting)
        return waiting
      }
      let now = begin(clock.now())
      const attempt = async ({ number }: { readonly number: number }): Promise<Attempt<string>> => {
        const { takes, uses, trouble, retryAfter } = attempts[number - 1]!
        now.beganAt = now.leftAt = clock.now()
        await clock.wait(takes)
        now.endedAt = clock.now()
        now.used = uses
        if (number === attempts.length) return { status: 'answered', value: 'well', tokens: uses }
        const backoff = 0.5 * 1000 * 2 ** (number - 1)
        const delay = retryAfter === undefined ? backoff : retryAfter * 1000
        if (trouble === 'limited' || retryAfter !== undefined)
          holds.push({ at: clock.now(), until: clock.now() + delay })
        if (!controller.signal.aborted) now = begin(clock.now() + delay)
        const headers = new Headers(retryAfter === undefined ? {} : { 'retry-after': String(retryAfter) })
        return { status: trouble, error: new Error(trouble), headers, tokens: uses }
      }
      try {
        await server.call({ tokens, signal: controller.signal }, attempt)
      } catch (error) {
        expect(error).toBe(controller.signal.reason)
        if (now.leftAt === Infinity) now.leftAt = clock.now()
      }
    })
  await clock.until(Promise.all(results))
  return { seen, holds, clock }
}

/** Of what had begun within the minute before `at`, that moment included. */
const recent = (seen: readonly Seen[], at: number) =>
  seen.filter(({ beganAt }) => beganAt <= at && beganAt > at - minute)

describe('the queue in front of a server', () => {
  it('keeps the limits, the order and what the server asks for, and lets nothing wait longer than that (Q1, Q2, Q3)', async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(asked, { minLength: 1, maxLength: 14 }), limits, async (calls, settings) => {
        const { concurrency, requestsPerMinute = Infinity, tokensPerMinute = Infinity } = settings
        const { seen, holds, clock } = await play(calls, settings)
        const begun = seen.filter(({ beganAt }) => beganAt !== Infinity)

        for (const { beganAt } of begun) {
          // Q1
          const out = begun.filter((one) => one.beganAt <= beganAt && one.endedAt > beganAt)
          expect(out.length).toBeLessThanOrEqual(concurrency)
          const lately = recent(begun, beganAt)
          expect(lately.length).toBeLessThanOrEqual(requestsPerMinute)
          const known = lately.map((one) => {
            if (one.endedAt > beganAt) return one.tokens
            return one.endedAt === beganAt ? Math.min(one.used, one.tokens) : one.used
          })
          const sum = known.reduce((total, amount) => total + amount, 0)
          const isAlone = known.filter((amount) => amount > 0).length === 1 // W2
          if (!isAlone) expect(sum).toBeLessThanOrEqual(tokensPerMinute)
          for (const { at, until } of holds) expect(at < beganAt && beganAt < until).toBe(false)
        }

        // Q3: at every moment at which something happens, whoever is first of those that are ready is kept by something.
        const moments = new Set<number>()
        for (const { readyAt, beganAt, endedAt, leftAt } of seen)
          for (const at of [readyAt, beganAt, beganAt + minute, endedAt, leftAt]) moments.add(at)
        for (const { until } of holds) moments.add(until)
        moments.delete(Infinity)
        for (const at of moments) {
          const ready = seen.filter(({ readyAt, leftAt }) => readyAt <= at && at < leftAt)
          const first = ready.reduce<Seen | undefined>(
            (a, b) => (a === undefined || b.call < a.call ? b : a),
            undefined,
          )
          if (first === undefined) continue
          const out = begun.filter(({ beganAt, endedAt }) => beganAt <= at && endedAt > at).length
          const lately = recent(begun, at)
          const sum = lately.reduce((total, one) => total + (one.endedAt <= at ? one.used : one.tokens), 0)
          const isKept =
            out >= concurrency ||
            lately.length >= requestsPerMinute ||
            (sum > 0 && sum + first.tokens > tokensPerMinute) ||
            holds.some((hold) => hold.at <= at && at < hold.until)
          expect(isKept, `call ${first.call} waits at ${at} for nothing`).toBe(true)
        }

        // Q2: who was ready before another began, and came before it, had begun or left before it.
        for (const one of begun) {
          const passed = seen.filter((other) => other.call < one.call && other.readyAt < one.beganAt)
          for (const other of passed) expect(other.leftAt).toBeLessThanOrEqual(one.beganAt)
        }
        await clock.runUntilIdle()
        expect(clock.pending).toBe(0) // nothing is left behind
      }),
      { numRuns: 300 },
    )
  })
})
