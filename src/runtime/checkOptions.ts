// The options of a runtime and of a run are checked at the door: whoever gives them is told at once, and of everything.
//
// Things are judged by what they can do, not by their class: another copy of the package, or a test, has another one.
import { closest, distance } from 'fastest-levenshtein'
import { PlanloomError } from '../errors.ts'
import { defaultLimits } from './settings.ts'

/** What is wrong with a value, in words that name the place; nothing where it is as it should be. */
type Check = (value: unknown, place: string) => readonly string[]
type Checks = Readonly<Record<string, Check>>

/** @throws `OPTIONS_INVALID` with everything that is wrong. */
export function checkRuntimeOptions(options: unknown): void {
  check('createRuntime()', options, runtimeChecks)
}

/** @throws `OPTIONS_INVALID` with everything that is wrong. */
export function checkStartOptions(options: unknown): void {
  check('start()', options, startChecks)
}

/** @throws `OPTIONS_INVALID` with everything that is wrong. */
export function checkPlanOptions(options: unknown): void {
  check('plan()', options, planChecks)
}

function check(door: string, options: unknown, checks: Checks): void {
  const problems = isObject(options)
    ? [
        ...unknownNames(options, checks),
        ...Object.entries(checks).flatMap(([name, checkOne]) =>
          options[name] === undefined ? [] : checkOne(options[name], name),
        ),
      ]
    : [`the options are ${nameOf(options)}, and must be an object`]
  if (problems.length === 0) return
  throw new PlanloomError('OPTIONS_INVALID', `${door} was given what it cannot use: ${problems.join('; ')}.`, {
    hint: `Its options are ${Object.keys(checks).join(', ')}.`,
  })
}

function unknownNames(options: Readonly<Record<string, unknown>>, checks: Checks): string[] {
  return Object.keys(options)
    .filter((name) => !Object.hasOwn(checks, name))
    .map((name) => {
      const near = nearest(name, checks)
      return `there is no option "${name}"${near === undefined ? '' : ` (did you mean "${near}"?)`}`
    })
}

/** Limits are easily looked for one floor too high. */
function nearest(name: string, checks: Checks): string | undefined {
  const limits = Object.hasOwn(checks, 'limits') ? [...Object.keys(defaultLimits), 'totalConcurrency'] : []
  const places = new Map<string, string>(limits.map((limit) => [limit, `limits.${limit}`]))
  for (const option of Object.keys(checks)) places.set(option, option)
  const near = closest(name, [...places.keys()])
  return distance(name, near) <= Math.max(1, name.length / 3) ? places.get(near) : undefined
}

const must =
  (holds: (value: unknown) => boolean, what: string): Check =>
  (value, place) =>
    holds(value) ? [] : [`"${place}" is ${nameOf(value)}, and must be ${what}`]

const oneOf = (...choices: readonly string[]): Check =>
  must((value) => choices.includes(value as string), choices.map((choice) => `"${choice}"`).join(' or '))

const withMethods =
  (what: string, ...methods: readonly string[]): Check =>
  (value, place) => {
    const missing = isObject(value) ? methods.filter((name) => !isFunction(value[name])) : methods
    if (missing.length === 0) return []
    return [
      `"${place}" is ${nameOf(value)}, and lacks what makes it ${what}: ${missing.map((one) => `${one}()`).join(', ')}`,
    ]
  }

const object = must(isObject, 'an object')
const text = must((value) => typeof value === 'string' && value !== '', 'a text that is not empty')
const count = must((value) => typeof value === 'number' && value >= 1, 'a number of at least 1')
const rate = must((value) => typeof value === 'number' && value > 0, 'a number above 0')

const planner: Check = (value, place) => {
  const lacks = withMethods('a planner', 'plan')(value, place)
  if (lacks.length > 0 || !isObject(value)) return lacks
  const { name, replan } = value
  const isRight = must((given) => given === undefined || isFunction(given), 'a function, or left out')
  return [...text(name, `${place}.name`), ...isRight(replan, `${place}.replan`)]
}

const executor: Check = (value, place) => {
  const lacks = withMethods('an executor', 'execute')(value, place)
  if (lacks.length > 0 || !isObject(value)) return lacks
  const { role, concurrency, ratePerSecond } = value
  return [
    ...(role === 'person'
      ? [`"${place}" has the role "person", whose steps are put to people: give "ask" for them`]
      : text(role, `${place}.role`)),
    ...(concurrency === undefined ? [] : count(concurrency, `${place}.concurrency`)),
    ...(ratePerSecond === undefined ? [] : rate(ratePerSecond, `${place}.ratePerSecond`)),
  ]
}

const runtimeChecks: Checks = {
  // What each tool must be is for the registry to say.
  tools: must(Array.isArray, 'an array of what defineTool() makes'),
  planner,
  executors: (value, place) =>
    Array.isArray(value)
      ? value.flatMap((one: unknown, index) => executor(one, `${place}[${String(index)}]`))
      : must(() => false, 'an array of executors')(value, place),
  ask: must(isFunction, 'a function that gives a promise of the answer'),
  // What each limit must be stands in settings.ts; the runtime's own is no run's.
  limits: (value, place) => {
    const total = isObject(value) ? value['totalConcurrency'] : undefined
    return [...object(value, place), ...(total === undefined ? [] : count(total, `${place}.totalConcurrency`))]
  },
  approval: oneOf('none', 'required', 'effects'),
  dispatch: oneOf('eager', 'whole'),
  journal: withMethods('a journal', 'create', 'open', 'read', 'runs', 'close'),
  journalMs: count,
  keepRuns: must((value) => typeof value === 'number' && value >= 0, 'a number of at least 0'),
  clock: withMethods('a clock', 'now', 'setTimeout', 'clearTimeout'),
  seed: must(Number.isFinite, 'a finite number'),
}

const signal = must(
  (value) => isObject(value) && typeof value['aborted'] === 'boolean' && isFunction(value['addEventListener']),
  'an AbortSignal',
)
const planChecks: Checks = { signal }
const startChecks: Checks = {
  runId: text,
  labels: must(
    (value) => isObject(value) && Object.values(value).every((label) => typeof label === 'string'),
    'an object of texts',
  ),
  limits: object,
  planner,
  approval: oneOf('none', 'required', 'effects'),
  signal,
}

function isFunction(value: unknown): boolean {
  return typeof value === 'function'
}

function isObject(value: unknown): value is Record<string, unknown> {
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
