// Law G2 of the goal planner: a first plan is of least total expected cost. Compared with a search of everything, written
// apart from the planner and as plainly as can be.
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { createGoalPlanner } from '../../src/actors/planners/goal/goalPlanner.ts'
import type { Json, JsonObject } from '../../src/plan/json.ts'
import type { Goal } from '../../src/plan/schema.ts'
import type { Gift, Need, ToolDescription } from '../../src/plan/toolDescription.ts'
import { tool } from './auditTools.ts'
import { expectValid, firstPlan, toPlan } from './rehearsal.ts'

interface RandomTool {
  readonly needs: readonly { readonly fact: number; readonly is: number | undefined }[]
  readonly requires: readonly { readonly fact: number; readonly is: number | undefined }[]
  readonly gives: readonly { readonly fact: number; readonly is: number | undefined }[]
  readonly cost: number
  readonly likelihood: number
}

const facts = 4
const condition = fc.option(fc.integer({ min: 0, max: 1 }), { nil: undefined, freq: 1 })
const aboutFact = fc.record({ fact: fc.integer({ min: 0, max: facts - 1 }), is: condition })
const distinct = (min: number, max: number) =>
  fc.uniqueArray(aboutFact, { minLength: min, maxLength: max, selector: ({ fact }) => fact })
const randomTool: fc.Arbitrary<RandomTool> = fc.record({
  needs: distinct(0, 2),
  requires: distinct(0, 1),
  gives: distinct(1, 2),
  cost: fc.integer({ min: 1, max: 9 }),
  likelihood: fc.constantFrom(1, 0.5),
})
const problem = fc.record({
  tools: fc.array(randomTool, { minLength: 1, maxLength: 4 }),
  known: fc.uniqueArray(
    fc.record({ fact: fc.integer({ min: 0, max: facts - 1 }), value: fc.integer({ min: 0, max: 1 }) }),
    {
      minLength: 1,
      maxLength: 2,
      selector: ({ fact }) => fact,
    },
  ),
  wants: distinct(1, 2),
})

const name = (fact: number): string => `fact${String(fact)}`
const toNeed = ({ fact, is }: { fact: number; is: number | undefined }): Need => ({
  fact: name(fact),
  ...(is !== undefined && { is: { const: is } }),
})

function toTools(tools: readonly RandomTool[]): readonly ToolDescription[] {
  return tools.map(({ needs, requires, gives, cost, likelihood }, nth) => {
    const gifts = gives.map(({ fact, is }): [string, Gift] => [
      name(fact),
      { from: `/${name(fact)}`, ...(is !== undefined && { is: { const: is } }) },
    ])
    return tool(`tool${String(nth)}`, {
      needs: Object.fromEntries(needs.map((need) => [`p${String(need.fact)}`, toNeed(need)])),
      requires: requires.map(toNeed),
      gives: Object.fromEntries(gifts),
      cost,
      likelihood,
    })
  })
}

function toGoal({
  known,
  wants,
}: {
  readonly known: readonly { fact: number; value: number }[]
  readonly wants: RandomTool['needs']
}): Goal {
  return {
    text: 'anything',
    want: wants.map(({ fact, is }) => ({ fact: name(fact), ...(is !== undefined && { is: { const: is } }) })),
    facts: Object.fromEntries(known.map(({ fact, value }) => [name(fact), value])),
  }
}

/** One use of a tool: who gives what it needs. What is known is `''`. */
interface Part {
  readonly key: string
  readonly tool: ToolDescription
  readonly givers: readonly { readonly need: Need; readonly giver: string }[]
}
type State = ReadonlyMap<string, Part>

/** The least cost of a set of uses that meets the wants; Dijkstra's search over all sets. */
function leastCost(tools: readonly ToolDescription[], goal: Goal): number | undefined {
  const wants: readonly Need[] = (goal.want ?? []).map(({ fact, is }) => ({ fact, ...(is !== undefined && { is }) }))
  const open: { readonly cost: number; readonly state: State }[] = [{ cost: 0, state: new Map() }]
  const seen = new Set<string>()
  for (;;) {
    open.sort((a, b) => b.cost - a.cost)
    const next = open.pop()
    if (next === undefined || seen.size > 300) return next === undefined ? undefined : NaN
    const stateKey = [...next.state.keys()].sort().join('|')
    if (seen.has(stateKey)) continue
    seen.add(stateKey)
    if (waysToMeet(wants, next.state, goal).length > 0) return next.cost
    for (const one of tools) {
      for (const givers of waysToMeet([...Object.values(one.needs), ...one.requires], next.state, goal)) {
        const key = `${one.name}(${givers.map(({ need, giver }) => `${need.fact}:${giver}`).join(',')})`
        if (
          isRepetition(one, givers, next.state) ||
          next.state.has(key) ||
          [...next.state.values()].filter((part) => part.tool === one).length > 1
        )
          continue
        const state = new Map(next.state).set(key, { key, tool: one, givers })
        if (isConsistent(state, [])) open.push({ cost: next.cost + one.cost / one.likelihood, state })
      }
    }
  }
}

