// The fallback planner: asks one planner after another, until one has an answer that can be used.
//
// B1. Planners are asked in their order. The next one is asked where one threw, gave up, or was not sound as often as its rounds
//     allow, and the policy agrees; within one request it never goes back to an earlier one.
// B2. Steps that one has streamed out stand: the next one is told of them (`begun`), and they are in the answer as they are.
// B3. What planners have used before they failed is part of the answer that is given in the end, or of the error.
// B4. Who is stopped is not replaced: an abort ends the question.
// B5. Where none has an answer, each that was asked is named, with the reason.
import { PlanloomError } from '../../errors.ts'
import type { Usage } from '../../machines/reports.messages.ts'
import type { Finding } from '../../plan/finding.ts'
import type { Step } from '../../plan/schema.ts'
import type { PlanAnswer, Planner, PlannerContext, PlanRequest, ReplanAnswer, ReplanRequest } from './planner.ts'
import { isStream, iteratorOf } from './planStream.ts'
import { askStanding, keepBecause, type StandsCheck } from './standsCheck.ts'

/** Why the next planner may be asked. */
export interface Shortfall {
  /** Name of the planner that had no answer. */
  readonly planner: string
  /** `budget`: it would have cost more than is left. `unsound`: what was found in its answers, it could not put right. */
  readonly because: 'threw' | 'budget' | 'gave_up' | 'unsound'
  /** In words. */
  readonly text: string
  readonly error?: unknown
  readonly findings?: readonly Finding[]
}

export interface FallbackPlannerOptions {
  /** Whether the next planner is to be asked. @default always */
  readonly when?: (shortfall: Shortfall) => boolean
  /** Asked first when there is trouble: whether the plan stands all the same. */
  readonly standsCheck?: StandsCheck
  /** For the head of its plans. @default 'fallback(a, b)' */
  readonly name?: string
}

const defaultRounds = 2

interface Notes {
  /** Which planner is asked now. */
  at: number
  /** Questions that it has been asked in this request. */
  asked: number
  /** Those before it, and why they had no answer. */
  readonly passed: Shortfall[]
}

/** Makes a planner of several: each is asked where those before it have no answer.
 *
 * @param planners the first choice first: a model, a stronger one, the goal planner.
 * @throws `OPTIONS_INVALID` where there is none.
 * @example
 * import { createFallbackPlanner, createFixedPlanner, createGoalPlanner } from 'planloom'
 * const planner = createFallbackPlanner([createGoalPlanner(), createFixedPlanner({ steps: [] })], {
 *   when: ({ because }) => because === 'gave_up',
 * })
 * planner.name // 'fallback(goal, fixed)'
 */
