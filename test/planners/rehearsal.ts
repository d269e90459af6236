// A run without a runtime: keeps plan, ledger and facts by the coordinator's rules, so that a planner can be watched at
// every trouble. Each round ends one step; what the planner answers must be valid, and must fit the plan as it stands.
import { expect } from 'vitest'
import type { FactReport, PlanSituation, StepStatus, Trouble } from '../../src/machines/reports.messages.ts'
import type { RunLimits } from '../../src/machines/settings.messages.ts'
import type { PlanDraft, Planner, PlannerContext, ReplanAnswer } from '../../src/actors/planners/planner.ts'
import { expandForEach } from '../../src/plan/expand.ts'
import type { Json, JsonObject } from '../../src/plan/json.ts'
import { checkSchema } from '../../src/plan/jsonSchemaCheck.ts'
import { applyPatch } from '../../src/plan/patch.ts'
import { getPointer } from '../../src/plan/pointer.ts'
import { dependenciesOf, resolveReferences } from '../../src/plan/references.ts'
import { planSchema, type Goal, type Operation, type Plan, type Step } from '../../src/plan/schema.ts'
import type { ToolDescription } from '../../src/plan/toolDescription.ts'
import { validatePlan } from '../../src/plan/validate.ts'

export type Behaviour = (input: JsonObject, step: Step) => Json
export class ToolFailure extends Error {}

export interface Rehearsal {
  readonly plan: Plan
  readonly status: (id: string) => StepStatus | undefined
  readonly outputs: ReadonlyMap<string, Json>
  readonly facts: ReadonlyMap<string, FactReport>
  readonly answers: readonly ReplanAnswer[]
  readonly patches: readonly (readonly Operation[])[]
  readonly gaveUp: string | undefined
  /** Ids in the order in which they were carried out. */
  readonly order: readonly string[]
}

export interface RehearsalOptions {
  readonly planner: Planner
  readonly tools: readonly ToolDescription[]
  readonly goal: Goal
  readonly behaviours: Readonly<Record<string, Behaviour>>
  /** Which of the ready steps goes next; the first by default. */
  readonly pick?: (ready: readonly string[]) => string | undefined
}

const context: PlannerContext = { signal: new AbortController().signal, now: () => 0 }
const limits = {} as RunLimits

export async function firstPlan(
  planner: Planner,
  tools: readonly ToolDescription[],
  goal: Goal,
): Promise<PlanDraft | { readonly giveUp: string }> {
  return (await planner.plan({ goal, tools, facts: [], limits, findings: [] }, context)) as
    PlanDraft | { readonly giveUp: string }
}

export function toPlan(draft: PlanDraft, goal: Goal): Plan {
  return planSchema.parse({
    id: 'p',
    goal,
    by: { planner: 'goal' },
    steps: draft.steps,
    assumptions: draft.assumptions ?? [],
  })
}

export function expectValid(plan: Plan, tools: readonly ToolDescription[]): void {
  const { findings } = validatePlan(plan, {
    tools: new Map(tools.map((tool) => [tool.name, tool])),
    executors: ['tool'],
  })
  expect(findings.filter(({ severity }) => severity === 'error')).toEqual([])
}

export async function rehearse(options: RehearsalOptions): Promise<Rehearsal> {
  const draft = await firstPlan(options.planner, options.tools, options.goal)
  if ('giveUp' in draft) throw new Error(draft.giveUp)
  const run = new Run(toPlan(draft, options.goal), options)
  expectValid(run.plan, options.tools)
  while (run.gaveUp === undefined && (await run.advance()));
  return run
}

class Run implements Rehearsal {
  plan: Plan
  readonly outputs = new Map<string, Json>()
  readonly facts = new Map<string, FactReport>()
  readonly answers: ReplanAnswer[] = []
  readonly patches: (readonly Operation[])[] = []
  readonly order: string[] = []
  gaveUp: string | undefined
  readonly #options: RehearsalOptions
  readonly #ended = new Map<string, 'succeeded' | 'failed' | 'skipped' | 'abandoned'>()
  readonly #undecided = new Set<string>()
  readonly #broken = new Set<string>()
  #troubles: Trouble[] = []

