// The error of a request that no recorded one is equal to: it says what has changed.
import { PlanloomError } from '../../errors.ts'
import type { Json } from '../../plan/json.ts'
import type { Exchange, RecordedRequest } from './cassetteFile.ts'
import { differences, type Difference } from './differences.ts'

/** A request that the cassette does not hold. `differences` are those to the nearest request that it does. */
export class CassetteMismatchError extends PlanloomError {
  override readonly name = 'CassetteMismatchError'
  /** Places that differ; pointers begin at `/method`, `/path` and `/body`. */
  readonly differences: readonly Difference[]
  /** Which exchange of the file is nearest, from 0. */
  readonly nearest: number | undefined

  constructor(path: string, message: string, nearest?: number, found: readonly Difference[] = []) {
    super('CASSETTE_MISMATCH', message, {
      hint: "Where the change is meant, record anew: --record on the command line, `mode: 'record'` in code ('auto' for what is missing).",
      where: { path },
    })
    this.differences = found
    this.nearest = nearest
  }
}

/** @param timesEqual how often an equal request was recorded: all of those have been played. */
export function mismatch(
  path: string,
  exchanges: readonly Exchange[],
  came: RecordedRequest,
  timesEqual: number,
): CassetteMismatchError {
  const what = `${came.method} ${came.path}`
  if (timesEqual > 0) {
    const times = timesEqual === 1 ? 'once' : `${timesEqual} times`
    return new CassetteMismatchError(
      path,
      `${what} was recorded ${times} in "${path}" as it came, and is asked once more.`,
    )
  }
  const nearest = findNearest(exchanges, came)
  if (nearest === undefined)
    return new CassetteMismatchError(path, `${what} is not in "${path}": nothing has been recorded there.`)
  const { index, found } = nearest
  const shown = found.slice(0, mostShown).map(inWords)
  if (found.length > mostShown) shown.push(`and ${found.length - mostShown} more`)
  return new CassetteMismatchError(
    path,
    `${what} is not in "${path}" as it came. The nearest one there is exchange ${index + 1} of ${exchanges.length}: ${shown.join('; ')}.`,
    index,
    found,
  )
}

const mostShown = 5
const mostCharacters = 80

/** The one with the fewest differences: of the same method and path, where there is one. */
function findNearest(exchanges: readonly Exchange[], came: RecordedRequest) {
  let best: { readonly index: number; readonly found: readonly Difference[]; readonly distance: number } | undefined
  for (const [index, { request }] of exchanges.entries()) {
    const found = differences(compared(request), compared(came))
    const isElsewhere = request.method !== came.method || request.path !== came.path
    const distance = found.length + (isElsewhere ? 1e6 : 0)
    if (best === undefined || distance < best.distance) best = { index, found, distance }
  }
  return best
}

function compared({ method, path, json, text }: RecordedRequest): Json {
  const body = json ?? text
  return { method, path, ...(body !== undefined && { body }) }
}

function inWords({ pointer, recorded, came }: Difference): string {
  if (typeof recorded === 'string' && typeof came === 'string') {
    const at = firstDifference(recorded, came)
    const from = Math.max(0, at - mostCharacters / 4)
    const place = from === 0 ? '' : ` from character ${at} on`
    return `${pointer} differs${place}: ${excerpt(recorded, from)} was recorded, ${excerpt(came, from)} came`
  }
  if (recorded === undefined) return `${pointer} is new: ${shown(came ?? null)} came`
  if (came === undefined) return `${pointer} is missing: ${shown(recorded)} was recorded`
  return `${pointer} differs: ${shown(recorded)} was recorded, ${shown(came)} came`
}

function firstDifference(a: string, b: string): number {
  let at = 0
  while (at < a.length && a[at] === b[at]) at += 1
  return at
}

function excerpt(text: string, from: number): string {
  const part = text.slice(from, from + mostCharacters)
  return `${from > 0 ? '…' : ''}${JSON.stringify(part)}${from + mostCharacters < text.length ? '…' : ''}`
}

function shown(value: Json): string {
  const text = JSON.stringify(value)
  return text.length > mostCharacters ? `${text.slice(0, mostCharacters)}…` : text
}
