// The time that a call may take in all.
import { expect, it } from 'vitest'
import { openModelServer } from '../support/modelServer.ts'
import { hello, modelAt, never, stillClock } from './calls.ts'

it.each(['chat', 'responses'] as const)(
  'ends a call whose server drips for ever, and its request (%s)',
  async (api) => {
    async function* drops(): AsyncGenerator<string> {
      for (;;) {
        yield 'drop '
        await new Promise(setImmediate)
      }
    }
    await using server = await openModelServer([{ text: drops() }])
    let end = (): void => undefined
    const callEnd = new Promise<void>((resolve) => (end = resolve))
    const model = modelAt(server.url, { api }, { clock: stillClock(undefined, callEnd) })
    let told = 0
    const call = model.complete(hello, {
      signal: never,
      onText: () => {
        if (++told === 50) end()
      },
    })
    await expect(call).rejects.toMatchObject({
      code: 'MODEL_CALL_TIMEOUT',
      retryable: true,
      hint: expect.stringContaining('callMs'),
      usage: { calls: 1, isEstimated: true },
    })
    expect(await server.requests[0]?.gone).toBe(true)
    expect(server.requests).toHaveLength(1) // what has begun to answer is not asked again
  },
)
