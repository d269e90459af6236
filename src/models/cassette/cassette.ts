// Model traffic on a cassette: recorded once from a server, played ever after with no network and no key.
import { PlanloomError } from '../../errors.ts'
import { isJsonObject } from '../../plan/json.ts'
import { readCassette } from './cassetteFile.ts'
import { mismatch } from './mismatch.ts'
import { Player, playResponse } from './player.ts'
import { Recorder } from './recorder.ts'
import { takeRequest, type Fetch } from './request.ts'

export interface RecordOptions {
  /** Sends what is recorded. @default the `fetch` of the process */
  readonly fetch?: Fetch
}

export interface CassetteOptions extends RecordOptions {
  /** `replay`: only what was recorded. `record`: asks the server, and writes the file anew. `auto`: replays what was recorded, and
   * asks the server for the rest, which is added. @default 'replay' */
  readonly mode?: 'replay' | 'record' | 'auto'
}

/** A `fetch` that plays what was recorded, records what is asked, or both: for `createModel`, or any client that takes a `fetch`.
 *
 * Keys, `Authorization`, organisation headers and cookies are not written, nor what repeats them in a body or an address.
 * Answers are found by method, path and JSON body, so runs may go side by side and in another order than when they were recorded.
 * @throws `CASSETTE_MISSING`, `CASSETTE_DAMAGED`, `CASSETTE_NEWER`; the `fetch` rejects with `CASSETTE_MISMATCH`, which says what
 *   has changed in the request.
 * @example
 * // compiled only: it needs a server when it first runs
 * import { cassette } from 'planloom'
 * const fetch = cassette('test/audit.cassette.json', { mode: process.env.RECORD ? 'record' : 'replay' })
 */
export function cassette(path: string, { mode = 'replay', fetch = globalThis.fetch }: CassetteOptions = {}): Fetch {
  const former = mode === 'record' ? [] : (readCassette(path) ?? (mode === 'auto' ? [] : missing(path)))
  const player = new Player(former)
  const recorder = new Recorder(path, former)
  return async (input, init) => {
    const request = await takeRequest(input, init)
    request.signal.throwIfAborted()
    if (mode === 'record') return recorder.record(request, fetch)
    const { response, times } = player.take(request.recorded)
    if (response !== undefined) return playResponse(response, request.signal)
    if (mode === 'auto') return recorder.record(request, fetch)
    throw mismatch(path, former, request.recorded, times)
  }
}

/** A `fetch` that asks the server and writes what is said to a cassette. A file that is there is replaced when the first answer
 * has come.
 *
 * @example
 * import { recordCassette } from 'planloom'
 * const fetch = recordCassette('test/audit.cassette.json') // nothing is written before something is asked
 */
export function recordCassette(path: string, options: RecordOptions = {}): Fetch {
  return cassette(path, { ...options, mode: 'record' })
}

/** A `fetch` that answers from a cassette, with no network.
 *
 * @throws `CASSETTE_MISSING`, `CASSETTE_DAMAGED`, `CASSETTE_NEWER`; the `fetch` rejects with `CASSETTE_MISMATCH`.
 * @example
 * // compiled only: it needs a cassette
 * import { replayCassette } from 'planloom'
 * const fetch = replayCassette('test/audit.cassette.json')
 */
export function replayCassette(path: string): Fetch {
  return cassette(path)
}

/** The model that was asked when a cassette was recorded; `undefined` where its requests name none.
 *
 * @throws `CASSETTE_MISSING`, `CASSETTE_DAMAGED`, `CASSETTE_NEWER` */
export function modelOnCassette(path: string): string | undefined {
  for (const { request } of readCassette(path) ?? missing(path)) {
    if (isJsonObject(request.json) && typeof request.json.model === 'string') return request.json.model
  }
  return undefined
}

function missing(path: string): never {
  throw new PlanloomError('CASSETTE_MISSING', `There is no cassette "${path}".`, {
    hint: "Check the path; or record it (--record on the command line, `mode: 'record'` in code), with the address and the key of a server.",
    where: { path },
  })
}
