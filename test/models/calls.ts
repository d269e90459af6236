// A model at a scripted server, on a clock that jumps: retries wait for nothing.
import { modelIn } from '../../src/models/createModel.ts'
import type { Model, ModelRequest } from '../../src/models/model.ts'
import type { ModelOptions, ModelWorld } from '../../src/models/modelSettings.ts'
import type { ServerClock } from '../../src/models/server/serverClock.ts'
import { createServers } from '../../src/models/server/modelServer.ts'

/** What waits for another attempt goes on at once; neither a silence nor the time of a call ends, unless the test says that it has. */
export function stillClock(silence?: Promise<void>, callEnd?: Promise<void>): ServerClock {
  let now = Date.UTC(2026, 0, 1)
  return {
    now: () => now,
    random: () => 0.5,
    wait: (delayMs, signal) =>
      new Promise((resolve, reject) => {
        const stop = (): void => reject(signal.reason as Error)
        if (signal.aborted) stop()
        signal.addEventListener('abort', stop, { once: true })
        const pass = (): void => {
          now += delayMs
          resolve()
        }
        if (delayMs === silenceMs) void silence?.then(pass)
        else if (delayMs === callMs) void callEnd?.then(pass)
        else setImmediate(pass)
      }),
  }
}

/** No wait of another kind is as long. */
const silenceMs = 123_456
const callMs = 654_321

export function modelAt(baseURL: string, options: Partial<ModelOptions> = {}, world: ModelWorld = {}): Model {
  const clock = world.clock ?? stillClock()
  return modelIn(
    { model: 'test', baseURL, timeoutMs: silenceMs, callMs, ...options },
    { clock, servers: createServers(clock), env: {}, ...world },
  )
}

export const never = new AbortController().signal

export const hello: ModelRequest = { messages: [{ role: 'user', text: 'Hello?' }] }

export const point: ModelRequest = {
  messages: [
    { role: 'system', text: 'You place points.' },
    { role: 'user', text: 'One point.' },
  ],
  format: {
    name: 'point',
    schema: {
      type: 'object',
      properties: { x: { type: 'number' }, why: { type: 'string' } },
      required: ['x'],
    },
  },
}
