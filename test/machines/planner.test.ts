import { describe, expect, it } from 'vitest'
import { createPlannerBehaviour } from '../../src/actors/plannerBehaviour.ts'
import type { PlanAnswer, Planner, PlanRequest, ReplanRequest } from '../../src/actors/planners/planner.ts'
import type { PlanSituation, StepStatus } from '../../src/machines/reports.messages.ts'
import type { RunLimits } from '../../src/machines/settings.messages.ts'
import type { PlannerInput } from '../../src/machines/planner.context.ts'
import type { PlannerBehaviour, PlannerRequest } from '../../src/machines/planner.messages.ts'
import { planner as chart } from '../../src/machines/planner.machine.ts'
import { createActor } from '../../src/machines/xstate.ts'
import { planSchema, type Plan, type Step } from '../../src/plan/schema.ts'
import type { ToolDescription } from '../../src/plan/toolDescription.ts'
import { raise } from './attempts.ts'
import { createProbe, settle } from './probe.ts'

const tool: ToolDescription = {
  name: 'print',
  description: 'Prints a text.',
  input: { type: 'object', properties: { text: { type: 'string' } } },
  output: { type: 'object', properties: { length: { type: 'integer' } } },
  needs: {},
  requires: [],
  gives: {},
  cost: 1,
  likelihood: 1,
  effects: 'none',
  idempotent: true,
  version: '1',
}
const limits: RunLimits = {
  concurrency: 64,
  roles: {},
  plannerCalls: 10,
  replans: 10,
  tokens: 1_000,
  cost: 10,
  timeMs: 60_000,
  plannerMs: 10_000,
  graceMs: 1_000,
  steps: 100,
  sameFailure: 3,
  depth: 8,
}

function step(id: string, more: Partial<Step> = {}): Step {
  return { id, tool: 'print', input: { text: id }, ...more }
}

function planOf(steps: readonly Step[]): Plan {
  return planSchema.parse({ id: 'run-1', goal: { text: 'say hello' }, steps })
}

function request(requestId: string, more: Partial<PlannerRequest> = {}): PlannerRequest {
  return { type: 'plan.request', requestId, goal: { text: 'say hello' }, troubles: [], facts: [], limits, ...more }
}

function amend(requestId: string, plan: Plan, statuses: Readonly<Record<string, StepStatus>> = {}): PlannerRequest {
  const situation: PlanSituation = {
    plan,
    step: (id) => ({ status: statuses[id] ?? 'waiting', attempt: 0 }),
    output: () => undefined,
    fact: () => undefined,
    facts: () => [],
  }
  return request(requestId, {
    revision: plan.revision,
    situation,
    troubles: [{ type: 'failed', text: '"a" failed: boom', stepId: 'a' }],
  })
}

/** A planner that gives these answers one after another, and keeps what it was asked. */
function scripted(...answers: readonly unknown[]) {
  const asked: (PlanRequest | ReplanRequest)[] = []
  const next = (question: PlanRequest | ReplanRequest) => {
    asked.push(question)
    const answer = answers[asked.length - 1]
    return (typeof answer === 'function' ? (answer as () => unknown)() : answer) as never
  }
  const planner: Planner = { name: 'scripted', plan: next, replan: next }
  return { planner, asked }
}

function start(planner: Planner, options: Partial<PlannerInput> = {}) {
  const probe = createProbe()
  const stopRun = new AbortController()
  const behaviour = createPlannerBehaviour({ planner, now: () => 7, signal: stopRun.signal })
  const actor = createActor(chart, {
    input: {
      host: probe.ref,
      planner: planner.name,
      planId: 'run-1',
      tools: new Map([[tool.name, tool]]),
      executors: ['tool', 'person'],
      behaviour,
      ...options,
    },
  })
  const errors: unknown[] = []
  actor.subscribe({ error: (error) => errors.push(error) })
  actor.start()
  return { actor, probe, stopRun, errors }
}

