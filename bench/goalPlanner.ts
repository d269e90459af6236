// How fast the goal planner is: 500 tools and plans of 1,000 steps, and one replanning after a failure in such a plan.
// Run with `npx tsx bench/goalPlanner.ts`.
import { createGoalPlanner } from '../src/actors/planners/goal/goalPlanner.ts'
import type { PlanDraft, PlannerContext } from '../src/actors/planners/planner.ts'
import type { FactReport, PlanSituation, RunLimits } from '../src/machines/coordinator.messages.ts'
import { planSchema, type Goal } from '../src/plan/schema.ts'
import type { Gift, Need, ToolDescription } from '../src/plan/toolDescription.ts'

const context: PlannerContext = { signal: new AbortController().signal, now: () => 0 }
const limits = {} as RunLimits

function tool(
  name: string,
  needs: Readonly<Record<string, Need>>,
  gives: Readonly<Record<string, Gift>>,
  cost: number,
): ToolDescription {
  const rest = {
    input: true,
    output: true,
    requires: [],
    likelihood: 1,
    effects: 'none',
    idempotent: true,
    version: '1',
  } as const
  return { name, description: name, needs, gives, cost, ...rest }
}

interface Case {
  readonly title: string
  readonly tools: readonly ToolDescription[]
  readonly goal: Goal
  /** A step of the plan that fails. */
  readonly failing: string
}

/** 250 items of four steps each, among tools most of which have nothing to do with it. */
function items(): Case {
  const chain = ['read', 'parse', 'profile', 'check']
  const facts = ['file', 'text', 'table', 'profile', 'problems']
  const steps = chain.flatMap((name, at) => {
    const gives = { [facts[at + 1] ?? '']: { from: '/it' } }
    const needs = { it: { fact: facts[at] ?? '' } }
    return [tool(name, needs, gives, 1), tool(`${name}_slowly`, needs, gives, 3)]
  })
  const report = tool('report', { all: { fact: 'problems', each: true } }, { report: { from: '/it' } }, 1)
  const others = Array.from({ length: 491 }, (_, nth) => {
    return tool(
      `other${String(nth)}`,
      { it: { fact: `o${String(nth % 40)}` } },
      { [`o${String((nth * 7) % 40)}`]: { from: '/it' } },
      1,
    )
  })
  const known = Object.fromEntries(
    Array.from({ length: 250 }, (_, nth) => [`file[${String(nth)}]`, `${String(nth)}.csv`]),
  )
  const goal = { text: 'report', want: [{ fact: 'report' }], facts: known }
  return { title: '250 items, 1,001 steps', tools: [...steps, report, ...others], goal, failing: 'parse[7]' }
}

/** 1,000 facts from 1,000 tools in layers, each fact with up to three givers and each tool with two needs. */
function layers(): Case {
  const width = 20
  const tools: ToolDescription[] = []
  for (let layer = 0; layer < 25; layer++) {
    for (let at = 0; at < width; at++) {
      const needs = {
        a: { fact: `f${String(layer)}_${String(at)}` },
        b: { fact: `f${String(layer)}_${String((at * 3 + 1) % width)}` },
      }
      tools.push(
        tool(
          `t${String(layer)}_${String(at)}`,
          needs,
          { [`f${String(layer + 1)}_${String(at)}`]: { from: '/it' } },
          1 + ((at + layer) % 3),
        ),
      )
    }
  }
  const known = Object.fromEntries(Array.from({ length: width }, (_, at) => [`f0_${String(at)}`, at]))
  const want = Array.from({ length: width }, (_, at) => ({ fact: `f25_${String(at)}` }))
  return { title: '500 tools in layers, 500 steps', tools, goal: { text: 'all', want, facts: known }, failing: 't12_3' }
}

/** Each need has three alternatives that share what they need with others: much to search. */
function alternatives(): Case {
  const tools: ToolDescription[] = []
  for (let layer = 0; layer < 17; layer++) {
    for (let at = 0; at < 10; at++) {
      for (let nth = 0; nth < 3; nth++) {
        const needs = {
          a: { fact: `f${String(layer)}_${String((at + nth) % 10)}` },
          b: { fact: `f${String(layer)}_${String((at * 3 + nth) % 10)}` },
        }
        tools.push(
          tool(
            `t${String(layer)}_${String(at)}_${String(nth)}`,
            needs,
            { [`f${String(layer + 1)}_${String(at)}`]: { from: '/it' } },
            1 + ((at * 5 + nth * 3 + layer) % 7),
          ),
        )
      }
    }
  }
  const known = Object.fromEntries(Array.from({ length: 10 }, (_, at) => [`f0_${String(at)}`, at]))
  const want = [0, 3, 6].map((at) => ({ fact: `f17_${String(at)}` }))
  return {
    title: '510 tools, three ways for each need',
    tools,
    goal: { text: 'some', want, facts: known },
    failing: '',
  }
}

for (const { title, tools, goal, failing } of [items(), layers(), alternatives()]) {
  const planner = createGoalPlanner()
  const times: number[] = []
  let draft: PlanDraft | undefined
  for (let round = 0; round < 5; round++) {
    const startedAt = performance.now()
    const answer = await planner.plan({ goal, tools, facts: [], limits, findings: [] }, context)
    times.push(performance.now() - startedAt)
    if ('steps' in (answer as object)) draft = answer as PlanDraft
  }
  if (draft === undefined) throw new Error(`no plan for ${title}`)
  const least = draft.steps.some(({ why }) => why?.includes('cut short')) ? 'cut short' : 'least cost'
  console.log(
    `${title}: ${String(draft.steps.length)} steps, ${least}; first ${ms(times[0])}, then ${ms(Math.min(...times))}`,
  )
  if (failing === '') continue

  const plan = planSchema.parse({ id: 'p', goal, steps: draft.steps, assumptions: draft.assumptions ?? [] })
  const facts: FactReport[] = Object.entries(goal.facts ?? {}).map(([key, value]) => ({
    key,
    value,
    by: 'goal',
    at: 0,
  }))
  const situation: PlanSituation = {
    plan,
    step: (id) => ({ status: id === failing ? 'failed' : 'waiting', attempt: 1 }),
    output: () => undefined,
    fact: (key) => facts.find((fact) => fact.key === key),
    facts: () => facts,
  }
  const troubles = [{ type: 'failed', text: `${failing} failed`, stepId: failing }] as const
  const replans: number[] = []
  let said = ''
  for (let round = 0; round < 5; round++) {
    const startedAt = performance.now()
    const answer = await planner.replan?.(
      { goal, tools, facts, limits, findings: [], plan, situation, troubles },
      context,
    )
    replans.push(performance.now() - startedAt)
    said = answer && 'patch' in answer ? `${String(answer.patch.length)} operations` : 'gave up'
  }
  console.log(
    `  replanning after ${failing}: ${said}; ${ms(Math.min(...replans))}, ${String(Math.round((100 * Math.min(...replans)) / Math.min(...times)))} % of planning`,
  )
}

function ms(value: number | undefined): string {
  return `${(value ?? 0).toFixed(1)} ms`
}
