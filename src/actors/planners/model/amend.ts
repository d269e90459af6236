// An amendment from a model: whether the plan stands is asked first, where somebody can say so cheaply; then what is to be done.
import { applyPatch, PatchRefusedError } from '../../../plan/patch.ts'
import type { Finding } from '../../../plan/finding.ts'
import { operationSchema, type Operation, type Plan } from '../../../plan/schema.ts'
import { validatePlan } from '../../../plan/validate.ts'
import type { ModelAnswer } from '../../../models/model.ts'
import type { PlannerContext, ReplanAnswer, ReplanRequest } from '../planner.ts'
import { askStanding, keepBecause } from '../standsCheck.ts'
import { amendmentSchema, scopeOf } from './answerSchema.ts'
import { criticise } from './critics.ts'
import { judgeOperations, worldOf, type World } from './objections.ts'
import { replanQuestion } from './question.ts'
import { readAnswer, unusable, type Reading } from './readAnswer.ts'
import type { ModelPlannerSettings } from './settings.ts'
import { Talk, unsoundWith } from './talk.ts'

export interface AmendmentAsked {
  readonly settings: ModelPlannerSettings
  readonly key: object
  readonly request: ReplanRequest
  readonly context: PlannerContext
}

export async function amend(asked: AmendmentAsked): Promise<ReplanAnswer> {
  const { settings, request, context } = asked
  const question = replanQuestion(request)
  const talk = new Talk({ ...asked, question })
  if (settings.check !== undefined && request.findings.length === 0) {
    const standing = await askStanding(settings.check, request, context)
    if (standing.usage) talk.spend(standing.usage)
    if (standing.stands) return { keep: keepBecause(standing), ...talk.told }
  }
  const shown = await talk.tools()
  if ('finding' in shown) return unsoundWith([shown.finding], talk)
  const world = worldOf(request)
  const scope = scopeOf(shown.tools, request)
  for (;;) {
    const format = { name: 'amendment', schema: amendmentSchema(scope, question.isShortened) }
    const answer = await talk.answer(shown.tools, format)
    const reading = readAnswer(answer, { kinds: ['giveUp', 'keep', 'ask', 'patch'], tools: world.tools })
    switch (reading.type) {
      case 'giveUp':
        return { giveUp: reading.giveUp, ...talk.told }
      case 'keep':
        return { keep: reading.keep, ...talk.told }
      case 'patch':
        return judged(reading, { asked, talk, world, answer })
      case 'ask':
        if (!talk.mayAsk) return refused(unusable('It asks again, and may not ask any more.', answerHint), talk, answer)
        talk.tell(answer, reading.ask)
        break
      case 'unreadable':
        return refused(reading.finding, talk, answer)
      case 'plan':
        return refused(unusable('It is a plan, and an amendment is wanted.', answerHint), talk, answer)
    }
  }
}

const answerHint = 'Answer with "patch", "keep" or "giveUp", by what is known.'

function refused(finding: Finding, talk: Talk, answer: ModelAnswer): ReplanAnswer {
  talk.remember(answer)
  return unsoundWith([finding], talk)
}

interface Judging {
  readonly asked: AmendmentAsked
  readonly talk: Talk
  readonly world: World
  readonly answer: ModelAnswer
}

/** Judges what models get wrong, and has critics judge the plan that comes of it. What the runtime finds it says itself. */
async function judged(
  { patch, because }: Extract<Reading, { type: 'patch' }>,
  { asked, talk, world, answer }: Judging,
): Promise<ReplanAnswer> {
  const { settings, request, context } = asked
  const parsed = operationSchema.array().safeParse(patch)
  const steps = parsed.success ? parsed.data.flatMap((operation) => ('step' in operation ? operation.step : [])) : []
  talk.remember(answer, steps)
  const proposal = { patch: patch as readonly Operation[], ...(because !== undefined && { because }) }
  if (!parsed.success) return { ...proposal, ...talk.told }
  const findings: Finding[] = judgeOperations(parsed.data, request.plan, world)
  const next = settings.critics.length > 0 ? planAfter(request.plan, parsed.data, world) : undefined
  if (next !== undefined) {
    const criticism = await criticise(settings.critics, next, request, context)
    for (const usage of criticism.usages) talk.spend(usage)
    findings.push(...criticism.findings)
  }
  return findings.length > 0 ? unsoundWith(findings, talk) : { ...proposal, ...talk.told }
}

/** What comes of the plan, where that could run. */
function planAfter(plan: Plan, operations: readonly Operation[], { options }: World): Plan | undefined {
  try {
    const patch = { base: plan.revision, by: plan.by, because: plan.because, operations: [...operations] }
    return validatePlan(applyPatch(plan, patch), options).plan
  } catch (error) {
    if (error instanceof PatchRefusedError) return undefined
    throw error
  }
}