describe('planner: a first plan', () => {
  it('is asked for, checked, headed and proposed', async () => {
    const { planner, asked } = scripted({
      steps: [step('a'), step('b', { after: ['a'] })],
      model: 'm-1',
      usage: { tokens: 12 },
    })
    const { actor, probe } = start(planner)
    actor.send(request('plan-1', { facts: [{ key: 'who', value: 'world', by: 'goal', at: 0 }] }))
    expect(actor.getSnapshot().value).toBe('thinking')
    const { requestId, plan, usage } = await probe.nth('plan.proposed')
    expect({ requestId, usage }).toEqual({ requestId: 'plan-1', usage: { tokens: 12 } })
    expect(plan).toMatchObject({
      id: 'run-1',
      goal: { text: 'say hello' },
      revision: 1,
      parent: null,
      by: { planner: 'scripted', model: 'm-1' },
      because: { type: 'first' },
      steps: [{ id: 'a' }, { id: 'b' }],
      assumptions: [],
    })
    expect(Object.isFrozen(plan) && Object.isFrozen(plan.steps[0])).toBe(true)
    expect(asked[0]).toMatchObject({ tools: [tool], facts: [{ key: 'who' }], limits, findings: [] })
    expect(actor.getSnapshot().value).toBe('idle')
  })

  it.each([
    ['a promise', () => Promise.resolve({ steps: [step('a')] })],
    [
      'a thenable',
      () => ({
        then: (take: (answer: PlanAnswer) => void) => {
          take({ steps: [step('a')] })
        },
      }),
    ],
  ])('may come as %s', async (_, answer) => {
    const { actor, probe } = start(scripted(answer).planner)
    actor.send(request('plan-1'))
    expect((await probe.nth('plan.proposed')).plan.steps).toHaveLength(1)
  })

  it('is asked for again with what was found, and usage is summed', async () => {
    const { planner, asked } = scripted(
      { steps: [step('a', { tool: 'fly' })], usage: { tokens: 5, cost: 0.1 } },
      { steps: [step('a')], usage: { tokens: 7, cost: 0.2 } },
    )
    const { actor, probe } = start(planner)
    actor.send(request('plan-1'))
    const { usage } = await probe.nth('plan.proposed')
    expect(usage).toEqual({ tokens: 12, cost: expect.closeTo(0.3) })
    expect(asked).toHaveLength(2)
    expect(asked[1]?.findings).toMatchObject([{ code: 'TOOL_UNKNOWN', severity: 'error', stepId: 'a' }])
  })

  it('fails after as many rounds of repair as are allowed, with all findings', async () => {
    const unsound = { steps: [step('a', { tool: 'fly' }), step('b', { tool: 'swim' })], usage: { tokens: 1 } }
    const { planner, asked } = scripted(unsound, unsound, unsound, unsound)
    const { actor, probe } = start(planner, { repairRounds: 1 })
    actor.send(request('plan-1'))
    const { failure, findings, usage } = await probe.nth('plan.failed')
    expect(failure).toMatchObject({
      code: 'PLAN_INVALID',
      retryable: false,
      message: expect.stringContaining('2 tries'),
    })
    expect(findings).toMatchObject([{ code: 'TOOL_UNKNOWN' }, { code: 'TOOL_UNKNOWN' }])
    expect(usage).toEqual({ tokens: 2, cost: 0 })
    expect(asked).toHaveLength(2)
    expect(actor.getSnapshot().value).toBe('idle')
  })

  it.each<[string, unknown]>([
    ['nothing', undefined],
    ['a number', 7],
    ['a list', []],
    ['an empty object', {}],
    ['steps that are no list', { steps: 'first do this, then that' }],
    ['a step without an id', { steps: [{ tool: 'print' }] }],
    ['a function', () => () => 1],
    ['a value that is no JSON', { steps: [step('a', { input: { when: new Date(0) as never } })] }],
    [
      'a getter that throws',
      Object.defineProperty({}, 'steps', {
        enumerable: true,
        get: () => raise(new Error('gotcha')),
      }),
    ],
  ])('is not taken when the answer is nonsense: %s', async (_, answer) => {
    const { planner, asked } = scripted(answer, { steps: [step('a')] })
    const { actor, probe, errors } = start(planner)
    actor.send(request('plan-1'))
    await probe.nth('plan.proposed')
    expect(asked[1]?.findings).toMatchObject([{ code: 'PLAN_SHAPE', severity: 'error' }])
    expect(errors).toEqual([])
  })

  it.each<[string, () => unknown, string]>([
    ['throws', () => raise(new Error('no idea')), 'Planner "scripted" threw Error: no idea'],
    ['rejects', async () => raise(new TypeError('odd')), 'Planner "scripted" threw TypeError: odd'],
    ['throws a string', () => raise('boom'), 'Planner "scripted" threw "boom".'],
  ])('fails when the planner %s', async (_, answer, message) => {
    const { actor, probe } = start(scripted(answer).planner)
    actor.send(request('plan-1'))
    expect((await probe.nth('plan.failed')).failure).toMatchObject({ code: 'PLANNER_THREW', message, retryable: true })
    expect(actor.getSnapshot().value).toBe('idle')
  })

  it('may be given up', async () => {
    const { actor, probe } = start(scripted({ giveUp: 'nothing prints', usage: { tokens: 3 } }).planner)
    actor.send(request('plan-1'))
    expect(await probe.nth('plan.givenUp')).toEqual({
      type: 'plan.givenUp',
      requestId: 'plan-1',
      because: 'nothing prints',
      usage: { tokens: 3 },
    })
  })
})