/** The same tool with the same input: only what it requires without using it differs. */
function isRepetition(one: ToolDescription, givers: Part['givers'], state: State): boolean {
  const inputs = Object.keys(one.needs).length
  return [...state.values()].some(
    (part) => part.tool === one && part.givers.slice(0, inputs).every(({ giver }, at) => giver === givers[at]?.giver),
  )
}

function waysToMeet(needs: readonly Need[], state: State, goal: Goal): readonly Part['givers'][] {
  let ways: Part['givers'][] = [[]]
  for (const need of needs) {
    const known = goal.facts?.[need.fact]
    const givers = [...state.values()].filter(({ tool: { gives } }) => {
      const gift = gives[need.fact]
      return (
        gift !== undefined && (need.is === undefined || gift.is === undefined || valueOf(gift.is) === valueOf(need.is))
      )
    })
    const all = givers.map(({ key }) => key)
    if (known !== undefined && (need.is === undefined || valueOf(need.is) === known)) all.push('')
    ways = ways.flatMap((way) => all.map((giver) => [...way, { need, giver }]))
  }
  return ways.filter((way) => isNewest(way, state) && isConsistent(state, way))
}

const valueOf = (schema: unknown): Json => (schema as JsonObject).const ?? null

/** One gift has one value. */
function isConsistent(state: State, more: Part['givers']): boolean {
  const assumed = new Map<string, Json>()
  for (const { need, giver } of [...[...state.values()].flatMap(({ givers }) => givers), ...more]) {
    if (giver === '' || need.is === undefined || state.get(giver)?.tool.gives[need.fact]?.is !== undefined) continue
    const gift = `${giver} ${need.fact}`
    if ((assumed.get(gift) ?? valueOf(need.is)) !== valueOf(need.is)) return false
    assumed.set(gift, valueOf(need.is))
  }
  return true
}

/** Whether what comes before can happen in an order in which each giver is the last to give what is taken from it. */
function isNewest(way: Part['givers'], state: State): boolean {
  const before = new Set<string>()
  const add = (key: string): void => {
    if (key === '' || before.has(key)) return
    before.add(key)
    for (const { giver } of state.get(key)?.givers ?? []) add(giver)
  }
  for (const { giver } of way) add(giver)
  const place = (done: readonly string[], last: ReadonlyMap<string, string>): boolean => {
    if (done.length === before.size) return way.every(({ need, giver }) => (last.get(need.fact) ?? '') === giver)
    return [...before].some((key) => {
      const part = state.get(key)
      if (
        part === undefined ||
        done.includes(key) ||
        !part.givers.every(({ giver }) => giver === '' || done.includes(giver))
      )
        return false
      const next = new Map(last)
      for (const fact of Object.keys(part.tool.gives)) next.set(fact, key)
      return place([...done, key], next)
    })
  }
  return place([], new Map())
}

describe('G2: least cost', () => {
  it('costs what the cheapest of all sets of steps costs', { timeout: 120_000 }, async () => {
    let compared = 0
    await fc.assert(
      fc.asyncProperty(problem, async ({ tools: sketches, known, wants }) => {
        const tools = toTools(sketches)
        const goal = toGoal({ known, wants })
        const least = leastCost(tools, goal)
        if (Number.isNaN(least)) return
        const draft = await firstPlan(createGoalPlanner(), tools, goal)
        if (least === undefined || 'giveUp' in draft) {
          expect([least, draft]).toEqual([undefined, { giveUp: expect.any(String) as string }])
          return
        }
        const cost = draft.steps.reduce((sum, { tool: used }) => {
          const one = tools.find((other) => other.name === used)
          return sum + (one === undefined ? NaN : one.cost / one.likelihood)
        }, 0)
        expect(cost).toBeCloseTo(least, 9)
        expectValid(toPlan(draft, goal), tools)
        if (draft.steps.length > 1) compared += 1
      }),
      { numRuns: 3000 },
    )
    expect(compared).toBeGreaterThan(50) // plans of several steps, that is
  })
})
