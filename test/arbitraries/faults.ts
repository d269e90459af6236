// Known faults for correct plans: each breaks one place, and says what a check must find there.
import fc from 'fast-check'
import type { FindingCode, Json, Plan } from '../../src/plan/index.ts'
import { plans } from './plans.ts'

type Found = readonly [FindingCode, string]
type Draft = Record<string, unknown>

export interface Broken {
  readonly value: unknown
  /** Codes and paths, in no order. */
  readonly expected: readonly Found[]
}

interface Spot {
  readonly step: Draft
  readonly index: number
  /** A whole step that this one may depend on without a cycle; `undefined` where there is none. */
  readonly giver: string | undefined
}

/** Breaks the step, and tells what must be found in it; `undefined` where this fault does not apply. */
type StepFault = (spot: Spot) => readonly [FindingCode, string] | undefined

const input = (step: Draft): Draft => ({ ...(step['input'] as Draft | undefined) })
const listed = (step: Draft): unknown[] => [...((step['after'] as unknown[] | undefined) ?? [])]

function setting(code: FindingCode, key: string, value: unknown, path = key): StepFault {
  return ({ step }) => {
    step[key] = value
    return [code, path]
  }
}

function feeding(code: FindingCode, key: string, value: unknown, path = `input/${key}`): StepFault {
  return ({ step }) => {
    step['input'] = { ...input(step), [key]: value }
    return [code, path]
  }
}

function referring(code: FindingCode, key: string, to: string, path?: string): StepFault {
  return (spot) =>
    spot.giver === undefined ? undefined : feeding(code, key, { $from: spot.giver, path: to }, path)(spot)
}

function waiting(code: FindingCode, id: (step: Draft) => unknown, path?: string): StepFault {
  return ({ step }) => {
    const after = listed(step)
    step['after'] = [...after, id(step)]
    return [code, path ?? `after/${after.length}`]
  }
}

function misspelling(key: string, written: string): StepFault {
  return ({ step }) => {
    if (step[key] === undefined) return undefined
    step[written] = step[key]
    Reflect.deleteProperty(step, key)
    return ['PLAN_SHAPE', written]
  }
}

const deep = Array.from({ length: 70 }).reduce<Json>((inner) => ({ x: inner }), 1)

const stepFaults: readonly StepFault[] = [
  setting('PLAN_SHAPE', 'timeoutMs', 'soon'),
  setting('PLAN_SHAPE', 'onFailure', 'retry'),
  setting('PLAN_SHAPE', 'onSkipped', 'retry'),
  setting('PLAN_SHAPE', 'retry', { attempts: 0 }, 'retry/attempts'),
  setting('PLAN_SHAPE', 'retry', { atempts: 2 }, 'retry/atempts'),
  setting('PLAN_SHAPE', 'zzqqzz', 1),
  setting('PLAN_SHAPE', 'when', { value: 3, is: true }, 'when/value'),
  setting('PLAN_SHAPE', 'title', () => 1),
  setting('PLAN_SHAPE', 'cost', Number.NaN),
  setting('PLAN_SHAPE', 'input', ['a']),
  setting('PLAN_SHAPE', 'tool', 5),
  setting('STEP_KIND', 'instruction', 'and this', ''),
  setting('STEP_KIND', 'tools', ['noop']),
  setting('PLAN_SHAPE', 'tools', ['noop', 'noop']),
  setting('PLAN_SHAPE', 'tools', 'noop'),
  setting('TOOL_UNKNOWN', 'tool', 'nope'),
  setting('EXECUTOR_UNKNOWN', 'executor', 'nobody'),
  setting('SCHEMA_INVALID', 'expect', { type: 7 }, 'expect/type'),
  misspelling('tool', 'tol'),
  misspelling('input', 'inptu'),
  misspelling('after', 'dependsOn'),
  misspelling('id', 'idd'),
  misspelling('forEach', 'for_each'),
  waiting('STEP_UNKNOWN', () => 'nobody'),
  waiting('PLAN_CYCLE', (step) => step['id'], ''),
  waiting('PLAN_SHAPE', () => 5),
  feeding('INPUT_UNKNOWN', 'nope', 1),
  feeding('INPUT_INVALID', 'flag', 'yes'),
  feeding('PLAN_SHAPE', 'text', { $from: 's0', paht: '/text' }),
  feeding('TEMPLATE_IN_TEXT', 'text', '#E1'),
  referring('REFERENCE_PATH', 'text', 'text', 'input/text/path'),
  feeding('PLAN_TOO_LARGE', 'nested', deep, `input/nested${'/x'.repeat(64)}`),
  referring('REFERENCE_TYPE', 'flag', '/text'),
  referring('REFERENCE_PATH', 'text', '/nowhere'),
  (spot) => (spot.step['forEach'] ? undefined : feeding('ITEM_OUTSIDE_FOR_EACH', 'text', { $item: '/x' })(spot)),
  ({ step, giver }) => {
    if (step['forEach'] === undefined || giver === undefined) return undefined
    step['forEach'] = { $from: giver, path: '/text' }
    return ['REFERENCE_TYPE', 'forEach']
  },
  ({ step }) => {
    if (step['forEach'] === undefined) return undefined
    step['forEach'] = { ...(step['forEach'] as Draft), paht: '' }
    return ['PLAN_SHAPE', 'forEach/paht']
  },
  ({ step, giver }) => {
    if (giver === undefined) return undefined
    step['when'] = { value: { $from: giver, path: '/count' }, is: false }
    return ['STEP_UNREACHABLE', 'when/is']
  },
  ({ step }) => {
    delete step['id']
    return ['PLAN_SHAPE', 'id']
  },
  ({ step }) => {
    step['id'] = `${String(step['id'])} !`
    return ['PLAN_SHAPE', 'id']
  },
]

