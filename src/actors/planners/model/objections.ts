// What a model's plan is judged by, before it goes on: the validator, what models in particular get wrong, and the critics.
//
// O1. All that can be said is said at once: each further round costs a call. Critics judge only what could run.
import { dependenciesOf } from '../../../plan/references.ts'
import type { Finding } from '../../../plan/finding.ts'
import { isJsonObject, type Json, type JsonObject } from '../../../plan/json.ts'
import { escapePart } from '../../../plan/pointer.ts'
import { stepSchema, type Goal, type Operation, type Plan, type Step } from '../../../plan/schema.ts'
import type { ToolCatalogue } from '../../../plan/toolDescription.ts'
import { validatePlan, type ValidateOptions } from '../../../plan/validate.ts'
import type { PlanRequest } from '../planner.ts'
import { isClosable } from './inputSchema.ts'
import { unreadTexts } from './jsonText.ts'
import { hasTemplates, textReferences } from './textReferences.ts'

/** What a plan is checked against. Made once for each question. */
export interface World {
  readonly goal: Goal
  readonly tools: ToolCatalogue
  readonly options: ValidateOptions
  readonly request: PlanRequest
}

export function worldOf(request: PlanRequest): World {
  const { goal, executors, limits } = request
  const tools = new Map(request.tools.map((tool) => [tool.name, tool]))
  return {
    goal,
    tools,
    request,
    options: { tools, ...(executors && { executors }), limits: { steps: limits.steps } },
  }
}

/** Checks a whole plan. */
export function judgeSteps(
  steps: readonly Json[],
  rest: JsonObject,
  world: World,
): { readonly plan: Plan | undefined; readonly findings: readonly Finding[] } {
  const { goal, options } = world
  const { plan, findings } = validatePlan({ id: 'draft', goal, ...rest, steps }, options)
  const errors = findings.filter(({ severity, code }) => severity === 'error' && code !== 'TEMPLATE_IN_TEXT')
  const ids = idsOf(steps)
  const own = steps.flatMap((step, index) => {
    const read = stepSchema.safeParse(step).data
    return read === undefined ? [] : slipsOf(read, ids, `/steps/${String(index)}`, world)
  })
  const all = [...errors, ...own, ...emptiness(steps, world)]
  return all.length > 0 ? { plan: undefined, findings: all } : { plan, findings: [] }
}

/** What models get wrong in the steps that an amendment brings in. */
export function judgeOperations(operations: readonly Operation[], plan: Plan, world: World): Finding[] {
  const brought = operations.flatMap((operation) => ('step' in operation ? [operation.step.id] : []))
  const ids = new Set([...plan.steps.map(({ id }) => id), ...brought])
  return operations.flatMap((operation, index) => {
    if (operation.op === 'regoal')
      return [objection('The goal is not yours to change.', `/patch/${String(index)}`, 'Plan for the goal as it is.')]
    if (!('step' in operation)) return []
    return slipsOf(operation.step, ids, `/patch/${String(index)}/step`, world)
  })
}

/** How many of the next steps of a plan that is still being written may go ahead: up to the first that is not sound by itself, beside
 * those that it depends on, all of which came before it.
 *
 * @param before steps that have gone ahead already; those that may are added.
 */
export function mayGoAhead(next: readonly Step[], before: Map<string, Step>, world: World): number {
  const needed = new Map<string, Step>()
  let count = 0
  for (const step of next) {
    if (before.has(step.id) || hasTemplates(step) || slipsOf(step, noIds, '', world).length > 0) break
    const needs = dependenciesOf(step).map((id) => before.get(id))
    if (needs.includes(undefined)) break
    for (const one of needs) if (one !== undefined) needed.set(one.id, one)
    needed.set(step.id, step)
    before.set(step.id, step)
    count += 1
  }
  const sound = count === 0 ? 0 : countSound(next.slice(0, count), needed, world)
  for (const { id } of next.slice(sound, count)) before.delete(id)
  return sound
}

