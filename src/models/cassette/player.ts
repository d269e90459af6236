// Playing recorded exchanges: each once, to the request that it was recorded for.
//
// P1. Equal requests are answered in the order in which they were recorded; different ones in any order, and side by side.
// P2. An answer comes as it came: status, the headers that matter, the body in its chunks, and a lost connection where it was lost.
import type { Exchange, RecordedRequest, RecordedResponse } from './cassetteFile.ts'
import { sentChunks } from './pieces.ts'
import { keyOf } from './request.ts'

export class Player {
  readonly #byKey = new Map<string, Exchange[]>()
  readonly #played = new Map<string, number>()

  constructor(exchanges: readonly Exchange[]) {
    for (const exchange of exchanges) {
      const key = keyOf(exchange.request)
      const equal = this.#byKey.get(key)
      if (equal) equal.push(exchange)
      else this.#byKey.set(key, [exchange])
    }
  }

  /** The next answer to this request; without one, how many there were. */
  take(request: RecordedRequest): { readonly response?: RecordedResponse; readonly times: number } {
    const key = keyOf(request)
    const equal = this.#byKey.get(key) ?? []
    const played = this.#played.get(key) ?? 0
    const next = equal[played]
    if (next === undefined) return { times: equal.length }
    this.#played.set(key, played + 1)
    return { response: next.response, times: equal.length }
  }
}

export function playResponse(recorded: RecordedResponse, signal: AbortSignal): Response {
  const { status, headers } = recorded
  if (status === 204 || status === 205 || status === 304) return new Response(null, { status, headers })
  const chunks = sentChunks(recorded).filter(({ length }) => length > 0)
  const source = {
    pull(controller: ReadableStreamDefaultController<Uint8Array>) {
      const chunk = chunks.shift()
      if (signal.aborted) controller.error(signal.reason)
      else if (chunk !== undefined) controller.enqueue(new Uint8Array(chunk))
      else if (recorded.brokeOff === true)
        controller.error(new TypeError('terminated')) // as Node's own fetch says it
      else controller.close()
    },
  }
  const body = new ReadableStream(source, { highWaterMark: 0 }) // nothing is sent before it is asked for
  return new Response(body, { status, headers })
}
