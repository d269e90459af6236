// What a planner answered, checked: it becomes a message for the coordinator, or findings to think again about.
//
// K1. An answer is taken over as JSON before anything else looks at it, and its shape comes before its sense.
// K2. A patch is sound when what it makes of the plan is, and when it leaves alone what has succeeded or is running.
// K3. A step that was streamed may be out already: a later answer to the same request holds it unchanged.
import type { Map as PersistentMap } from 'immutable'
import { answerCodes, findingCodes, type Finding } from '../plan/finding.ts'
import { deepFreeze } from '../plan/freeze.ts'
import { stepHash } from '../plan/hash.ts'
import { isJsonObject, type Json, type JsonObject } from '../plan/json.ts'
import { dependenciesOf } from '../plan/references.ts'
import { patchSchema, planLimits, stepSchema, type Because, type Patch, type Plan, type Step } from '../plan/schema.ts'
import type { ToolCatalogue } from '../plan/toolDescription.ts'
import type { ValidateOptions } from '../plan/validate.ts'
import type { Draft, PlanGivenUp, PlanKept, PlanPatchProposed, PlanProposed } from './coordinator.messages.ts'
import type { PlanSituation, Trouble, Usage } from './reports.messages.ts'
import { alteredBy } from './decisions/operations.ts'
import type { PlannerRequest } from './planner.messages.ts'
import { shapeFinding, shapeFindings, takeOver, validate, validatePatch } from './planner.soundness.ts'

export type SoundReply = Draft<PlanProposed | PlanPatchProposed | PlanKept | PlanGivenUp>

/** What the check must know besides request and answer. */
export interface CheckSettings {
  readonly planner: string
  readonly planId: string
  readonly tools: ToolCatalogue
  readonly executors: readonly string[]
}

export interface CheckedAgainst {
  readonly request: PlannerRequest
  readonly settings: CheckSettings
  readonly streamed: PersistentMap<string, Step>
}

type Verdict =
  | { readonly status: 'sound'; readonly reply: SoundReply }
  | { readonly status: 'unsound'; readonly findings: readonly Finding[] }

export type CheckedAnswer = Verdict & { readonly usage?: Usage | undefined; readonly model?: string | undefined }

/** Checks a whole answer. */
export function checkAnswer(answer: unknown, against: CheckedAgainst): CheckedAnswer {
  const json = takeOver(answer)
  if ('finding' in json) return unsound([json.finding])
  if (!isJsonObject(json.value)) return unsound([shapeFinding('The answer is not an object.')])
  const { usage, model } = json.value
  return {
    ...judge(json.value, against),
    usage: usageOf(usage),
    ...(typeof model === 'string' && { model }),
  }
}

/** Checks one step of a plan that is still being written: by itself, and beside those it depends on that came before it.
 * Dependencies that have not come yet are judged when the plan is whole.
 * @returns nothing when it may not go on. */
export function checkStreamedStep(given: unknown, against: CheckedAgainst): Step | undefined {
  const { request, settings, streamed } = against
  const json = takeOver(given)
  if ('finding' in json) return undefined
  const parsed = stepSchema.safeParse(json.value)
  if (!parsed.success || streamed.has(parsed.data.id)) return undefined
  const step = deepFreeze(parsed.data)
  const before = [...dependenciesOf(step)].flatMap((id) => streamed.get(id) ?? [])
  const { errors } = validate({ id: settings.planId, goal: request.goal, steps: [...before, step] }, worldOf(against))
  return errors.some(({ stepId, code }) => stepId === step.id && code !== 'STEP_UNKNOWN') ? undefined : step
}

function judge(answer: JsonObject, against: CheckedAgainst): Verdict {
  const { requestId, situation } = against.request
  const { giveUp, keep, steps, patch } = answer
  if (answer.unsound !== undefined) return unsound(ownFindings(answer.unsound))
  if (typeof giveUp === 'string') return sound({ type: 'plan.givenUp', requestId, because: giveUp })
  if (situation === undefined) {
    if (steps !== undefined) return judgePlan(answer, against)
    return unsound([shapeFinding('The answer has neither "steps" nor "giveUp".')])
  }
  if (typeof keep === 'string') return sound({ type: 'plan.kept', requestId, because: keep })
  if (patch !== undefined) return judgePatch(answer, situation, against)
  return unsound([shapeFinding('The answer has none of "patch", "keep" and "giveUp".')])
}

function judgePlan(answer: JsonObject, against: CheckedAgainst): Verdict {
  const { request, settings, streamed } = against
  const { steps, assumptions } = answer
  const draft = {
    id: settings.planId,
    goal: request.goal,
    revision: 1,
    parent: null,
    by: authorOf(answer, settings),
    because: { type: 'first', text: 'first plan' },
    steps,
    ...(assumptions !== undefined && { assumptions }),
  }
  const validated = validate(draft, worldOf(against))
  if (!('plan' in validated)) return unsound(validated.errors)
  const { plan } = validated
  const changed = changedSinceStreamed(plan, streamed)
  return changed.length > 0 ? unsound(changed) : sound({ type: 'plan.proposed', requestId: request.requestId, plan })
}

