// Shape: fields, types, ids, and how large a plan may be; and as much of the plan as can be read in spite of what is wrong.
import { z } from 'zod'
import type { Finding } from '../finding.ts'
import { deepFreeze } from '../freeze.ts'
import { isJsonObject, type Json, type JsonObject } from '../json.ts'
import { formatPointer } from '../pointer.ts'
import { assumptionSchema, goalSchema, planLimits, planSchema, stepSchema, type Plan } from '../schema.ts'
import { findingsOf, unknownKey } from './issues.ts'
import { meantBy, readKeys } from './keys.ts'
import {
  everythingUnread,
  nothingUnread,
  planView,
  unreadId,
  type PlacedAssumption,
  type PlacedStep,
  type PlanView,
} from './planView.ts'
import { readParts } from './readParts.ts'
import { problem, type Place } from './report.ts'
import { salvageAssumption, salvageGoal, salvageStep } from './salvage.ts'
import { judgeIds } from './stepIds.ts'
import { Written } from './written.ts'

export interface ShapeCheck {
  /** The plan with its defaults filled in, frozen; `undefined` when its shape is wrong. */
  readonly plan: Plan | undefined
  /** As much of it as could be read. */
  readonly view: PlanView
  readonly findings: readonly Finding[]
  /** Where things stand that were read under another name. */
  readonly written: Written
}

const headSchema = planSchema.extend({ steps: z.array(z.unknown()) })
const planFields = Object.keys(planSchema.shape)
const stepFields = Object.keys(stepSchema.shape)

export function checkShape(value: unknown, mostSteps: number = planLimits.steps): ShapeCheck {
  const given = isRecord(value) ? value['steps'] : undefined
  if (Array.isArray(given) && given.length > mostSteps) return refuse(tooManySteps(given.length, mostSteps))
  const read = readParts(value)
  if ('refused' in read) return refuse(read.refused)
  if (!isJsonObject(read.value)) {
    const hint = 'Write it as in {"id": "price-report", "goal": {"text": "…"}, "steps": […]}.'
    return refuse(problem('PLAN_SHAPE', [], undefined, 'A plan is an object.', hint))
  }
  const keys = readKeys(read.value, planFields, fitsPlan)
  const steps = keys.value['steps']
  if (Array.isArray(steps) && steps.length > mostSteps) return refuse(tooManySteps(steps.length, mostSteps))
  const reading = new Reading(keys.value, read.lost)
  reading.findings.push(...read.findings)
  for (const [meant, key] of keys.written) reading.misspelt([], meant, key)
  return reading.check()
}

function refuse(finding: Finding): ShapeCheck {
  const view = planView({
    goal: undefined,
    steps: [],
    assumptions: [],
    unread: new Set(planFields),
    ids: nothingUnread,
    guessedIds: nothingUnread,
    doubledIds: nothingUnread,
    isAnyId: true,
  })
  return { plan: undefined, view, findings: [finding], written: new Written() }
}

function tooManySteps(count: number, most: number): Finding {
  const hint = 'Split the work into sub-goals, go over a list with "forEach", or raise the limit.'
  return problem('PLAN_TOO_LARGE', ['steps'], undefined, `The plan has ${count} steps, and ${most} are allowed.`, hint)
}

class Reading {
  readonly findings: Finding[] = []
  readonly #written = new Written()
  readonly #issues: z.core.$ZodIssue[] = []
  /** The plan, with fields under the names that were meant. */
  readonly #plan: JsonObject
  /** Its steps; those with misspelt fields are replaced as they are read. */
  readonly #steps: Json[] | undefined
  readonly #lost: ReadonlySet<string>
  #isWhole = true

  constructor(plan: JsonObject, lost: ReadonlySet<string>) {
    const { steps } = plan
    this.#steps = Array.isArray(steps) ? [...(steps as readonly Json[])] : undefined
    this.#plan = this.#steps === undefined ? plan : { ...plan, steps: this.#steps }
    this.#lost = lost
  }

