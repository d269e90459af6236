// A first plan from a model: asked for, read as it comes, judged as a whole.
import type { Finding } from '../../../plan/finding.ts'
import type { Json, JsonObject } from '../../../plan/json.ts'
import type { Step } from '../../../plan/schema.ts'
import type { ModelAnswer } from '../../../models/model.ts'
import type { PlanRequest, PlannerContext } from '../planner.ts'
import { Ahead } from './ahead.ts'
import { planAnswerSchema, scopeOf } from './answerSchema.ts'
import { criticise } from './critics.ts'
import { idOf, judgeSteps, worldOf, type World } from './objections.ts'
import { planQuestion } from './question.ts'
import { readAnswer, unusable, type Reading } from './readAnswer.ts'
import type { ModelPlannerSettings } from './settings.ts'
import { StepStream } from './stepStream.ts'
import { Talk, unsoundWith } from './talk.ts'

export interface PlanAsked {
  readonly settings: ModelPlannerSettings
  readonly key: object
  readonly request: PlanRequest
  readonly context: PlannerContext
}

/** Yields steps as they may set out, and the others when the plan is whole. Returns what else belongs to the answer. */
export async function* writePlan(asked: PlanAsked): AsyncGenerator<Step, unknown> {
  const { settings, request } = asked
  const question = planQuestion(request)
  const talk = new Talk({ ...asked, question })
  const world = worldOf(request)
  const begun = request.begun ?? []
  yield* begun
  const shown = await talk.tools()
  if ('finding' in shown) return unsoundWith([shown.finding], talk)
  const scope = scopeOf(shown.tools, request)
  for (;;) {
    const format = { name: 'plan', schema: planAnswerSchema(scope, question.isShortened) }
    const ahead = new Ahead(world, begun, settings.critics.length === 0)
    const answer = yield* streamed(asked, ahead, (onText, signal) => talk.answer(shown.tools, format, onText, signal))
    const reading = readAnswer(answer, { kinds: ['giveUp', 'ask', 'plan'], tools: world.tools })
    if (reading.type === 'ask' && talk.mayAsk) {
      talk.tell(answer, reading.ask)
      continue
    }
    if (reading.type === 'plan') return yield* whole(reading, { asked, talk, ahead, world, answer })
    if (reading.type === 'giveUp' && (ahead.out.size === 0 || answer.end === 'refused'))
      return { giveUp: reading.giveUp, ...talk.told }
    talk.remember(answer)
    return unsoundWith([whyNot(reading)], talk)
  }
}

/** Passes steps on while the model writes. @returns its answer, when it is over. */
async function* streamed(
  { context }: PlanAsked,
  ahead: Ahead,
  ask: (onText: (piece: string) => void, signal: AbortSignal) => Promise<ModelAnswer>,
): AsyncGenerator<Step, ModelAnswer> {
  const left = new AbortController()
  const stream = new StepStream((step, isWhole) => {
    ahead.take(step, isWhole)
  })
  let wake = (): void => undefined
  const call = { isOver: false }
  const answer = ask(
    (piece) => {
      stream.write(piece)
      wake()
    },
    AbortSignal.any([context.signal, left.signal]),
  ).finally(() => {
    call.isOver = true
    wake()
  })
  answer.catch(() => undefined) // it is awaited below, unless nobody wants it any more
  try {
    while (!call.isOver) {
      const next = new Promise<void>((resolve) => {
        wake = resolve
      })
      yield* ahead.drain()
      await next
    }
    yield* ahead.drain()
    return await answer
  } finally {
    left.abort() // whoever stops listening stops the call
  }
}

interface WholePlan {
  readonly asked: PlanAsked
  readonly talk: Talk
  readonly ahead: Ahead
  readonly world: World
  readonly answer: ModelAnswer
}

/** Judges the plan, and passes on what has not set out yet. */
async function* whole(
  { steps, rest }: Extract<Reading, { type: 'plan' }>,
  { asked, talk, ahead, world, answer }: WholePlan,
): AsyncGenerator<Step, unknown> {
  const { request, context, settings } = asked
  const begun = request.begun ?? []
  // Each has been judged beside those that it needs; the runtime judges the whole once more.
  if (begun.length === 0 && ahead.isComplete && isEmpty(rest) && ahead.standsIn(steps)) return talk.told
  const begunIds = new Set<Json | undefined>(begun.map(({ id }) => id))
  const isNew = (step: Json): boolean => !begunIds.has(idOf(step))
  const all = [...(begun as readonly Json[]), ...steps.filter(isNew)]
  const { plan, findings: found } = judgeSteps(all, rest, world)
  const findings = [...found]
  if (!ahead.standsIn(steps)) findings.push(unusable('It says two things under the same key.', 'Write each key once.'))
  if (plan !== undefined && settings.critics.length > 0) {
    const criticism = await criticise(settings.critics, plan, request, context)
    for (const usage of criticism.usages) talk.spend(usage)
    findings.push(...criticism.findings)
  }
  if (findings.length > 0 || plan === undefined) {
    talk.remember(answer, steps as readonly Step[])
    return unsoundWith(findings, talk)
  }
  const { out } = ahead
  for (const [index, step] of steps.entries()) if (isNew(step) && !out.has(index)) yield step as Step
  return { ...(plan.assumptions.length > 0 && { assumptions: plan.assumptions }), ...talk.told }
}

function whyNot(reading: Reading): Finding {
  if (reading.type === 'unreadable') return reading.finding
  const problem =
    reading.type === 'ask' ? 'It asks again, and may not ask any more.' : 'It gives up in the midst of a plan.'
  return unusable(problem, 'Answer with "steps" or "giveUp", by what is known.')
}

function isEmpty(rest: JsonObject): boolean {
  return Object.values(rest).every((value) => Array.isArray(value) && value.length === 0)
}