function judgePatch(answer: JsonObject, situation: PlanSituation, against: CheckedAgainst): Verdict {
  const { request, settings } = against
  const { plan } = situation
  const parsed = patchSchema.safeParse({
    base: plan.revision,
    by: authorOf(answer, settings),
    because: becauseOf(request.troubles, answer.because),
    operations: answer.patch,
  })
  if (!parsed.success) return unsound(shapeFindings(parsed.error))
  const patch = deepFreeze(parsed.data)
  const touched = touchedFindings(patch, situation)
  const findings = touched.length > 0 ? touched : validatePatch(plan, patch, worldOf(against))
  return findings.length > 0
    ? unsound(findings)
    : sound({ type: 'plan.patchProposed', requestId: request.requestId, patch })
}

/** What the planner has itself against its answer. */
function ownFindings(given: Json): readonly Finding[] {
  const findings = Array.isArray(given) ? (given as readonly Json[]).flatMap((one) => readFinding(one) ?? []) : []
  return findings.length > 0
    ? findings
    : [shapeFinding('The planner says that its answer is not sound, and does not say why.')]
}

function readFinding(given: Json): Finding | undefined {
  if (!isJsonObject(given)) return undefined
  const { code, path, stepId, message, hint } = given
  const known = [...findingCodes, ...answerCodes].find((one) => one === code)
  if (known === undefined || typeof message !== 'string') return undefined
  return {
    code: known,
    severity: 'error',
    path: typeof path === 'string' ? path : '',
    ...(typeof stepId === 'string' && { stepId }),
    message,
    hint: typeof hint === 'string' ? hint : '',
  }
}

function authorOf({ model }: JsonObject, { planner }: CheckSettings): Plan['by'] {
  return { planner, ...(typeof model === 'string' && { model }) }
}

function worldOf({ request, settings }: CheckedAgainst): ValidateOptions {
  return { tools: settings.tools, executors: settings.executors, limits: { steps: request.limits.steps } }
}

function becauseOf(troubles: readonly Trouble[], because: Json | undefined): Because {
  const steps = troubles.flatMap(({ stepId }) => stepId ?? [])
  const isElaboration = troubles.length > 0 && troubles.every(({ type }) => type === 'expanded')
  return {
    type: isElaboration ? 'expanded' : 'trouble',
    text: (typeof because === 'string' ? because : troubles.map(({ text }) => text).join('; ')).slice(
      0,
      planLimits.textLength,
    ),
    ...(steps.length > 0 && { steps }),
  }
}

/** Operations on steps that are done or out (K2). */
function touchedFindings({ operations }: Patch, situation: PlanSituation): Finding[] {
  return operations.flatMap((operation, index) => {
    return alteredBy(operation).flatMap((stepId) => {
      const status = situation.step(stepId)?.status
      if (status !== 'succeeded' && status !== 'running') return []
      const what = status === 'succeeded' ? 'has succeeded' : 'is running'
      return refusal(
        `/operations/${String(index)}`,
        `Step "${stepId}" ${what}, and "${operation.op}" would change it.`,
        stepId,
      )
    })
  })
}

/** Steps that were passed on and are not in the plan any more, or not as they were (K3). */
function changedSinceStreamed(plan: Plan, streamed: PersistentMap<string, Step>): Finding[] {
  if (streamed.isEmpty()) return []
  const steps = new Map(plan.steps.map((step) => [step.id, step]))
  return [...streamed.values()].flatMap((step) => {
    const now = steps.get(step.id)
    if (now !== undefined && stepHash(now) === stepHash(step)) return []
    return refusal(
      '/steps',
      `Step "${step.id}" was proposed before and may have begun; now it is ${now === undefined ? 'missing' : 'another'}.`,
      step.id,
    )
  })
}

/** What the coordinator had against the last plan, as findings. */
export function refusedBefore(troubles: readonly Trouble[]): Finding[] {
  return troubles.flatMap(({ type, text }) => (type === 'patch_refused' ? [refusal('/steps', text)] : []))
}

function refusal(path: string, message: string, stepId?: string): Finding {
  return {
    code: 'PATCH_REFUSED',
    severity: 'error',
    path,
    ...(stepId !== undefined && { stepId }),
    message,
    hint: 'Leave it as it is; add other steps beside or behind it.',
  }
}

function sound(reply: SoundReply): Verdict {
  return { status: 'sound', reply }
}

function unsound(findings: readonly Finding[]): Verdict {
  return { status: 'unsound', findings }
}

function usageOf(given: Json | undefined): Usage | undefined {
  if (given === undefined || !isJsonObject(given)) return undefined
  const { tokens, cost } = given
  return { ...(isAmount(tokens) && { tokens }), ...(isAmount(cost) && { cost }) }
}

/** Nobody gets back what has been spent. */
function isAmount(value: Json | undefined): value is number {
  return typeof value === 'number' && Number.isFinite(value) && value >= 0
}