  misspelt(place: Place, meant: string, key: string): void {
    this.findings.push(unknownKey(this.#plan, place, key, meant))
    this.#written.add([...place, meant], [...place, key])
  }

  check(): ShapeCheck {
    const isListed = this.#steps !== undefined
    const steps = (this.#steps ?? []).map((step, index) => this.#readStep(step, index))
    const head = headSchema.safeParse(this.#plan)
    if (!head.success) this.#issues.push(...head.error.issues)
    const goal = goalSchema.safeParse(this.#plan['goal'])
    const salvaged = goal.success ? { part: goal.data, unread: nothingUnread } : salvageGoal(this.#plan['goal'])
    const assumptions = this.#readAssumptions()
    const ids = judgeIds(steps, assumptions ?? [], isListed)
    this.findings.push(...ids.findings)
    this.findings.push(...findingsOf(this.#issues, { plan: this.#plan, lost: this.#lost, guessedIds: ids.guessedIds }))
    const view = planView({
      goal: salvaged.part,
      steps: ids.steps,
      assumptions: assumptions ?? [],
      unread: new Set([
        ...planFields.filter((field) => this.#lost.has(formatPointer([field]))),
        ...misnamedIn(this.#plan, planFields),
        ...(salvaged.unread.has('want') ? ['goal'] : []),
        ...(assumptions === undefined ? ['assumptions'] : []),
      ]),
      ids: ids.ids,
      guessedIds: ids.guessedIds,
      doubledIds: ids.doubledIds,
      isAnyId: !isListed,
    })
    const isWhole = head.success && this.#isWhole && this.findings.length === 0
    const plan = isWhole ? { ...head.data, steps: ids.steps.map(({ step }) => step) } : undefined
    return { plan, view, findings: this.findings, written: this.#written }
  }

  #readStep(value: Json, index: number): PlacedStep {
    const place = ['steps', index]
    const whole = stepSchema.safeParse(value)
    if (whole.success && !this.#hasLost(place))
      return { step: deepFreeze(whole.data), index, unread: nothingUnread, misnamed: nothingUnread }
    this.#isWhole = false
    if (!isJsonObject(value)) {
      if (!this.#lost.has(formatPointer(place))) this.#note(whole.error?.issues ?? [], place)
      return { step: deepFreeze({ id: unreadId }), index, unread: everythingUnread, misnamed: nothingUnread }
    }
    const keys = readKeys(value, stepFields, fitsStep)
    if (this.#steps !== undefined) this.#steps[index] = keys.value
    for (const [meant, key] of keys.written) this.misspelt(place, meant, key)
    this.#note(stepSchema.safeParse(keys.value).error?.issues ?? [], place)
    const { part, unread } = salvageStep(keys.value)
    const misnamed = misnamedIn(keys.value, stepFields)
    const lost = stepFields.filter((field) => this.#lost.has(formatPointer([...place, field])))
    return { step: deepFreeze(part), index, unread: new Set([...unread, ...misnamed, ...lost]), misnamed }
  }

  #readAssumptions(): PlacedAssumption[] | undefined {
    const given = this.#plan['assumptions'] ?? []
    if (!Array.isArray(given)) return undefined
    return (given as readonly Json[]).map((value, index) => {
      const whole = assumptionSchema.safeParse(value)
      if (whole.success) return { assumption: whole.data, index, unread: nothingUnread }
      const { part, unread } = salvageAssumption(isJsonObject(value) ? value : {})
      return { assumption: part, index, unread: new Set(part.fact === '' ? [...unread, 'fact'] : unread) }
    })
  }

  #note(issues: readonly z.core.$ZodIssue[], place: Place): void {
    for (const issue of issues) this.#issues.push({ ...issue, path: [...place, ...issue.path] })
  }

  #hasLost(place: Place): boolean {
    if (this.#lost.size === 0) return false
    return [place, ...stepFields.map((field) => [...place, field])].some((at) => this.#lost.has(formatPointer(at)))
  }
}

/** Fields that are only there under names which resemble theirs, with values that do not fit. */
function misnamedIn(value: JsonObject, fields: readonly string[]): ReadonlySet<string> {
  const odd = Object.keys(value).filter((key) => !fields.includes(key))
  return new Set(odd.flatMap((key) => meantBy(key, fields, value) ?? []))
}

function fitsPlan(field: string, value: Json): boolean {
  if (field === 'steps') return Array.isArray(value)
  if (field === 'goal') return isJsonObject(value)
  return fits(planSchema.shape, field, value)
}

function fitsStep(field: string, value: Json): boolean {
  return fits(stepSchema.shape, field, value)
}

function fits(shape: Readonly<Record<string, z.ZodType>>, field: string, value: Json): boolean {
  return shape[field]?.safeParse(value).success === true
}

function isRecord(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null
}