  constructor(plan: Plan, options: RehearsalOptions) {
    this.plan = plan
    this.#options = options
    for (const [key, value] of Object.entries(plan.goal.facts ?? {}))
      this.facts.set(key, { key, value, by: 'goal', at: 0 })
  }

  status(id: string): StepStatus | undefined {
    const step = this.plan.steps.find((one) => one.id === id)
    if (step === undefined) return undefined
    const ended = this.#ended.get(id)
    if (ended) return ended
    if (this.plan.assumptions.some((one) => this.#broken.has(one.id) && one.steps.includes(id))) return 'held'
    return this.#isMet(step) ? 'ready' : 'waiting'
  }

  /** @returns false when nothing more can happen. */
  async advance(): Promise<boolean> {
    this.#settle()
    if (this.#troubles.length > 0) {
      await this.#replan()
      return true
    }
    const ready = this.plan.steps.filter((step) => this.status(step.id) === 'ready' && step.forEach === undefined)
    const id = this.#options.pick?.(ready.map((step) => step.id)) ?? ready[0]?.id
    const step = ready.find((one) => one.id === id)
    if (step) this.#execute(step)
    return step !== undefined
  }

  #settle(): void {
    for (let goesOn = true; goesOn;) {
      goesOn = false
      for (const step of this.plan.steps) {
        if (this.#ended.has(step.id)) continue
        if (step.abandoned !== undefined) {
          this.#ended.set(step.id, 'abandoned')
          goesOn = true
          continue
        }
        const lost = dependenciesOf(step).some((id) => {
          const ended = this.#ended.get(id)
          return ended !== undefined && ended !== 'succeeded' && !this.#undecided.has(id)
        })
        if (lost && step.onSkipped !== 'run') {
          this.#ended.set(step.id, 'skipped')
          goesOn = true
        } else if (this.status(step.id) === 'ready' && step.expanded !== undefined) {
          const outputs = Array.from(
            { length: step.expanded },
            (_, index) => this.outputs.get(`${step.id}[${String(index)}]`) ?? null,
          )
          this.#succeed(step, outputs, {})
          goesOn = true
        } else if (this.status(step.id) === 'ready' && step.forEach) {
          const items = getPointer(this.outputs.get(step.forEach.$from) ?? null, step.forEach.path)
          const operations = expandForEach(this.plan, step.id, (items as Json[]).length)
          this.#adopt(operations)
          this.#troubles.push({
            type: 'expanded',
            text: `${step.id} has ${String((items as Json[]).length)} items`,
            stepId: step.id,
          })
          goesOn = true
          break
        }
      }
    }
  }

  #isMet(step: Step): boolean {
    return dependenciesOf(step).every((id) => {
      const ended = this.#ended.get(id)
      return ended === 'succeeded' || (ended !== undefined && step.onSkipped === 'run' && !this.#undecided.has(id))
    })
  }

