// A plan under change: operations are applied one by one, and what they make is looked at as a whole in the end.
import { PlanloomError } from '../errors.ts'
import type { Finding, FindingCode } from './finding.ts'
import { branchIn, dependentsById, findCycle } from './graph.ts'
import { dependenciesOf, rewireStep } from './references.ts'
import type { Assumption, Goal, Operation, Plan, Step } from './schema.ts'
import { StepList } from './stepList.ts'

export class PatchWork {
  goal: Goal
  readonly #plan: Plan
  readonly #list: StepList<Step>
  readonly #findings: Finding[] = []
  readonly #assumptions: Map<string, Assumption>
  /** Steps that are new, or whose content is. */
  readonly #changed = new Set<string>()
  readonly #removed = new Set<string>()
  /** Made for the first `abandon`, and added to from then on; it may name steps that no longer depend. */
  #dependents: Map<string, string[]> | undefined

  constructor(plan: Plan) {
    this.#plan = plan
    this.goal = plan.goal
    this.#list = new StepList(plan.steps)
    this.#assumptions = new Map(plan.assumptions.map((assumption) => [assumption.id, assumption]))
  }

  steps(): Step[] {
    return [...this.#list]
  }

  assumptions(): Assumption[] {
    const all = [...this.#assumptions.values()]
    const { assumptions } = this.#plan
    return all.length === assumptions.length && all.every((one, index) => one === assumptions[index])
      ? assumptions
      : all
  }

  apply(operation: Operation, path: string): void {
    switch (operation.op) {
      case 'insert':
        return this.#insert(operation.step, operation.before, path)
      case 'remove':
        if (!this.#has(operation.id, `${path}/id`)) return
        this.#list.remove(operation.id)
        this.#changed.delete(operation.id)
        this.#removed.add(operation.id)
        return
      case 'replace':
        return this.#replace(operation.id, operation.step, path)
      case 'reorder':
        return this.#reorder(operation.ids, operation.before, path)
      case 'rewire':
        return this.#rewire(operation.id, operation.from, operation.to, path)
      case 'abandon':
        return this.#abandon(operation.id, operation.because, path)
      case 'assume':
        this.#assumptions.set(operation.assumption.id, operation.assumption)
        return
      case 'unassume':
        if (this.#assumptions.delete(operation.id)) return
        return this.#refuse(
          'ASSUMPTION_UNKNOWN',
          `${path}/id`,
          `There is no assumption "${operation.id}".`,
          'Name an assumption of the plan.',
        )
      case 'regoal':
        this.goal = operation.goal
    }
  }

  /** All that is wrong: with operations, and with the dependencies and assumptions that they have made. */
  check(): readonly Finding[] {
    if (this.#findings.length > 0) return this.#findings // one that was not applied would bring others in its wake
    const suspects = this.#removed.size > 0 ? [...this.#list].map(({ id }) => id) : this.#changed
    for (const id of suspects) this.#checkDependencies(id)
    if (this.#removed.size > 0) this.#checkAssumptions()
    const cycle = findCycle(this.#list, this.#changed)
    if (cycle) {
      this.#refuse(
        'PLAN_CYCLE',
        '/operations',
        `The steps would wait for each other: ${cycle.join(' → ')}.`,
        'Take one of these dependencies out.',
        cycle[0],
      )
    }
    return this.#findings
  }

  #insert(step: Step, before: string | undefined, path: string): void {
    if (this.#list.get(step.id) !== undefined) {
      this.#refuse(
        'STEP_DUPLICATE',
        `${path}/step/id`,
        `There is a step "${step.id}" already.`,
        'Choose another id, or use "replace".',
        step.id,
      )
    } else if (before === undefined || this.#has(before, `${path}/before`)) {
      this.#list.insert(step, before)
      this.#note(step)
    }
  }

  #replace(id: string, step: Step, path: string): void {
    if (step.id !== id) {
      const message = `"${id}" would be replaced by a step with another id, "${step.id}".`
      this.#refuse('PATCH_REFUSED', `${path}/step/id`, message, 'Keep the id, or use "remove" and "insert".', id)
    } else if (this.#has(id, `${path}/id`)) this.#set(step)
  }

  #reorder(ids: readonly string[], before: string | undefined, path: string): void {
    const moved = new Set(ids)
    if (moved.size < ids.length || (before !== undefined && moved.has(before))) {
      return this.#refuse(
        'PATCH_REFUSED',
        path,
        'A step cannot be moved to two places, nor before itself.',
        'Name each step once.',
      )
    }
    const isKnown = ids.map((id, index) => this.#has(id, `${path}/ids/${index}`)).every(Boolean)
    if (!isKnown || (before !== undefined && !this.#has(before, `${path}/before`))) return
    for (const id of ids) this.#list.move(id, before)
  }

  #rewire(id: string, from: string, to: string | null, path: string): void {
    const step = this.#list.get(id)
    if (step === undefined) {
      this.#has(id, `${path}/id`)
    } else if (!dependenciesOf(step).includes(from)) {
      this.#refuse(
        'PATCH_REFUSED',
        `${path}/from`,
        `"${id}" does not depend on "${from}".`,
        'Name a dependency that the step has.',
        id,
      )
    } else {
      try {
        this.#set(rewireStep(step, from, to))
      } catch (error) {
        if (!(error instanceof PlanloomError)) throw error
        this.#refuse('PATCH_REFUSED', path, error.message, error.hint ?? '', id)
      }
    }
  }

  #abandon(id: string, because: string, path: string): void {
    if (!this.#has(id, `${path}/id`)) return
    this.#dependents ??= dependentsById(this.#list)
    for (const member of branchIn(this.#list, this.#dependents, id)) {
      const step = this.#list.get(member)
      if (step !== undefined && step.abandoned === undefined) this.#list.set({ ...step, abandoned: because })
    }
  }

  #set(step: Step): void {
    this.#list.set(step)
    this.#note(step)
  }

  #note(step: Step): void {
    this.#changed.add(step.id)
    if (this.#dependents === undefined) return
    for (const id of dependenciesOf(step)) {
      const list = this.#dependents.get(id)
      if (list) list.push(step.id)
      else this.#dependents.set(id, [step.id])
    }
  }

  #checkDependencies(id: string): void {
    const step = this.#list.get(id)
    if (step === undefined) return
    const isChanged = this.#changed.has(id)
    for (const dependency of dependenciesOf(step)) {
      if (this.#list.get(dependency) !== undefined || !(isChanged || this.#removed.has(dependency))) continue
      const hint = isChanged
        ? 'Insert it as well, or depend on another step.'
        : 'Rewire what depends on it, or abandon it instead.'
      this.#refuse(
        'STEP_UNKNOWN',
        '/operations',
        `"${id}" would depend on "${dependency}", which is not in the plan.`,
        hint,
        id,
      )
    }
  }

  #checkAssumptions(): void {
    for (const { id, steps } of this.#assumptions.values()) {
      for (const step of steps) {
        if (!this.#removed.has(step) || this.#list.get(step) !== undefined) continue
        this.#refuse(
          'ASSUMPTION_UNKNOWN',
          '/operations',
          `The assumption "${id}" would rest on "${step}", which is not in the plan.`,
          'Use "unassume", or "assume" with other steps.',
        )
      }
    }
  }

  #has(id: string, path: string): boolean {
    if (this.#list.get(id) !== undefined) return true
    this.#refuse(
      'STEP_UNKNOWN',
      path,
      `There is no step "${id}".`,
      'Name a step of the revision that the patch is applied to.',
    )
    return false
  }

  #refuse(code: FindingCode, path: string, message: string, hint: string, stepId?: string): void {
    this.#findings.push({ code, severity: 'error', path, ...(stepId !== undefined && { stepId }), message, hint })
  }
}
