// How options are checked: each check says in words what is wrong with a value, and all of them are asked.
//
// Things are judged by what they can do, not by their class: another copy of the package, or a test, has another one.
import { closest, distance } from 'fastest-levenshtein'
import { PlanloomError } from '../errors.ts'

/** What is wrong with a value, in words that name the place; nothing where it is as it should be. */
export type Check = (value: unknown, place: string) => readonly string[]
export type Checks = Readonly<Record<string, Check>>

/** @param elsewhere names that are easily looked for here, and where they stand.
 * @throws `OPTIONS_INVALID` with everything that is wrong. */
export function check(
  door: string,
  options: unknown,
  checks: Checks,
  elsewhere: Readonly<Record<string, string>> = {},
): void {
  const problems = isObject(options)
    ? [...unknownNames(options, checks, '', elsewhere), ...checkAll(options, checks, '')]
    : [`the options are ${nameOf(options)}, and must be an object`]
  refuseIfAny(door, problems, `Its options are ${Object.keys(checks).join(', ')}.`)
}

/** @throws `OPTIONS_INVALID` where there are problems */
export function refuseIfAny(door: string, problems: readonly string[], hint: string): void {
  if (problems.length === 0) return
  throw new PlanloomError('OPTIONS_INVALID', `${door} was given what it cannot use: ${problems.join('; ')}.`, { hint })
}

/** An object with no other properties than these. */
export const within =
  (checks: Checks): Check =>
  (value, place) =>
    isObject(value)
      ? [...unknownNames(value, checks, `${place}.`), ...checkAll(value, checks, `${place}.`)]
      : must(isObject, 'an object')(value, place)

/** An object whose properties, of any name, are all alike. */
export const each =
  (checkOne: Check): Check =>
  (value, place) =>
    isObject(value)
      ? Object.entries(value).flatMap(([name, one]) => checkOne(one, `${place}.${name}`))
      : must(isObject, 'an object')(value, place)

export const must =
  (holds: (value: unknown) => boolean, what: string): Check =>
  (value, place) =>
    holds(value) ? [] : [`"${place}" is ${nameOf(value)}, and must be ${what}`]

export const oneOf = (...choices: readonly string[]): Check =>
  must((value) => choices.includes(value as string), choices.map((choice) => `"${choice}"`).join(' or '))

export const withMethods =
  (what: string, ...methods: readonly string[]): Check =>
  (value, place) => {
    const missing = isObject(value) ? methods.filter((name) => !isFunction(value[name])) : methods
    if (missing.length === 0) return []
    return [
      `"${place}" is ${nameOf(value)}, and lacks what makes it ${what}: ${missing.map((one) => `${one}()`).join(', ')}`,
    ]
  }

export const text = must((value) => typeof value === 'string' && value !== '', 'a text that is not empty')
export const whole = (least: number): Check =>
  must((value) => Number.isSafeInteger(value) && Number(value) >= least, `a whole number of at least ${String(least)}`)
export const amount = (least: number): Check =>
  must((value) => Number.isFinite(value) && Number(value) >= least, `a finite number of at least ${String(least)}`)
export const rate = must((value) => Number.isFinite(value) && Number(value) > 0, 'a finite number above 0')

function checkAll(value: Readonly<Record<string, unknown>>, checks: Checks, above: string): string[] {
  return Object.entries(checks).flatMap(([name, checkOne]) =>
    value[name] === undefined ? [] : checkOne(value[name], `${above}${name}`),
  )
}

function unknownNames(
  value: Readonly<Record<string, unknown>>,
  checks: Checks,
  above: string,
  elsewhere: Readonly<Record<string, string>> = {},
): string[] {
  return Object.keys(value)
    .filter((name) => !Object.hasOwn(checks, name))
    .map((name) => {
      const near = nearest(name, checks, above, elsewhere)
      return `there is no option "${above}${name}"${near === undefined ? '' : ` (did you mean "${near}"?)`}`
    })
}

function nearest(
  name: string,
  checks: Checks,
  above: string,
  elsewhere: Readonly<Record<string, string>>,
): string | undefined {
  const places = new Map<string, string>(Object.entries(elsewhere))
  for (const option of Object.keys(checks)) places.set(option, `${above}${option}`)
  const near = closest(name, [...places.keys()])
  return distance(name, near) <= Math.max(1, name.length / 3) ? places.get(near) : undefined
}

export function isFunction(value: unknown): boolean {
  return typeof value === 'function'
}

export function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

/** What was given, in a few words: however large it is, it is not printed whole. */
function nameOf(value: unknown): string {
  if (typeof value === 'string') return JSON.stringify(value.length > 60 ? `${value.slice(0, 60)}…` : value)
  if (typeof value === 'function') return 'a function'
  if (Array.isArray(value)) return `an array of ${String(value.length)}`
  if (!isObject(value)) return String(value)
  const keys = Object.keys(value).map((key) => JSON.stringify(key.slice(0, 50)))
  if (keys.length === 0) return 'an object without properties of its own'
  return `an object with ${keys.slice(0, 5).join(', ')}${keys.length > 5 ? ', …' : ''}`
}