  #execute(step: Step): void {
    this.order.push(step.id)
    const resolved = resolveReferences(step.input ?? {}, ({ $from, path }) =>
      getPointer(this.outputs.get($from) ?? null, path),
    )
    if ('missing' in resolved) throw new Error(`${step.id}: nothing at ${JSON.stringify(resolved.missing)}`)
    const behaviour = this.#options.behaviours[step.tool ?? '']
    if (behaviour === undefined) throw new Error(`no behaviour for ${step.tool ?? ''}`)
    try {
      const output = behaviour(resolved.value, step)
      const problems = step.expect === undefined ? [] : checkSchema(step.expect, output)
      if (problems.length > 0) this.#fail(step, 'surprised', problems.map(({ message }) => message).join('; '))
      else this.#succeed(step, output, this.#options.tools.find(({ name }) => name === step.tool)?.gives ?? {})
    } catch (error) {
      if (!(error instanceof ToolFailure)) throw error
      this.#fail(step, 'failed', error.message)
    }
  }

  #fail(step: Step, type: 'failed' | 'surprised', message: string): void {
    this.#ended.set(step.id, 'failed')
    this.#undecided.add(step.id)
    this.#troubles.push({
      type,
      text: `${step.id}: ${message}`,
      stepId: step.id,
      ...(step.tool !== undefined && { tool: step.tool }),
    })
  }

  #succeed(step: Step, output: Json, gives: ToolDescription['gives']): void {
    this.#ended.set(step.id, 'succeeded')
    this.outputs.set(step.id, output)
    for (const [fact, gift] of Object.entries(gives)) {
      const value = getPointer(output, gift.from)
      if (value === undefined) continue
      const given: [string, Json][] = gift.each
        ? (value as Json[]).map((one, index) => [`${fact}[${String(index)}]`, one])
        : [[step.item === undefined ? fact : `${fact}[${step.item}]`, value]]
      for (const [key, one] of given) this.facts.set(key, { key, value: one, by: step.id, at: 0 })
    }
    this.#checkAssumptions()
  }

  #checkAssumptions(): void {
    for (const assumption of this.plan.assumptions) {
      const fact = this.facts.get(assumption.fact)
      if (fact === undefined || this.#broken.has(assumption.id) || checkSchema(assumption.is, fact.value).length === 0)
        continue
      this.#broken.add(assumption.id)
      this.#troubles.push({ type: 'assumption_broken', text: `${assumption.statement} does not hold`, assumption })
    }
  }

  async #replan(): Promise<void> {
    const troubles = this.#troubles
    this.#troubles = []
    const { planner, tools } = this.#options
    const request = {
      goal: this.plan.goal,
      tools,
      facts: [],
      limits,
      findings: [],
      plan: this.plan,
      situation: this.#situation(),
      troubles,
    }
    if (planner.replan === undefined) throw new Error('the planner does not replan')
    const answer = await planner.replan(request, context)
    expect(await planner.replan(request, context)).toEqual(answer)
    this.answers.push(answer)
    if ('giveUp' in answer) {
      this.gaveUp = answer.giveUp
      return
    }
    if ('patch' in answer) {
      for (const operation of answer.patch) this.#expectUntouched(operation)
      this.#adopt(answer.patch)
      this.patches.push(answer.patch)
      expectValid(this.plan, tools)
    } else for (const { assumption } of troubles) if (assumption) this.#broken.delete(assumption.id)
    this.#undecided.clear()
    this.#checkAssumptions()
  }

  #expectUntouched(operation: Operation): void {
    const ids =
      operation.op === 'reorder'
        ? operation.ids
        : operation.op === 'insert' || !('id' in operation)
          ? []
          : [operation.id]
    if (operation.op === 'abandon' || operation.op === 'unassume') return
    for (const id of ids) expect([operation, this.#ended.get(id)]).not.toEqual([operation, 'succeeded'])
  }

  #adopt(operations: readonly Operation[]): void {
    const patch = {
      base: this.plan.revision,
      by: { planner: 'goal' },
      because: { type: 'trouble' as const, text: '' },
      operations: [...operations],
    }
    this.plan = applyPatch(this.plan, patch)
    for (const operation of operations) {
      if (operation.op === 'replace' && this.#ended.get(operation.id) !== 'succeeded') this.#ended.delete(operation.id)
      if (operation.op === 'unassume') this.#broken.delete(operation.id)
    }
  }

  #situation(): PlanSituation {
    return {
      plan: this.plan,
      step: (id) => {
        const status = this.status(id)
        return status && { status, attempt: 0 }
      },
      output: (id) => this.outputs.get(id),
      fact: (key) => this.facts.get(key),
      facts: () => this.facts.values(),
    }
  }
}