describe('planner: a plan that streams in', () => {
  it('is passed on step by step, each when it comes, and then whole', async () => {
    const goOn = gate()
    async function* stream() {
      yield step('a')
      await goOn.promise
      yield step('b', { after: ['a'] })
      return { usage: { tokens: 4 }, model: 'm-2' }
    }
    const { actor, probe } = start({ name: 'streaming', plan: () => stream() })
    actor.send(request('plan-1'))
    const first = await probe.nth('plan.stepProposed')
    expect(first).toMatchObject({ requestId: 'plan-1', step: { id: 'a' } })
    expect(probe.messages).toHaveLength(1)
    goOn.resolve()
    const { plan, usage } = await probe.nth('plan.proposed')
    expect(probe.messages.map(({ type }) => type)).toEqual(['plan.stepProposed', 'plan.stepProposed', 'plan.proposed'])
    expect(plan.steps.map(({ id }) => id)).toEqual(['a', 'b'])
    expect({ usage, model: plan.by.model }).toEqual({ usage: { tokens: 4 }, model: 'm-2' })
  })

  it('may come from a generator that does not wait', async () => {
    function* stream() {
      yield step('a')
      yield step('b', { after: ['a'] })
      return { usage: { tokens: 4 } }
    }
    const { actor, probe } = start({ name: 'at once', plan: () => stream() })
    actor.send(request('plan-1'))
    const { plan, usage } = await probe.nth('plan.proposed')
    expect(probe.messages.map(({ type }) => type)).toEqual(['plan.stepProposed', 'plan.stepProposed', 'plan.proposed'])
    expect(plan.steps.map(({ id }) => id)).toEqual(['a', 'b'])
    expect(usage).toEqual({ tokens: 4 })
  })

  it('passes on no step that is unsound, and has the whole repaired', async () => {
    const rounds = [
      [step('a'), step('b', { tool: 'fly' }), step('a'), step('c', { after: ['later'] })],
      [step('a'), step('b'), step('c')],
    ]
    const asked: PlanRequest[] = []
    const { actor, probe } = start({
      name: 'streaming',
      async *plan(question) {
        asked.push(question)
        yield* rounds[asked.length - 1] ?? []
      },
    })
    actor.send(request('plan-1'))
    const failed = await Promise.race([probe.nth('plan.proposed'), probe.nth('plan.failed')])
    expect(asked[1]?.findings.map(({ code }) => code).sort()).toEqual([
      'STEP_DUPLICATE',
      'STEP_UNKNOWN',
      'TOOL_UNKNOWN',
    ])
    expect(probe.all('plan.stepProposed').map((said) => said.step.id)).toEqual(['a', 'c', 'b'])
    expect(asked[2]?.findings, 'step "c" is another one now').toMatchObject([{ code: 'PATCH_REFUSED', stepId: 'c' }])
    expect(failed.type).toBe('plan.failed')
  })

  it('runs the cleanup of a stream that is no longer wanted', async () => {
    const waits = gate()
    const cleaned = gate()
    async function* stream() {
      try {
        yield step('a')
        await waits.promise
        yield step('b')
      } finally {
        cleaned.resolve()
      }
    }
    const { actor, probe } = start({ name: 'streaming', plan: () => stream() })
    actor.send(request('plan-1'))
    await probe.nth('plan.stepProposed')
    actor.send({ type: 'plan.cancel', requestId: 'plan-1' })
    waits.resolve()
    await cleaned.promise
    await settle()
    expect(probe.messages).toHaveLength(1)
  })

  it('fails when the stream breaks midway', async () => {
    const { actor, probe } = start({
      name: 'streaming',
      async *plan() {
        yield step('a')
        throw new Error('connection lost')
      },
    })
    actor.send(request('plan-1'))
    expect((await probe.nth('plan.failed')).failure).toMatchObject({
      code: 'PLANNER_THREW',
      message: expect.stringContaining('connection lost'),
    })
  })
})

