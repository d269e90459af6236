// How the work for dying processes is carried out, whatever process and clock it is in: its tools, planner and people.
import { z } from 'zod'
import type { Operation, Plan } from '../../src/plan/index.ts'
import {
  defineTool,
  replayJournal,
  type CheckResult,
  type Journal,
  type JournalEvent,
  type Planner,
  type Run,
  type RuntimeOptions,
  type Tool,
  type ToolContext,
} from '../../src/runtime/index.ts'
import type { CrashWork } from '../arbitraries/crashPlans.ts'
import type { Outside } from './outside.ts'

/** Waits some time of the clock that the work goes by. */
export type Wait = (ms: number, signal?: AbortSignal) => Promise<void>

const input = z.looseObject({ n: z.number(), waitMs: z.number() })
const output = z.object({ v: z.number(), list: z.array(z.number()), text: z.string().optional() })
type Input = z.output<typeof input>
type Output = z.output<typeof output>

/** What any of the tools gives depends on nothing but its input. */
function outputOf({ waitMs: _waitMs, ...given }: Input): Output {
  const v = Array.from(JSON.stringify(given)).reduce((sum, letter) => (sum * 31 + letter.charCodeAt(0)) % 9_973, 7) % 12
  const list = Array.from({ length: v % 4 }, (_, index) => index)
  // Some outputs stand apart from their events, or in files of their own.
  return v % 3 === 0 ? { v, list } : { v, list, text: `${String(given.n)} `.repeat(v * 100) }
}

function toolsFor(outside: Outside, wait: Wait): Tool[] {
  const has = (line: string): boolean => outside.lines().includes(line)
  const tool = (name: string, act: (input: Input, context: ToolContext) => void, more: object = {}): Tool =>
    defineTool({
      name,
      description: name,
      input,
      output,
      gives: { [name]: '/v' },
      ...more,
      run: async (given, context) => {
        // A process may die before its effect, and after it; without a wait it is had before anything else can happen.
        if (given.waitMs > 0) await wait(given.waitMs, context.signal)
        act(given, context)
        if (given.waitMs > 0) await wait(given.waitMs / 2, context.signal)
        return outputOf(given)
      },
    })
  const effect = (name: string, { stepId, idempotencyKey }: Pick<ToolContext, 'stepId' | 'idempotencyKey'>): string =>
    `${name} ${stepId} ${idempotencyKey}`
  return [
    tool('calc', () => undefined),
    tool('odd', (given) => {
      if (outputOf(given).v % 2 === 1) throw new Error(`${String(given.n)} is odd`)
    }),
    tool('write', (_, context) => (has(effect('write', context)) ? undefined : outside.add(effect('write', context))), {
      effects: 'write',
      idempotent: true,
    }),
    tool('pay', (_, context) => outside.add(effect('pay', context)), { effects: 'external' }),
    tool('mail', (_, context) => outside.add(effect('mail', context)), {
      effects: 'external',
      check: (given: Input, context: ToolContext): CheckResult<Output> =>
        has(effect('mail', context)) ? { happened: true, output: outputOf(given) } : { happened: false },
    }),
  ]
} // prettier-ignore

/** A failed step is replaced by one that cannot fail; all other trouble is left as it is. A part of the goal is three steps. */
function plannerFor(plan: Plan): Planner {
  return {
    name: 'of the work',
    plan: ({ goal }) => {
      if (goal.text === plan.goal.text) return { steps: plan.steps }
      const steps = ['write', 'mail', 'pay'].map((tool, n) => ({ id: `${goal.text}.${tool}`, tool, input: { n, waitMs: 2 } }))
      return { steps: steps.map((step, n) => ({ ...step, after: steps.slice(0, n).map(({ id }) => id) })) }
    },
    replan: ({ troubles, plan: now }) => {
      const failed = new Set(troubles.flatMap(({ type, stepId }) => (type === 'uncertain' ? [] : (stepId ?? []))))
      const operations = now.steps.flatMap((step): Operation[] =>
        failed.has(step.id) && step.tool === 'odd' ? [{ op: 'replace', id: step.id, step: { ...step, tool: 'calc' } }] : [],
      )
      return operations.length > 0 ? { patch: operations } : { keep: 'leave it' }
    },
  }
} // prettier-ignore

