// Values that are given on the command line.
import { InvalidArgumentError } from 'commander'

/** Text as a value: JSON where it reads as such, and the text itself otherwise. */
export function valueOf(text: string): unknown {
  try {
    return JSON.parse(text) as unknown
  } catch {
    return text
  }
}

type TakePair<T> = (pair: string, before?: ReadonlyMap<string, T>) => ReadonlyMap<string, T>

/** Takes in one pair more, for an option that may be given several times.
 *
 * @param form for people: `name=value`
 */
export function takePairs<T>(form: string, read: (text: string) => T): TakePair<T> {
  return (pair, before = new Map()) => {
    const at = pair.indexOf('=')
    if (at < 1) throw new InvalidArgumentError(`It has the form ${form}.`)
    return new Map([...before, [pair.slice(0, at), read(pair.slice(at + 1))]])
  }
}

export const takeSetting = takePairs('name=value', valueOf)

/** Labels are text, whatever they look like. */
export function labelsOf(settings: ReadonlyMap<string, unknown>): Readonly<Record<string, string>> {
  return Object.fromEntries([...settings].map(([name, value]) => [name, String(value)]))
}

/** Takes in one value more. */
export function takeAnother(value: string, before: readonly string[] = []): readonly string[] {
  return [...before, value]
}

export function wholeNumber(text: string): number {
  if (!/^\d+$/.test(text)) throw new InvalidArgumentError('It is a whole number.')
  return Number(text)
}

export function atLeastOne(text: string): number {
  const number = wholeNumber(text)
  if (number < 1) throw new InvalidArgumentError('It is at least 1.')
  return number
}

/** `500ms`, `30s`, `5min` or `2h`, as milliseconds. */
export function timeSpan(text: string): number {
  const [, count = '', unit = ''] = /^(\d+(?:\.\d+)?)(ms|s|min|m|h)$/.exec(text) ?? []
  if (count === '') throw new InvalidArgumentError('It is a number with its unit: 500ms, 30s, 5min, 2h.')
  const spanMs = Number(count) * (unitsMs[unit] ?? 1)
  if (spanMs <= 0) throw new InvalidArgumentError('It is more than 0.')
  return spanMs
}

const unitsMs: Readonly<Record<string, number>> = { ms: 1, s: 1000, m: 60_000, min: 60_000, h: 3_600_000 }
