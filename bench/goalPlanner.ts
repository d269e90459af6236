// How fast the goal planner is: 500 tools and plans of 1,000 steps, and one replanning after a failure in such a plan.
// Run with `npx tsx bench/goalPlanner.ts [rounds]`. Counts processor time: the first planning cold, the others as medians.
import { createGoalPlanner } from '../src/actors/planners/goal/goalPlanner.ts'
import type { PlanDraft, PlannerContext } from '../src/actors/planners/planner.ts'
import type { FactReport, PlanSituation } from '../src/machines/reports.messages.ts'
import type { RunLimits } from '../src/machines/settings.messages.ts'
import { dependenciesOf } from '../src/plan/references.ts'
import { parsePlan } from '../src/plan/parse.ts'
import type { Goal, Plan } from '../src/plan/schema.ts'
import type { Gift, Need, ToolDescription } from '../src/plan/toolDescription.ts'
import { median } from './noops.ts'

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

/** Items of four steps each, among tools most of which have nothing to do with it. */
function items(count: number): Case {
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
    Array.from({ length: count }, (_, nth) => [`file[${String(nth)}]`, `${String(nth)}.csv`]),
  )
  const goal = { text: 'report', want: [{ fact: 'report' }], facts: known }
  return {
    title: `${String(count)} items, ${String(4 * count + 1)} steps`,
    tools: [...steps, report, ...others],
    goal,
    failing: 'parse[7]',
  }
}

/** 500 facts from 500 tools in layers, each tool with two needs; a spare one for the step that fails. */
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
  tools.push(tool('spare', { a: { fact: 'f12_3' } }, { f13_3: { from: '/it' } }, 90))
  const known = Object.fromEntries(Array.from({ length: width }, (_, at) => [`f0_${String(at)}`, at]))
  const want = Array.from({ length: width }, (_, at) => ({ fact: `f25_${String(at)}` }))
  return { title: '501 tools in layers, 500 steps', tools, goal: { text: 'all', want, facts: known }, failing: 't12_3' }
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

const rounds = Number(process.argv[2] ?? 9)

for (const { title, tools, goal, failing } of [items(250), items(1000), layers(), alternatives()]) {
  const planner = createGoalPlanner()
  const times: number[] = []
  let draft: PlanDraft | undefined
  for (let round = 0; round < rounds; round++) {
    // A new array each time: what is remembered of the tools does not count.
    const request = { goal, tools: [...tools], facts: [], limits, findings: [] }
    const { value, tookMs } = await measure(() => planner.plan(request, context))
    times.push(tookMs)
    if ('steps' in (value as object)) draft = value as PlanDraft
  }
  if (draft === undefined) throw new Error(`no plan for ${title}`)
  const least = draft.steps.some(({ why }) => why?.includes('cut short')) ? 'cut short' : 'least cost'
  console.log(
    `${title}: ${String(draft.steps.length)} steps, ${least}; first ${ms(times[0])}, then ${ms(median(times.slice(1)))}`,
  )
  if (failing === '') continue

  const plan = parsePlan({ id: 'p', goal, steps: draft.steps, assumptions: draft.assumptions ?? [] })
  const troubles = [{ type: 'failed', text: `${failing} failed`, stepId: failing }] as const
  const replans: number[] = []
  let said = ''
  for (let round = 0; round < rounds; round++) {
    // As in a run: the same tools each time, and a new revision, which shares its steps with the one before.
    const revision = Object.freeze({ ...plan, revision: round + 1 })
    const situation = situationAt(revision, failing, tools)
    const request = { goal, tools, facts: [], limits, findings: [], plan: revision, situation, troubles }
    const { value: answer, tookMs } = await measure(() => planner.replan?.(request, context))
    replans.push(tookMs)
    if (answer === undefined || !('patch' in answer)) throw new Error(`no patch: ${JSON.stringify(answer)}`)
    said = `${String(answer.patch.length)} operations`
  }
  const again = median(replans.slice(1))
  const share = ((100 * again) / median(times.slice(1))).toFixed(1)
  console.log(
    `  replanning after ${failing}: ${said}; first ${ms(replans[0])}, then ${ms(again)}, ${share} % of planning`,
  )
}

/** A run in which a step has failed, after all that it waited for. */
function situationAt(plan: Plan, failing: string, tools: readonly ToolDescription[]): PlanSituation {
  const steps = new Map(plan.steps.map((step) => [step.id, step]))
  const done = new Set<string>([failing])
  for (const id of done) {
    const step = steps.get(id)
    if (step) for (const other of dependenciesOf(step)) done.add(other)
  }
  done.delete(failing)
  const facts = new Map<string, FactReport>()
  for (const [key, value] of Object.entries(plan.goal.facts ?? {})) facts.set(key, { key, value, by: 'goal', at: 0 })
  for (const id of done) {
    const step = steps.get(id)
    for (const fact of Object.keys(tools.find(({ name }) => name === step?.tool)?.gives ?? {})) {
      const key = step?.item === undefined ? fact : `${fact}[${step.item}]`
      facts.set(key, { key, value: id, by: id, at: 0 })
    }
  }
  return {
    plan,
    step: (id) => ({ status: id === failing ? 'failed' : done.has(id) ? 'succeeded' : 'waiting', attempt: 1 }),
    output: (id) => (done.has(id) ? { it: id } : undefined),
    fact: (key) => facts.get(key),
    facts: () => facts.values(),
  }
}

async function measure<T>(work: () => T): Promise<{ readonly value: Awaited<T>; readonly tookMs: number }> {
  const before = process.cpuUsage()
  const value = await work()
  const { user, system } = process.cpuUsage(before)
  return { value, tookMs: (user + system) / 1000 }
}

function ms(value: number | undefined): string {
  return `${(value ?? 0).toFixed(1)} ms`
}