type HeadFault = (plan: Draft) => Found

const assumptions = (plan: Draft): Draft[] => (plan['assumptions'] as Draft[] | undefined) ?? []
const another = { id: 'other', statement: 'x', fact: 'f', is: true, steps: [] }

function assuming(code: FindingCode, more: Draft, path: string): HeadFault {
  return (plan) => {
    const before = assumptions(plan)
    plan['assumptions'] = [...before, { ...another, ...more }]
    return [code, `/assumptions/${before.length}/${path}`]
  }
}

function heading(key: string, value: unknown, path = `/${key}`): HeadFault {
  return (plan) => {
    if (value === undefined) Reflect.deleteProperty(plan, key)
    else plan[key] = value
    return ['PLAN_SHAPE', path]
  }
}

const headFaults: readonly HeadFault[] = [
  heading('goal', undefined),
  heading('goal', 'go'),
  heading('goal', { txet: 'go' }, '/goal/txet'),
  heading('goal', { text: '' }, '/goal/text'),
  heading('id', 5),
  heading('id', undefined),
  heading('revision', 0),
  heading('by', { planner: 7 }, '/by/planner'),
  heading('colour', 'red'),
  heading('assumptions', 'none'),
  heading('because', new Date(0)),
  (plan) => {
    plan['gaol'] = plan['goal']
    delete plan['goal']
    return ['PLAN_SHAPE', '/gaol']
  },
  assuming('SCHEMA_INVALID', { is: { type: 7 } }, 'is/type'),
  assuming('ASSUMPTION_UNKNOWN', { steps: ['nobody'] }, 'steps/0'),
  assuming('PLAN_SHAPE', { steps: 'all' }, 'steps'),
  assuming('PLAN_SHAPE', { statement: 3 }, 'statement'),
]

const unknownSteps: readonly FindingCode[] = ['STEP_UNKNOWN', 'ASSUMPTION_UNKNOWN']

/** Correct plans in which several places were broken, one fault each. */
export function brokenPlans(): fc.Arbitrary<Broken> {
  return fc
    .record({
      plan: plans({ minSteps: 2 }),
      breaks: fc.array(fc.tuple(fc.nat(), fc.constantFrom(...stepFaults)), { maxLength: 6 }),
      head: fc.option(fc.constantFrom(...headFaults), { nil: undefined }),
      more: fc.constantFrom('none', 'copy', 'null', 'steps'),
    })
    .map(({ plan, breaks, head, more }) => breakPlan(plan, breaks, head, more))
    .filter(isPlain)
}

function breakPlan(
  plan: Plan,
  breaks: readonly (readonly [number, StepFault])[],
  head: HeadFault | undefined,
  more: 'none' | 'copy' | 'null' | 'steps',
): Broken {
  const draft = structuredClone(plan) as unknown as Draft
  const steps = draft['steps'] as Draft[]
  const expected: Found[] = []
  const byIndex = new Map(breaks.map(([nth, fault]) => [nth % steps.length, fault]))
  const whole = plan.steps.filter((step, index) => !byIndex.has(index) && step.forEach === undefined)
  for (const [index, fault] of byIndex) {
    const { id } = plan.steps[index]!
    const giver = whole.find((other) => numberOf(other.id) < numberOf(id))?.id
    const step = { ...steps[index] }
    const found = fault({ step, index, giver })
    if (found === undefined) continue
    steps[index] = step
    expected.push([found[0], `/steps/${index}${found[1] === '' ? '' : `/${found[1]}`}`])
  }
  if (head !== undefined) expected.push(head(draft))
  if (more === 'copy') {
    steps.push({ id: 'twice', tool: 'noop', after: ['twice'] }, { id: 'twice', tool: 'noop' })
    expected.push(['STEP_DUPLICATE', `/steps/${steps.length - 1}/id`])
  }
  if (more === 'null') {
    expected.push(['PLAN_SHAPE', `/steps/${steps.length}`])
    steps.push(null as unknown as Draft)
  }
  if (more !== 'steps') return { value: draft, expected: expected }
  draft['step'] = steps
  delete draft['steps']
  const moved = expected.map(([code, path]): Found => [code, path.replace(/^\/steps\//, '/step/')])
  return { value: draft, expected: [...moved, ['PLAN_SHAPE', '/step']] }
}

/** A name that no step has may be that of a step without a readable id: what is wrong cannot be told where there are both. */
function isPlain({ expected }: Broken): boolean {
  const isNameless = expected.some(([code, path]) => code === 'PLAN_SHAPE' && /^\/steps?\/\d+(?:\/id)?$/.test(path))
  return !isNameless || !expected.some(([code]) => unknownSteps.includes(code))
}

function numberOf(id: string): number {
  return Number(id.slice(1))
}
