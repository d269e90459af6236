// Patches: what turns one revision into the next.
//
// K1. Applying a patch gives a new frozen plan and leaves the old one as it was; steps that it does not touch are shared.
// K2. A patch that does not fit is refused whole, with every reason.
// K3. apply(a, diff(a, b)) is b, to the byte.
import { PlanloomError } from '../errors.ts'
import type { Finding, FindingCode } from './finding.ts'
import { freezePlan } from './freeze.ts'
import { branchOf, findCycle } from './graph.ts'
import { dependenciesOf, rewireStep } from './references.ts'
import type { Assumption, Operation, Patch, Plan, Step } from './schema.ts'
import { StepList } from './stepList.ts'

/** A patch does not fit the plan that it was applied to. */
export class PatchRefusedError extends PlanloomError {
  override readonly name = 'PatchRefusedError'
  readonly findings: readonly Finding[]
  constructor(findings: readonly Finding[]) {
    super('PATCH_REFUSED', `The patch does not fit the plan: ${findings.map((finding) => finding.message).join(' ')}`, {
      hint: findings[0]?.hint,
      where: { path: findings[0]?.path ?? '' },
    })
    this.findings = findings
  }
}

/** Applies a patch to a plan.
 *
 * @returns the next revision, frozen. Time grows with the plan and the operations.
 * @throws `PATCH_REFUSED` (with `findings`) when an operation names a step that is not there, inserts one that is, leaves
 *   a dependency dangling, or closes a cycle; the plan is as it was.
 * @example
 * import { applyPatch, parsePlan } from 'planloom/plan'
 * const plan = parsePlan({ id: 'p', goal: { text: 'go' }, steps: [{ id: 'a', tool: 'walk' }] })
 * const next = applyPatch(plan, {
 *   base: 1,
 *   by: { planner: 'me' },
 *   because: { type: 'edited', text: 'rest first' },
 *   operations: [{ op: 'insert', step: { id: 'rest', tool: 'sit' }, before: 'a' }],
 * })
 * next.steps.map((step) => step.id) // ['rest', 'a']
 */
export function applyPatch(plan: Plan, patch: Patch): Plan {
  const work = new Work(plan)
  for (const [index, operation] of patch.operations.entries()) work.apply(operation, `/operations/${String(index)}`)
  work.checkGraph()
  if (work.findings.length > 0) throw new PatchRefusedError(work.findings)
  return freezePlan({
    ...plan,
    goal: work.goal,
    revision: patch.revision ?? plan.revision + 1,
    parent: patch.parent === undefined ? plan.revision : patch.parent,
    by: patch.by,
    because: patch.because,
    steps: work.list.toArray(),
    assumptions: work.assumptions,
  })
}

class Work {
  readonly list: StepList
  readonly findings: Finding[] = []
  goal: Plan['goal']
  assumptions: Assumption[]
  readonly #changed = new Set<string>()
  #hasRemoved = false

  constructor(plan: Plan) {
    this.list = new StepList(plan.steps)
    this.goal = plan.goal
    this.assumptions = plan.assumptions
  }

  apply(operation: Operation, path: string): void {
    switch (operation.op) {
      case 'insert':
        this.#insert(operation.step, operation.before, path)
        break
      case 'remove':
        if (!this.#has(operation.id, path)) break
        this.list.remove(operation.id)
        this.#changed.delete(operation.id)
        this.#hasRemoved = true
        break
      case 'replace':
        if (operation.step.id !== operation.id) {
          this.#refuse('PATCH_REFUSED', path, `"${operation.id}" is replaced by a step with another id, "${operation.step.id}".`, 'Keep the id, or remove and insert.')
        } else if (this.#has(operation.id, path)) this.#set(operation.step)
        break
      case 'reorder':
        for (const id of operation.ids) if (!this.#has(id, path)) return
        if (operation.before !== undefined && !this.#has(operation.before, path)) return
        for (const id of operation.ids) if (id !== operation.before) this.list.move(id, operation.before)
        break
      case 'rewire': {
        const step = this.list.get(operation.id)
        if (step === undefined || !this.#has(operation.id, path)) {
          this.#has(operation.id, path)
          break
        }
        if (!dependenciesOf(step).includes(operation.from)) {
          this.#refuse('PATCH_REFUSED', path, `"${operation.id}" does not depend on "${operation.from}".`, 'Name a dependency that the step has.')
        } else this.#set(rewireStep(step, operation.from, operation.to))
        break
      }
      case 'abandon':
        if (!this.#has(operation.id, path)) break
        for (const id of branchOf(this.list, operation.id)) {
          const step = this.list.get(id)
          if (step !== undefined && step.abandoned === undefined) this.list.set({ ...step, abandoned: operation.because })
        }
        break
      case 'assume':
        this.assumptions = [...this.assumptions.filter(({ id }) => id !== operation.assumption.id), operation.assumption]
        break
      case 'unassume':
        if (!this.assumptions.some(({ id }) => id === operation.id)) {
          this.#refuse('ASSUMPTION_UNKNOWN', path, `There is no assumption "${operation.id}".`, 'Name an assumption of the plan.')
        }
        this.assumptions = this.assumptions.filter(({ id }) => id !== operation.id)
        break
      case 'regoal':
        this.goal = operation.goal
        break
    }
  }

  /** Dependencies that lead nowhere, and cycles: looked for only where the patch can have made them. */
  checkGraph(): void {
    const suspects = this.#hasRemoved ? [...this.list].map((step) => step.id) : [...this.#changed]
    for (const id of suspects) {
      const step = this.list.get(id)
      if (step === undefined) continue
      for (const dependency of dependenciesOf(step)) {
        if (this.list.get(dependency) !== undefined) continue
        this.#refuse('STEP_UNKNOWN', '', `"${id}" would depend on "${dependency}", which is not in the plan.`, 'Rewire it first, or keep the step.')
      }
    }
    const cycle = findCycle(this.list.byId, this.#changed)
    if (cycle) this.#refuse('PLAN_CYCLE', '', `The steps would wait for each other: ${cycle.join(' → ')}.`, 'Take one of these dependencies out.')
  }

  #insert(step: Step, before: string | undefined, path: string): void {
    if (this.list.get(step.id) !== undefined) {
      this.#refuse('STEP_DUPLICATE', path, `There is a step "${step.id}" already.`, 'Choose another id, or use "replace".')
      return
    }
    if (before !== undefined && !this.#has(before, path)) return
    this.list.insert(step, before)
    this.#changed.add(step.id)
  }

  #set(step: Step): void {
    this.list.set(step)
    this.#changed.add(step.id)
  }

  #has(id: string, path: string): boolean {
    if (this.list.get(id) !== undefined) return true
    this.#refuse('STEP_UNKNOWN', path, `There is no step "${id}".`, 'Name a step of the revision that the patch is applied to.')
    return false
  }

  #refuse(code: FindingCode, path: string, message: string, hint: string): void {
    this.findings.push({ code, severity: 'error', path, message, hint })
  }
}

/** Ids of the steps that an operation alters. */
export function touchedBy(operation: Operation, plan: Plan): readonly string[] {
  switch (operation.op) {
    case 'insert':
      return [operation.step.id]
    case 'abandon':
      return [...branchOf(plan.steps, operation.id)]
    case 'remove':
    case 'replace':
    case 'rewire':
      return [operation.id]
    case 'reorder':
      return operation.ids
    case 'assume':
    case 'unassume':
    case 'regoal':
      return []
  }
}
