// The options of a runtime and of a run are checked at the door: whoever gives them is told at once, and of everything.
import type { RunLimits } from '../machines/settings.messages.ts'
import {
  amount,
  check,
  each,
  isFunction,
  isObject,
  must,
  oneOf,
  rate,
  refuseIfAny,
  text,
  whole,
  withMethods,
  within,
} from './optionChecks.ts'
import type { Check, Checks } from './optionChecks.ts'

/** @throws `OPTIONS_INVALID` with everything that is wrong. */
export function checkRuntimeOptions(options: unknown): void {
  check('createRuntime()', options, runtimeChecks, inLimits)
}

/** @throws `OPTIONS_INVALID` with everything that is wrong. */
export function checkStartOptions(options: unknown): void {
  check('start()', options, startChecks, inLimits)
}

/** @throws `OPTIONS_INVALID` with everything that is wrong. */
export function checkPlanOptions(options: unknown): void {
  check('plan()', options, planChecks)
}

/** @throws `OPTIONS_INVALID` with everything that is wrong. */
export function checkResumeOptions(options: unknown): void {
  check('resume()', options, resumeChecks)
}

/** @throws `OPTIONS_INVALID` with everything that is wrong. */
export function checkResumeAllOptions(options: unknown): void {
  check('resumeAll()', options, resumeAllChecks)
}

/** @throws `OPTIONS_INVALID` with everything that is wrong. */
export function checkLimits(limits: unknown): void {
  check('extend()', limits, limitChecks)
}

/** @throws `OPTIONS_INVALID` with everything that is wrong. */
export function checkReport(report: { readonly key: unknown }): void {
  check('report()', report, { key: text })
}

/** @param roles that have an executor
 * @throws `OPTIONS_INVALID` for a limit on a role that nobody has: it would hold nothing back. */
export function checkRoles(door: string, limits: Partial<RunLimits> | undefined, roles: readonly string[]): void {
  const unserved = Object.keys(limits?.roles ?? {}).filter((role) => !roles.includes(role))
  const problems = unserved.map((role) => `"limits.roles.${role}" is for a role that no executor has`)
  refuseIfAny(door, problems, `Its roles are ${roles.join(', ')}.`)
}

/** @throws `OPTIONS_INVALID` with everything that is wrong. */
export function checkForkOptions(options: unknown): void {
  check('fork()', options, forkChecks, inLimits)
}

const limitChecks = {
  concurrency: whole(1),
  roles: each(whole(1)),
  plannerCalls: whole(0),
  replans: whole(0),
  tokens: whole(0),
  cost: amount(0),
  timeMs: amount(0),
  plannerMs: amount(1),
  graceMs: amount(0),
  steps: whole(1),
  sameFailure: whole(1),
  depth: whole(0),
} as const satisfies Readonly<Record<keyof RunLimits, Check>>
const runtimeLimitChecks = { ...limitChecks, totalConcurrency: whole(1) }

/** Limits are easily looked for one floor too high. */
const inLimits = Object.fromEntries(Object.keys(runtimeLimitChecks).map((name) => [name, `limits.${name}`]))

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
    ...(concurrency === undefined ? [] : whole(1)(concurrency, `${place}.concurrency`)),
    ...(ratePerSecond === undefined ? [] : rate(ratePerSecond, `${place}.ratePerSecond`)),
  ]
}

const model: Check = (value, place) => {
  const lacks = withMethods('a model', 'complete')(value, place)
  return lacks.length > 0 || !isObject(value) ? lacks : text(value['name'], `${place}.name`)
}

const modelSteps = within({
  turns: whole(1),
  tokens: whole(1),
  timeoutMs: amount(1),
  repairs: whole(0),
  callsAtOnce: whole(1),
  characters: whole(100),
  maxTokens: whole(1),
  askPerson: oneOf('offered', 'withheld'),
  concurrency: whole(1),
  ratePerSecond: rate,
})

const uncertain = oneOf('replan', 'ask', 'retry', 'fail')

const runtimeChecks: Checks = {
  // What each tool must be is for the registry to say.
  tools: must(Array.isArray, 'an array of what defineTool() makes'),
  planner,
  executors: (value, place) =>
    Array.isArray(value)
      ? value.flatMap((one: unknown, index) => executor(one, `${place}[${String(index)}]`))
      : must(() => false, 'an array of executors')(value, place),
  model,
  modelSteps,
  ask: must(isFunction, 'a function that gives a promise of the answer'),
  limits: within(runtimeLimitChecks),
  approval: oneOf('none', 'required', 'effects'),
  amendments: oneOf('free', 'effects'),
  dispatch: oneOf('eager', 'whole'),
  uncertain,
  journal: withMethods('a journal', 'create', 'open', 'read', 'runs', 'close'),
  journalMs: amount(1),
  keepRuns: whole(0),
  clock: withMethods('a clock', 'now', 'setTimeout', 'clearTimeout'),
  seed: must(Number.isFinite, 'a finite number'),
}

const signal = must(
  (value) => isObject(value) && typeof value['aborted'] === 'boolean' && isFunction(value['addEventListener']),
  'an AbortSignal',
)
const planChecks: Checks = { signal }
const resumeChecks: Checks = {
  planner,
  changes: must(
    (value) => value === 'refuse' || value === 'accept' || isFunction(value),
    '"refuse", "accept" or a function',
  ),
  uncertain,
  by: text,
  signal,
}
const labels = must(
  (value) => isObject(value) && Object.values(value).every((label) => typeof label === 'string'),
  'an object of texts',
)
const resumeAllChecks: Checks = {
  ...resumeChecks,
  planner: (value, place) => (isFunction(value) ? [] : planner(value, place)),
  labels,
  goal: text,
  since: amount(0),
}
const startChecks: Checks = {
  runId: text,
  labels,
  limits: within(limitChecks),
  planner,
  approval: oneOf('none', 'required', 'effects'),
  amendments: oneOf('free', 'effects'),
  uncertain,
  signal,
}
const forkChecks: Checks = {
  runId: text,
  planner,
  limits: within(limitChecks),
  signal,
  outcomes: must(
    (value) =>
      isObject(value) && Object.values(value).every((one) => isObject(one) && 'output' in one !== 'failure' in one),
    'an object with { output } or { failure } for each step',
  ),
  facts: must(isObject, 'an object'),
  withdrawn: must(
    (value) => Array.isArray(value) && value.every((key) => typeof key === 'string'),
    'an array of texts',
  ),
  operations: must(Array.isArray, 'an array of operations'),
  uncertain,
  by: text,
}