/** Checks steps beside those they depend on, all at once. */
function countSound(next: readonly Step[], needed: ReadonlyMap<string, Step>, { goal, options }: World): number {
  const { findings } = validatePlan({ id: 'draft', goal, steps: [...needed.values()] }, options)
  const errors = findings.filter(({ severity }) => severity === 'error')
  if (errors.length === 0) return next.length
  if (errors.some(({ stepId }) => stepId === undefined)) return 0
  const bad = new Set(errors.map(({ stepId }) => stepId))
  const first = next.findIndex(({ id }) => bad.has(id))
  return first === -1 ? next.length : first
}

const noIds: ReadonlySet<string> = new Set()

function slipsOf(step: Step, ids: ReadonlySet<string>, place: string, { goal, tools }: World): Finding[] {
  const findings = [
    ...textReferences(step, ids, place),
    ...unknownArguments(step, tools, place),
    ...brokenTexts(step, place),
  ]
  if (handsOn(step, goal)) {
    const message = `Step "${step.id}" hands the whole goal on as it is, which plans nothing.`
    findings.push(
      objection(message, `${place}/instruction`, 'Take the goal apart into steps that each do one thing.', step.id),
    )
  }
  return findings
}

/** Arguments that a tool does not know and lets pass: it would do without them, and nobody would see. */
function unknownArguments({ id, tool, input = {} }: Step, tools: ToolCatalogue, place: string): Finding[] {
  const schema = tool === undefined ? undefined : tools.get(tool)?.input
  if (!isJsonObject(schema) || !isClosable(schema) || !isJsonObject(schema.properties)) return []
  const names = Object.keys(schema.properties)
  return Object.keys(input).flatMap((name) => {
    if (names.includes(name)) return []
    const message = `Step "${id}" has an input "${name}", which tool "${tool ?? ''}" does not know.`
    const hint = `Take it out. It knows: ${names.slice(0, 20).join(', ') || 'nothing'}.`
    const path = `${place}/input/${escapePart(name)}`
    return { code: 'INPUT_UNKNOWN', severity: 'error', path, stepId: id, message, hint }
  })
}

/** Values that were to be JSON in a text, and are none. */
function brokenTexts({ id, input = {} }: Step, place: string): Finding[] {
  return unreadTexts(input).map((path) => ({
    code: 'INPUT_INVALID',
    severity: 'error',
    path: `${place}/input${path}`,
    stepId: id,
    message: `Step "${id}" has a "$json" whose text is no JSON.`,
    hint: 'Write the value as JSON, whole, and in that text escaped; or the value itself.',
  }))
}

/** One giant step: somebody else is told the goal in the same words. */
function handsOn({ instruction, goal: subGoal }: Step, goal: Goal): boolean {
  const told = instruction ?? subGoal?.text
  return told !== undefined && plain(told) === plain(goal.text)
}

function plain(text: string): string {
  return text
    .toLowerCase()
    .replace(/[^\p{L}\p{N}]+/gu, ' ')
    .trim()
}

function emptiness(steps: readonly Json[], { goal, request }: World): Finding[] {
  if (steps.length > 0) return []
  const known = new Set(request.facts.map(({ key }) => key))
  const isReached = goal.want !== undefined && goal.want.length > 0 && goal.want.every(({ fact }) => known.has(fact))
  if (isReached) return []
  return [
    objection(
      'The plan has no steps.',
      '/steps',
      'Plan what reaches the goal or, where nothing can, answer with "giveUp".',
    ),
  ]
}

function idsOf(steps: readonly Json[]): ReadonlySet<string> {
  return new Set(
    steps.flatMap((step) => {
      const id = idOf(step)
      return typeof id === 'string' ? [id] : []
    }),
  )
}

export function idOf(step: Json): Json | undefined {
  return isJsonObject(step) ? step.id : undefined
}

export function objection(message: string, path = '', hint = 'Plan it otherwise.', stepId?: string): Finding {
  return { code: 'PLAN_OBJECTION', severity: 'error', path, ...(stepId !== undefined && { stepId }), message, hint }
}