describe('planner: trouble', () => {
  const plan = planOf([step('a'), step('b', { after: ['a'] })])

  it('gives a patch with its head filled in', async () => {
    const { planner, asked } = scripted({ patch: [{ op: 'insert', step: step('c') }], because: 'another way' })
    const { actor, probe } = start(planner)
    actor.send(amend('plan-2', plan))
    expect((await probe.nth('plan.patchProposed')).patch).toEqual({
      base: 1,
      by: { planner: 'scripted' },
      because: { type: 'trouble', text: 'another way', steps: ['a'] },
      operations: [{ op: 'insert', step: step('c') }],
    })
    expect(asked[0]).toMatchObject({ plan: { id: 'run-1' }, troubles: [{ stepId: 'a' }] })
  })

  it('has a patch repaired when what it makes of the plan is unsound, or does not apply', async () => {
    const { planner, asked } = scripted(
      { patch: [{ op: 'insert', step: step('c', { tool: 'fly' }) }] },
      { patch: [{ op: 'remove', id: 'nobody' }] },
      { patch: [{ op: 'insert', step: step('c') }] },
    )
    const { actor, probe } = start(planner)
    actor.send(amend('plan-2', plan))
    await probe.nth('plan.patchProposed')
    expect(asked[1]?.findings).toMatchObject([{ code: 'TOOL_UNKNOWN', stepId: 'c' }])
    expect(asked[2]?.findings).toMatchObject([{ code: 'STEP_UNKNOWN', path: '/operations/0/id' }])
  })

  it.each(['succeeded', 'running'] as const)(
    'has a patch repaired that touches a step which is %s (K2)',
    async (status) => {
      const { planner, asked } = scripted(
        { patch: [{ op: 'replace', id: 'a', step: step('a', { input: { text: 'x' } }) }] },
        { keep: 'as it is' },
      )
      const { actor, probe } = start(planner)
      actor.send(amend('plan-2', plan, { a: status }))
      expect(await probe.nth('plan.kept')).toMatchObject({ requestId: 'plan-2', because: 'as it is' })
      expect(asked[1]?.findings).toMatchObject([{ code: 'PATCH_REFUSED', stepId: 'a', path: '/operations/0' }])
    },
  )

  it('may be answered with keep or give up', async () => {
    const { actor, probe } = start(scripted({ keep: 'it stands' }, { giveUp: 'no way' }).planner)
    actor.send(amend('plan-2', plan))
    expect(await probe.nth('plan.kept')).toMatchObject({ because: 'it stands' })
    actor.send(amend('plan-3', plan))
    expect(await probe.nth('plan.givenUp')).toMatchObject({ requestId: 'plan-3', because: 'no way' })
  })

  it('ends in giving up when the planner cannot amend', async () => {
    const { actor, probe } = start({ name: 'simple', plan: () => ({ steps: [] }) })
    actor.send(amend('plan-2', plan))
    expect((await probe.nth('plan.givenUp')).because).toContain('"a" failed: boom')
  })
})

