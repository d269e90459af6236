// The cached planner: what it asks once, what it asks again, and what it never keeps.
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { z } from 'zod'
import { createCachedPlanner, type CachedPlannerOptions } from '../../src/actors/planners/cached.ts'
import { isStream, iteratorOf } from '../../src/actors/planners/planStream.ts'
import type { PlanAnswer, Planner, PlanRequest } from '../../src/actors/planners/planner.ts'
import { memoryPlanStore, type PlanStore, type StoredPlan } from '../../src/actors/planners/planStore.ts'
import type { Trouble } from '../../src/machines/reports.messages.ts'
import type { Finding } from '../../src/plan/finding.ts'
import type { Plan, Step } from '../../src/plan/schema.ts'
import { createRuntime, defineTool } from '../../src/runtime/index.ts'
import { tool } from './auditTools.ts'
import { contextAt, factsOf, requestFor, situationOf } from './requests.ts'

interface Counting extends Planner {
  readonly asked: PlanRequest[]
}

/** A planner that counts how often it is asked; its plan has one step for each time. */
function counting(answer?: (request: PlanRequest) => ReturnType<Planner['plan']>): Counting {
  const asked: PlanRequest[] = []
  return {
    name: 'counting',
    asked,
    plan(request) {
      asked.push(request)
      return answer?.(request) ?? { steps: [{ id: `time${String(asked.length)}`, tool: 'walk' }] }
    },
    replan: ({ troubles }) => ({ patch: troubles.map(() => ({ op: 'insert', step: { id: 'more', tool: 'walk' } })) }),
  }
}

const walk = tool('walk', { gives: { there: '' } })
const request = requestFor({
  goal: { text: 'get there', facts: { from: 'here' } },
  tools: [walk],
  facts: factsOf({ from: 'here' }),
})

/** Asks as the runtime does: a stream is gathered, with what it returns at its end. */
async function ask(
  planner: Planner,
  about: PlanRequest = request,
  now = 0,
): Promise<PlanAnswer & { readonly streamed: number }> {
  const answered = planner.plan(about, contextAt(now))
  if (!isStream(answered)) return { ...(await answered), streamed: 0 }
  const iterator = iteratorOf(answered)
  const steps: Step[] = []
  for (let next = await iterator.next(); ; next = await iterator.next()) {
    if (next.done === true) return { ...(next.value as object), steps, streamed: steps.length }
    steps.push(next.value)
  }
}

function stepsOf(answer: PlanAnswer): readonly string[] {
  return 'steps' in answer ? answer.steps.map((step) => step.id) : []
}

function trouble(type: Trouble['type']): Trouble {
  return { type, text: 'it rains', stepId: 'time1' }
}

async function replan(planner: Planner, type: Trouble['type'], about: PlanRequest = request): Promise<unknown> {
  const plan: Plan = {
    id: 'p',
    goal: about.goal,
    revision: 2,
    parent: 1,
    by: { planner: planner.name },
    because: { type: 'trouble', text: 'it rains' },
    steps: [{ id: 'time1', tool: 'walk' }],
    assumptions: [],
  }
  return planner.replan?.(
    { ...about, plan, situation: situationOf(plan, about.facts), troubles: [trouble(type)] },
    contextAt(0),
  )
}

