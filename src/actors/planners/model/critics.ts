// Critics: what judges a plan that could run, before it does. Their objections go the way of what the validator finds.
//
// C1. A critic that throws is no consent: the planner throws what it threw.
// C2. An amendment is judged by the plan that it makes. What has been abandoned of it is not looked at.
import { PlanloomError } from '../../../errors.ts'
import type { Usage } from '../../../machines/reports.messages.ts'
import type { Finding } from '../../../plan/finding.ts'
import { canDoWithout } from '../../../plan/graph.ts'
import { dependenciesOf } from '../../../plan/references.ts'
import type { Plan, Step } from '../../../plan/schema.ts'
import type { PlannerContext, PlanRequest } from '../planner.ts'
import { objection } from './objections.ts'

export type Verdict =
  readonly string[] | { readonly objections: readonly string[]; readonly usage?: Usage; readonly model?: string }

/** Says what is against a plan, in sentences that a planner can act on; nothing where nothing is. */
export type Critic = (plan: Plan, request: PlanRequest, context: PlannerContext) => Verdict | Promise<Verdict>

/** Objects to plans with more steps than that.
 *
 * @example
 * import { noMoreThan } from 'planloom'
 * const critic = noMoreThan(20)
 * typeof critic // 'function'
 */
export function noMoreThan(steps: number): Critic {
  return (plan) => {
    const count = liveSteps(plan).length
    return count <= steps ? [] : [`The plan has ${String(count)} steps, and no more than ${String(steps)} are wanted.`]
  }
}

/** Objects to plans that use a tool.
 *
 * @example
 * import { forbids } from 'planloom'
 * const critic = forbids('delete_file')
 * typeof critic // 'function'
 */
export function forbids(tool: string): Critic {
  return (plan) =>
    stepsWith(tool, plan).map(({ id }) => `Step "${id}" uses the tool "${tool}", which is not wanted here.`)
}

export interface Requirement extends Critic {
  /** Objects to steps with the other tool that could run although this one did not: each must depend, over whatever lies between, on a
   * step whose own tool it is, without `when` and `forEach`, and none on the way may go on without it (`onSkipped: 'run'`). */
  readonly before: (tool: string) => Critic
}

/** Objects to plans without a step whose own tool it is, whatever comes (no `when`); with `before`, to steps that would run without it.
 *
 * @example
 * import { requires } from 'planloom'
 * const critic = requires('approve').before('send')
 * typeof critic // 'function'
 */
export function requires(tool: string): Requirement {
  const critic: Critic = (plan) =>
    stepsOf(tool, plan).length > 0 ? [] : [`The plan must use the tool "${tool}", and no step does.`]
  return Object.assign(critic, {
    before: (later: string): Critic => {
      return (plan) => {
        const covered = behind(
          stepsOf(tool, plan).filter(({ forEach }) => forEach === undefined),
          liveSteps(plan),
        )
        return stepsWith(later, plan).flatMap(({ id }) =>
          covered.has(id)
            ? []
            : [
                `Step "${id}" uses "${later}" and must depend on a step that uses "${tool}" itself, and not run without it; it depends on none.`,
              ],
        )
      }
    },
  })
}

export interface Criticism {
  readonly findings: readonly Finding[]
  readonly usages: readonly Usage[]
}

/** Asks all critics. @throws what one of them threw, as `CRITIC_FAILED` where it says nothing of itself (C1). */
export async function criticise(
  critics: readonly Critic[],
  plan: Plan,
  request: PlanRequest,
  context: PlannerContext,
): Promise<Criticism> {
  const findings: Finding[] = []
  const usages: Usage[] = []
  for (const critic of critics) {
    const verdict = await ask(critic, plan, request, context)
    const objections = isTelling(verdict) ? verdict.objections : verdict
    if (!Array.isArray(objections)) {
      throw new PlanloomError('CRITIC_FAILED', 'A critic answered with what is no list of objections.', {
        hint: 'Return a list of sentences: empty where there is nothing to object.',
      })
    }
    findings.push(...objections.map((text) => objection(String(text))))
    if (isTelling(verdict) && verdict.usage) usages.push(verdict.usage)
  }
  return { findings, usages }
}

async function ask(critic: Critic, plan: Plan, request: PlanRequest, context: PlannerContext): Promise<unknown> {
  try {
    return await critic(plan, request, context)
  } catch (error) {
    if (error instanceof Error && 'code' in error) throw error
    throw new PlanloomError('CRITIC_FAILED', 'A critic threw, and the plan is not taken without its word.', {
      cause: error,
    })
  }
}

function isTelling(verdict: unknown): verdict is Exclude<Verdict, readonly string[]> {
  return typeof verdict === 'object' && verdict !== null && 'objections' in verdict
}

function liveSteps({ steps }: Plan): readonly Step[] {
  return steps.filter(({ abandoned }) => abandoned === undefined)
}

function stepsWith(tool: string, plan: Plan): readonly Step[] {
  return liveSteps(plan).filter((step) => step.tool === tool || step.tools?.includes(tool) === true)
}

/** Steps that use a tool themselves, under no condition: one that a model may call may remain uncalled. */
function stepsOf(tool: string, plan: Plan): readonly Step[] {
  return liveSteps(plan).filter((step) => step.tool === tool && step.when === undefined)
}

/** Ids of all steps that depend on some of these and cannot do without, over whatever lies between. Time grows with steps and dependencies. */
function behind(starts: readonly Step[], steps: readonly Step[]): ReadonlySet<string> {
  const dependents = new Map<string, string[]>()
  for (const step of steps)
    for (const id of dependenciesOf(step))
      if (!canDoWithout(step, id)) (dependents.get(id) ?? setNew(dependents, id)).push(step.id)
  const found = new Set<string>()
  const open = starts.map(({ id }) => id)
  for (let next = open.pop(); next !== undefined; next = open.pop()) {
    for (const id of dependents.get(next) ?? []) {
      if (found.has(id)) continue
      found.add(id)
      open.push(id)
    }
  }
  return found
}

function setNew(lists: Map<string, string[]>, key: string): string[] {
  const made: string[] = []
  lists.set(key, made)
  return made
}