export function crashRuntimeOptions(work: CrashWork, outside: Outside, wait: Wait): RuntimeOptions {
  const { plan, concurrency, uncertain } = work
  return {
    tools: toolsFor(outside, wait),
    planner: plannerFor(plan),
    limits: { concurrency, sameFailure: 1_000 },
    uncertain,
    ask: ({ kind, stepId, input: sent }) => {
      if (kind !== 'uncertain') return Promise.resolve({ v: 3, list: [1, 2] })
      const happened = outside.lines().some((line) => line.startsWith(`pay ${stepId} `))
      return Promise.resolve(happened ? { happened, output: outputOf(sent as Input) } : { happened })
    },
  }
}

export interface EndState {
  readonly status: string | undefined
  readonly reason: string | undefined
  readonly steps: readonly (readonly [id: string, status: string, output: unknown])[]
  /** Keys of facts; where two steps give the same, the later one's holds, whichever that was. */
  readonly facts: readonly string[]
}

export function endStateOf(run: Pick<Run, 'outcome' | 'ledger' | 'output' | 'facts'>): EndState {
  return {
    status: run.outcome?.status,
    reason: run.outcome?.reason,
    steps: [...run.ledger()]
      .map(({ id, status }) => [id, status, run.output(id) ?? null] as const)
      .sort(([a], [b]) => (a < b ? -1 : 1)),
    facts: [...run.facts()].map(({ key }) => key).sort(),
  }
}

/** What is not as it must be outside, after any number of deaths.
 *
 * @param state of the run, and of its sub-runs
 * @param uncertain steps that were uncertain at some time
 */
function effectBreaches(
  lines: readonly string[],
  steps: readonly { readonly id: string; readonly tool?: string | undefined; readonly status: string }[],
  uncertain: ReadonlySet<string>,
): string[] {
  const counts = new Map<string, number>()
  for (const line of lines) {
    const [tool = '', ...rest] = line.split(' ')
    const key = `${tool} ${rest.slice(0, -1).join(' ')}`
    counts.set(key, (counts.get(key) ?? 0) + 1)
  }
  const wrong: string[] = []
  for (const [key, count] of counts) if (count > 1) wrong.push(`${key} happened ${count} times`)
  for (const { id, tool, status } of steps) {
    if (tool !== 'write' && tool !== 'mail' && tool !== 'pay') continue
    const count = counts.get(`${tool} ${id}`) ?? 0
    if (status === 'succeeded' && count !== 1) wrong.push(`${tool} ${id} succeeded, and happened ${count} times`)
    if (status === 'uncertain' && !uncertain.has(id)) wrong.push(`${tool} ${id} is uncertain, and the record does not say why`)
  }
  return wrong
} // prettier-ignore

/** Looks through a journal in which the work has come to its end, and the lines outside. @returns all that is not as it must be */
export async function breachesOfWork(journal: Journal, lines: readonly string[]): Promise<readonly string[]> {
  const wrong: string[] = []
  const steps: Parameters<typeof effectBreaches>[1][number][] = []
  const uncertain = new Set<string>()
  for await (const { runId, parentRunId, events: count } of journal.runs()) {
    if (count === 0) continue // its process died before anything of it was written
    const events: JournalEvent[] = []
    for await (const event of journal.read(runId)) events.push(event)
    if (parentRunId !== undefined && !(await isTakenUp(journal, parentRunId, runId))) continue
    const run = replayJournal(events)
    const tools = new Map(run.revisions.flatMap((plan) => plan.steps.map(({ id, tool }) => [id, tool])))
    for (const { id, status } of run.ledger()) steps.push({ id, status, tool: tools.get(id) })
    const succeeded = new Set<string>()
    for (const { event, steps: changed } of run.transitions) {
      for (const { id, status } of changed) {
        if (status === 'uncertain') uncertain.add(id)
        if (succeeded.has(id) && status !== 'succeeded') wrong.push(`${id} is ${status} after its success (${event.type})`)
        if (status === 'succeeded') succeeded.add(id)
      }
    }
    if (run.outcome === undefined) wrong.push(`${runId} is not over: ${run.state}`)
  }
  return [...wrong, ...effectBreaches(lines, steps, uncertain)]
} // prettier-ignore

/** A sub-run whose begin its parent had not recorded when the process died was begun anew, and nothing of it has happened. */
async function isTakenUp(journal: Journal, parentRunId: string, runId: string): Promise<boolean> {
  for await (const event of journal.read(parentRunId))
    if (event.type === 'step.delegated' && event.subRunId === runId) return true
  return false
}