describe('planner: answers that are not wanted any more', () => {
  it('has the signal fire on a cancel, and drops what comes later', async () => {
    const answered = gate<PlanAnswer>()
    let signal: AbortSignal | undefined
    const { actor, probe } = start({
      name: 'slow',
      plan: (_, context) => {
        signal = context.signal
        return answered.promise
      },
    })
    actor.send(request('plan-1'))
    actor.send({ type: 'plan.cancel', requestId: 'another' })
    expect(actor.getSnapshot().value).toBe('thinking')
    actor.send({ type: 'plan.cancel', requestId: 'plan-1' })
    expect(signal?.aborted).toBe(true)
    expect(actor.getSnapshot().value).toBe('idle')
    answered.resolve({ steps: [step('a')] })
    await settle()
    expect(probe.messages).toEqual([])
  })

  it('answers only the newest request', async () => {
    const gates = [gate<PlanAnswer>(), gate<PlanAnswer>()]
    const signals: AbortSignal[] = []
    const { actor, probe } = start({
      name: 'slow',
      plan: (_, { signal }) => {
        signals.push(signal)
        return gates[signals.length - 1]?.promise ?? { giveUp: 'asked too often' }
      },
    })
    actor.send(request('plan-1'))
    actor.send(request('plan-2'))
    expect(signals.map(({ aborted }) => aborted)).toEqual([true, false])
    gates[0]?.resolve({ steps: [step('old')] })
    gates[1]?.resolve({ steps: [step('new')] })
    expect(await probe.nth('plan.proposed')).toMatchObject({ requestId: 'plan-2', plan: { steps: [{ id: 'new' }] } })
    expect(probe.messages).toHaveLength(1)
  })

  it('has the signal fire with the run, and when the actor is stopped', () => {
    const signals: AbortSignal[] = []
    const never: Planner = {
      name: 'never',
      plan: (_, { signal }) => {
        signals.push(signal)
        return new Promise(() => undefined)
      },
    }
    const one = start(never)
    one.actor.send(request('plan-1'))
    one.stopRun.abort()
    const two = start(never)
    two.actor.send(request('plan-1'))
    two.actor.stop()
    expect(signals.map(({ aborted }) => aborted)).toEqual([true, true])
  })
})

describe('planner: a behaviour that crashes', () => {
  /** Breaks as often as it is told, and then answers. */
  function brittle(crashes: number) {
    let left = crashes
    const started: string[] = []
    const behaviour: PlannerBehaviour = ({ receive, reply }) => {
      started.push('')
      receive((message) => {
        if (message.type === 'planner.stop') return
        if (left-- > 0) throw new Error('defect')
        reply({
          type: 'planner.answered',
          requestId: message.requestId,
          round: message.round,
          answer: { steps: [step('a')] },
        })
      })
      return () => undefined
    }
    return { behaviour, started }
  }
  const unused: Planner = { name: 'unused', plan: () => ({ steps: [] }) }

  it('is put in place again once, and asked again', async () => {
    const { behaviour, started } = brittle(1)
    const { actor, probe, errors } = start(unused, { behaviour })
    actor.send(request('plan-1'))
    expect(await probe.nth('plan.proposed')).toMatchObject({ requestId: 'plan-1' })
    expect(started).toHaveLength(2)
    expect(Object.keys(actor.getSnapshot().children)).toEqual(['behaviour.2'])
    expect(errors).toEqual([])
  })

  it('fails the request when it crashes again, and works for the next one', async () => {
    const { behaviour } = brittle(2)
    const { actor, probe, errors } = start(unused, { behaviour })
    actor.send(request('plan-1'))
    expect((await probe.nth('plan.failed')).failure).toMatchObject({ code: 'PLANNER_CRASHED', retryable: false })
    actor.send(request('plan-2'))
    expect(await probe.nth('plan.proposed')).toMatchObject({ requestId: 'plan-2' })
    expect(errors).toEqual([])
  })
})

interface Gate<T> {
  readonly promise: Promise<T>
  readonly resolve: (value: T) => void
}

function gate<T = void>(): Gate<T> {
  let resolve: (value: T) => void = () => undefined
  const promise = new Promise<T>((take) => {
    resolve = take
  })
  return { promise, resolve }
}