describe('the cached planner', () => {
  it('C1: asks once, and answers the same question from then on', async () => {
    const inner = counting()
    const planner = createCachedPlanner(inner)
    expect(stepsOf(await ask(planner))).toEqual(['time1'])
    expect(stepsOf(await ask(planner))).toEqual(['time1'])
    expect(inner.asked.length).toBe(1)
  })

  it.each<[string, PlanRequest]>([
    ['the goal', { ...request, goal: { ...request.goal, text: 'stay here' } }],
    ['what is wanted', { ...request, goal: { ...request.goal, want: [{ fact: 'there' }] } }],
    ['a fact', { ...request, facts: factsOf({ from: 'elsewhere' }) }],
    ['one more fact', { ...request, facts: factsOf({ from: 'here', weather: 'dry' }) }],
    ["a tool's version", { ...request, tools: [{ ...walk, version: '2' }] }],
    ["a tool's input", { ...request, tools: [{ ...walk, input: { type: 'object' } }] }],
    ["a tool's cost", { ...request, tools: [{ ...walk, cost: 9 }] }],
    ['one more tool', { ...request, tools: [walk, tool('run', {})] }],
  ])('C1: asks again when %s differs', async (_, other) => {
    const inner = counting()
    const planner = createCachedPlanner(inner)
    await ask(planner)
    expect(stepsOf(await ask(planner, other))).toEqual(['time2'])
  })

  it('C1: does not mind the order of tools and facts, nor when facts were learnt', async () => {
    const inner = counting()
    const planner = createCachedPlanner(inner)
    const run = tool('run', {})
    await ask(planner, { ...request, tools: [walk, run], facts: factsOf({ from: 'here', weather: 'dry' }) })
    const later = factsOf({ weather: 'dry', from: 'here' }).map((fact) => ({ ...fact, at: 99 }))
    await ask(planner, { ...request, tools: [run, walk], facts: later })
    expect(inner.asked.length).toBe(1)
  })

  it.each<[string, CachedPlannerOptions['relevantFacts']]>([
    ['by name', ['file']],
    ['by a rule', ({ key }) => key.startsWith('file')],
  ])('C1: looks at relevant facts only, given %s', async (_, relevantFacts) => {
    const inner = counting()
    const planner = createCachedPlanner(inner, { ...(relevantFacts && { relevantFacts }) })
    const about = (file: string, noise: number): PlanRequest => {
      const facts = { 'file[0]': file, noise }
      return { ...request, goal: { text: 'read', facts }, facts: factsOf(facts) }
    }
    await ask(planner, about('a.csv', 1))
    await ask(planner, about('a.csv', 2))
    expect(inner.asked.length).toBe(1)
    await ask(planner, about('b.csv', 2))
    expect(inner.asked.length).toBe(2)
  })

  it("C1: keeps apart what different planners said, and bears the inner planner's name", async () => {
    const store = memoryPlanStore()
    const one = counting()
    const other: Planner = { ...counting(() => ({ steps: [{ id: 'other', tool: 'walk' }] })), name: 'other' }
    await ask(createCachedPlanner(one, { store }))
    expect(stepsOf(await ask(createCachedPlanner(other, { store })))).toEqual(['other'])
    expect(createCachedPlanner(other, { store }).name).toBe('cached(other)')
  })

  it('C2: stores no plan that is not valid, and nothing when the planner gives up', async () => {
    const invalid = counting(() => ({ steps: [{ id: 'a', tool: 'fly' }] }))
    const first = createCachedPlanner(invalid)
    await ask(first)
    await ask(first)
    expect(invalid.asked.length).toBe(2)
    const helpless = counting(() => ({ giveUp: 'no way' }))
    const second = createCachedPlanner(helpless)
    expect(await ask(second)).toHaveProperty('giveUp', 'no way')
    await ask(second)
    expect(helpless.asked.length).toBe(2)
  })

  it('C2: never stores what a run made of its plan midway', async () => {
    const kept: StoredPlan[] = []
    const memory = memoryPlanStore()
    const store: PlanStore = {
      ...memory,
      set(plan) {
        kept.push(plan)
        return memory.set(plan)
      },
    }
    const planner = createCachedPlanner(counting(), { store })
    await ask(planner)
    for (const type of ['failed', 'expanded', 'surprised'] as const) await replan(planner, type)
    expect(kept.map((plan) => plan.steps.map((step) => step.id))).toEqual([['time1']])
  })

  it('C3: validates a stored plan before it is used, and plans again when it could not run', async () => {
    const store = memoryPlanStore()
    const inner = counting()
    const planner = createCachedPlanner(inner, { store })
    await ask(planner)
    const [key] = await storedKeys(store, planner)
    await store.set({ ...(await storedPlan(store, key)), steps: [{ id: 'a', tool: 'walk', after: ['nobody'] }] })
    expect(stepsOf(await ask(planner))).toEqual(['time2'])
    expect(stepsOf(await ask(planner))).toEqual(['time2'])
  })

  it('C3: forgets a plan that the runtime found wanting', async () => {
    const inner = counting()
    const planner = createCachedPlanner(inner)
    const finding: Finding = {
      code: 'EXECUTOR_UNKNOWN',
      severity: 'error',
      path: '/steps/0',
      message: 'no such role',
      hint: '',
    }
    await ask(planner)
    expect(stepsOf(await ask(planner, { ...request, findings: [finding] }))).toEqual(['time2'])
    expect(stepsOf(await ask(planner))).toEqual(['time2'])
  })

  it('C3: forgets a plan that is too old', async () => {
    const inner = counting()
    const planner = createCachedPlanner(inner, { maxAgeMs: 100 })
    await ask(planner, request, 1000)
    await ask(planner, request, 1100)
    expect(inner.asked.length).toBe(1)
    expect(stepsOf(await ask(planner, request, 1101))).toEqual(['time2'])
  })

  it.each(['failed', 'surprised', 'assumption_broken', 'uncertain', 'repeated'] as const)(
    'C4: plans afresh after a run with a step that %s',
    async (type) => {
      const inner = counting()
      const planner = createCachedPlanner(inner)
      await ask(planner)
      // By now the run knows more than it was asked about.
      expect(await replan(planner, type, { ...request, facts: factsOf({ from: 'here', rain: true }) })).toHaveProperty(
        'patch',
      )
      expect(stepsOf(await ask(planner))).toEqual(['time2'])
    },
  )

  it.each(['expanded', 'patch_refused', 'rejected'] as const)(
    "C4: keeps the plan after '%s', which is not its fault",
    async (type) => {
      const inner = counting()
      const planner = createCachedPlanner(inner)
      await ask(planner)
      await replan(planner, type)
      await ask(planner)
      expect(inner.asked.length).toBe(1)
    },
  )

  it('C5: plans on when the store breaks, and says what it threw', async () => {
    const fail = (): never => {
      throw new Error('disk full')
    }
    const rejects = (): Promise<never> => Promise.reject(new Error('disk full'))
    for (const store of [
      { get: fail, set: fail, delete: fail },
      { get: rejects, set: rejects, delete: rejects },
    ]) {
      const errors: unknown[] = []
      const planner = createCachedPlanner(counting(), { store, onStoreError: (error) => errors.push(error) })
      expect(stepsOf(await ask(planner))).toEqual(['time1'])
      expect(errors).toEqual([new Error('disk full'), new Error('disk full')])
    }
  })

  it('passes a stream on as it comes, and answers whole the next time', async () => {
    const inner = counting(async function* (): AsyncGenerator<Step, object> {
      yield { id: 'one', tool: 'walk' }
      yield await Promise.resolve<Step>({ id: 'two', tool: 'walk', after: ['one'] })
      return { model: 'm', assumptions: [{ id: 'dry', statement: 'dry', fact: 'rain', is: false, steps: ['two'] }] }
    })
    const planner = createCachedPlanner(inner)
    const first = await ask(planner)
    const second = await ask(planner)
    expect([first.streamed, second.streamed, inner.asked.length]).toEqual([2, 0, 1])
    expect({ ...second, streamed: 2 }).toEqual(first)
  })

  it('takes a generator that does not wait for a stream as well', async () => {
    const inner = counting(function* (): Generator<Step, object> {
      yield { id: 'one', tool: 'walk' }
      return { model: 'm' }
    })
    const planner = createCachedPlanner(inner)
    const first = await ask(planner)
    const second = await ask(planner)
    expect([first.streamed, second.streamed, inner.asked.length]).toEqual([1, 0, 1])
    expect({ ...second, streamed: 1 }).toEqual(first)
  })

  it('keeps nothing of a stream that was left in the middle, and lets it clean up', async () => {
    let cleanedUp = 0
    const inner = counting(async function* () {
      try {
        yield { id: 'one', tool: 'walk' }
        yield await Promise.resolve<Step>({ id: 'two', tool: 'walk' })
      } finally {
        cleanedUp += 1
      }
    })
    const planner = createCachedPlanner(inner)
    for await (const step of planner.plan(request, contextAt(0)) as AsyncIterable<Step>) if (step.id === 'one') break
    expect(cleanedUp).toBe(1)
    await ask(planner)
    expect(inner.asked.length).toBe(2)
  })

  it('spares a second run the planning, and a run after trouble plans afresh', async () => {
    const inner = counting()
    let isBroken = false
    const works = defineTool({
      name: 'walk',
      description: 'Walks, unless it is broken.',
      input: z.object({}),
      output: z.null(),
      run() {
        if (isBroken) throw new Error('tired')
        return null
      },
    })
    await using runtime = createRuntime({ tools: [works], planner: createCachedPlanner(inner) })
    const walkOnce = async (): Promise<readonly [string, readonly string[]]> => {
      const run = runtime.start({ text: 'walk', partial: 'allow' })
      const { reason } = await run.result
      return [reason, run.revisions[0]?.steps.map((step) => step.id) ?? []]
    }
    expect([await walkOnce(), await walkOnce()]).toEqual([
      ['done', ['time1']],
      ['done', ['time1']],
    ])
    expect(inner.asked.length).toBe(1)
    isBroken = true
    await walkOnce()
    isBroken = false
    expect(await walkOnce()).toEqual(['done', ['time2']])
  })

  it('has no `replan` where the planner behind has none, and is asked about lists where that one is', () => {
    const plain = createCachedPlanner({ name: 'plain', plan: () => ({ steps: [] }) })
    expect([plain.replan, plain.elaborates]).toEqual([undefined, undefined])
    expect(createCachedPlanner({ name: 'plain', plan: () => ({ steps: [] }), elaborates: true }).elaborates).toBe(true)
  })

  it('answers as the planner behind it would, whatever is asked in whatever order', async () => {
    const goals = fc.constantFrom('walk', 'rest', 'eat')
    const facts = fc.dictionary(fc.constantFrom('a', 'b'), fc.integer({ min: 0, max: 2 }))
    await fc.assert(
      fc.asyncProperty(fc.array(fc.tuple(goals, facts), { maxLength: 12 }), async (questions) => {
        const plain: Planner = {
          name: 'plain',
          plan: ({ goal, facts: known }) => {
            const said = known.map(({ key, value }) => `${key}${JSON.stringify(value)}`).sort()
            return { steps: [{ id: 'a', tool: 'walk', title: `${goal.text} ${said.join(' ')}` }] }
          },
        }
        const cached = createCachedPlanner(plain, { store: memoryPlanStore({ maxEntries: 2 }) })
        for (const [text, values] of questions) {
          const about = requestFor({ goal: { text }, tools: [walk], facts: factsOf(values) })
          expect(await ask(cached, about)).toEqual(await ask(plain, about))
        }
      }),
      { numRuns: 200 },
    )
  })
})

/** Keys that this planner asks the store for. */
async function storedKeys(store: PlanStore, planner: Planner): Promise<readonly string[]> {
  const keys: string[] = []
  const spying: PlanStore = {
    ...store,
    get(key) {
      keys.push(key)
      return undefined
    },
  }
  await ask(
    createCachedPlanner(
      { name: planner.name.slice('cached('.length, -1), plan: () => ({ giveUp: 'only asking' }) },
      { store: spying },
    ),
  )
  return keys
}

async function storedPlan(store: PlanStore, key: string | undefined): Promise<StoredPlan> {
  const plan = await store.get(key ?? '')
  if (plan === undefined) throw new Error('the store holds no plan for this key')
  return plan
}