export function createFallbackPlanner(planners: readonly Planner[], options: FallbackPlannerOptions = {}): Planner {
  if (planners.length === 0 || planners.some((one) => typeof (one as Partial<Planner> | null)?.plan !== 'function')) {
    throw new PlanloomError(
      'OPTIONS_INVALID',
      'createFallbackPlanner() was given a list that is not one of planners.',
      {
        hint: 'Give it the planners in the order in which they are to be asked.',
      },
    )
  }
  const { when = () => true, standsCheck } = options
  const name = options.name ?? `fallback(${planners.map((one) => one.name).join(', ')})`
  const key = {}

  /** Which planner a question goes to: one that was not sound often enough gives way to the next (B1). */
  function begin({ findings }: PlanRequest, context: PlannerContext): Notes {
    const known = context.memory?.get(key) as Notes | undefined
    const notes = known ?? { at: 0, asked: 0, passed: [] }
    context.memory?.set(key, notes)
    const planner = planners[notes.at]
    if (planner !== undefined && findings.length > 0 && notes.asked > (planner.repairRounds ?? defaultRounds)) {
      const text = findings[0]?.message ?? 'its answers were not sound'
      const shortfall: Shortfall = { planner: planner.name, because: 'unsound', text, findings }
      if (isNext(notes, shortfall)) pass(notes, shortfall)
    }
    return notes
  }

  function isNext({ at }: Notes, shortfall: Shortfall): boolean {
    return at + 1 < planners.length && when(shortfall)
  }

  function pass(notes: Notes, shortfall: Shortfall): void {
    notes.passed.push(shortfall)
    notes.at += 1
    notes.asked = 0
  }

  /** What follows from how a planner's turn ended: the answer to give, or on to the next one (B1, B4). It throws what the last one threw. */
  function judge<A extends AnyAnswer>(
    { planner, notes, ended, spent }: Turn<A>,
    { signal }: PlannerContext,
  ): { readonly answer: A } | { readonly spent: Usage | undefined } {
    const shortfall = shortfallOf(planner, ended)
    if (shortfall !== undefined && !signal.aborted && isNext(notes, shortfall)) {
      pass(notes, shortfall)
      return { spent: sum(spent, 'error' in ended ? usageOf(ended.error) : ended.answer.usage) }
    }
    const told = shortfall === undefined ? ended : withThoseBefore(ended, notes)
    if ('error' in told) throw withUsage(told.error, spent)
    return { answer: withSpent(told.answer, spent) }
  }

  async function* plan(request: PlanRequest, context: PlannerContext): AsyncGenerator<Step, unknown> {
    const notes = begin(request, context)
    const out = new Map((request.begun ?? []).map((step) => [step.id, step]))
    let spent: Usage | undefined
    yield* out.values()
    for (;;) {
      const planner = plannerAt(planners, notes)
      const question = questionFor(request, notes, out)
      notes.asked += 1
      const ended = yield* follow(planner, question, context, out)
      const turn = judge({ planner, notes, ended, spent }, context)
      if ('answer' in turn) return turn.answer
      spent = turn.spent
    }
  }

  async function replan(request: ReplanRequest, context: PlannerContext): Promise<ReplanAnswer> {
    let spent: Usage | undefined
    if (standsCheck !== undefined && request.findings.length === 0) {
      const standing = await askStanding(standsCheck, request, context)
      spent = standing.usage
      if (standing.stands) return { keep: keepBecause(standing), ...(spent && { usage: spent }) }
    }
    const notes = begin(request, context)
    for (;;) {
      const planner = plannerAt(planners, notes)
      const question = questionFor(request, notes)
      notes.asked += 1
      const ended = await amendBy(planner, question, context)
      const turn = judge({ planner, notes, ended, spent }, context)
      if ('answer' in turn) return turn.answer
      spent = turn.spent
    }
  }

  return {
    name,
    repairRounds: planners.reduce((all, one) => all + (one.repairRounds ?? defaultRounds) + 1, -1),
    ...(planners.some((one) => one.elaborates) && { elaborates: true }),
    ...((planners.some((one) => one.readsOutputs) || standsCheck !== undefined) && { readsOutputs: true }),
    plan,
    ...((standsCheck !== undefined || planners.some((one) => one.replan !== undefined)) && { replan }),
  }
}

interface AnyAnswer {
  readonly giveUp?: string
  readonly usage?: Usage
}

/** How one planner's turn ended. */
type Ended<A> = { readonly answer: A } | { readonly error: unknown }

interface Turn<A> {
  readonly planner: Planner
  readonly notes: Notes
  readonly ended: Ended<A>
  /** By those before it. */
  readonly spent: Usage | undefined
}

function shortfallOf({ name }: Planner, ended: Ended<AnyAnswer>): Shortfall | undefined {
  if (!('error' in ended)) {
    const { giveUp } = ended.answer
    return typeof giveUp === 'string' ? { planner: name, because: 'gave_up', text: giveUp } : undefined
  }
  const { error } = ended
  const isShort = error instanceof Error && 'code' in error && error.code === 'BUDGET_SHORT'
  const text = error instanceof Error ? error.message : String(error)
  return { planner: name, because: isShort ? 'budget' : 'threw', text, error }
}

/** What the last planner comes to, with what became of those before it (B5). */
function withThoseBefore<A extends AnyAnswer>(ended: Ended<A>, { passed }: Notes): Ended<A> {
  if (passed.length === 0) return ended
  const before = passed.map(({ planner, because, text }) => `${planner} ${endings[because]} (${text})`)
  const more = (text: string): string => `${text}${/[.!?]$/.test(text) ? '' : '.'} Before it: ${before.join('; ')}.`
  if ('error' in ended) return { error: withWords(ended.error, more) }
  return { answer: { ...ended.answer, giveUp: more(ended.answer.giveUp ?? '') } }
}

const endings: Readonly<Record<Shortfall['because'], string>> = {
  threw: 'failed',
  budget: 'would have cost too much',
  gave_up: 'gave up',
  unsound: 'gave no sound plan',
}

function withWords(error: unknown, more: (text: string) => string): unknown {
  if (!(error instanceof Error)) return error
  const { code = 'PLANNER_FAILED', hint, where } = error as Partial<PlanloomError>
  const all = new PlanloomError(code, more(error.message), { hint, where: where ?? {}, cause: error })
  const usage = usageOf(error)
  return usage === undefined ? all : Object.assign(all, { usage })
}

/** Asks a planner, and passes its steps on as they come; those that stand already are passed over. */
async function* follow(
  planner: Planner,
  request: PlanRequest,
  context: PlannerContext,
  out: Map<string, Step>,
): AsyncGenerator<Step, Ended<AnyAnswer>> {
  let iterator: ReturnType<typeof iteratorOf> | undefined
  let isOver = false
  try {
    const answered = planner.plan(request, context)
    if (!isStream(answered)) {
      const answer: PlanAnswer = await answered
      if ('steps' in answer) {
        const { steps, ...rest } = answer
        yield* newAmong(steps, out)
        return { answer: rest }
      }
      return { answer: answer }
    }
    iterator = iteratorOf(answered)
    for (;;) {
      const next = await iterator.next()
      if (next.done === true) {
        isOver = true
        return { answer: typeof next.value === 'object' && next.value !== null ? next.value : {} }
      }
      yield* newAmong([next.value], out)
    }
  } catch (error) {
    isOver = true
    return { error }
  } finally {
    if (!isOver) await iterator?.return?.()
  }
}

/** Steps of which none has gone out yet (B2). A step without an id is for the check to find. */
function* newAmong(steps: readonly Step[], out: Map<string, Step>): Generator<Step> {
  for (const step of steps) {
    const known = out.get(step.id)
    if (known !== undefined) continue
    out.set(step.id, step)
    yield step
  }
}

async function amendBy(
  planner: Planner,
  request: ReplanRequest,
  context: PlannerContext,
): Promise<Ended<ReplanAnswer>> {
  if (planner.replan === undefined) return { answer: { giveUp: `Planner "${planner.name}" does not amend plans.` } }
  try {
    const answer: unknown = await planner.replan(request, context)
    if (typeof answer !== 'object' || answer === null)
      throw new TypeError(`It gave ${String(answer)} for an amendment.`)
    return { answer: answer as ReplanAnswer }
  } catch (error) {
    return { error }
  }
}

/** A planner that is asked for the first time is not told what was found in the answers of another. */
function questionFor<R extends PlanRequest>(request: R, { asked }: Notes, out?: ReadonlyMap<string, Step>): R {
  return {
    ...request,
    ...(asked === 0 && { findings: [] }),
    ...(out !== undefined && out.size > 0 && { begun: [...out.values()] }),
  }
}

function plannerAt(planners: readonly Planner[], { at }: Notes): Planner {
  const planner = planners[at]
  if (planner === undefined) throw new RangeError(`There is no planner ${String(at)}.`)
  return planner
}

function withSpent<A extends { readonly usage?: Usage }>(answer: A, spent: Usage | undefined): A {
  const usage = sum(spent, answer.usage)
  return usage === undefined ? answer : { ...answer, usage }
}

function usageOf(error: unknown): Usage | undefined {
  return error instanceof Error && 'usage' in error ? (error.usage as Usage | undefined) : undefined
}

function withUsage(error: unknown, spent: Usage | undefined): unknown {
  const usage = sum(spent, usageOf(error))
  if (usage !== undefined && error instanceof Error && Object.isExtensible(error))
    Object.defineProperty(error, 'usage', { value: usage, enumerable: true, configurable: true, writable: true })
  return error
}

function sum(before: Usage | undefined, more: Usage | undefined): Usage | undefined {
  if (before === undefined || more === undefined) return before ?? more
  return { tokens: (before.tokens ?? 0) + (more.tokens ?? 0), cost: (before.cost ?? 0) + (more.cost ?? 0) }
}
