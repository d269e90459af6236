// After a person has rejected an amendment: another way than that one.
//
// J1. What was rejected is found out by asking oneself once more: the same request gets the same answer (G1), so nothing
//     has to be remembered between questions, or across processes. Troubles are told in the order in which they came.
// J2. An amendment is rejected as a whole: another one may have parts of it, but not all of its new steps. So each other
//     way does without one of them at least; the cheapest of these is proposed (the partition of Lawler 1972).
// J3. Where there is no other way, the planner gives up and says so.
import type { Trouble } from '../../../machines/reports.messages.ts'
import type { Step } from '../../../plan/schema.ts'
import type { ReplanAnswer, ReplanRequest } from '../planner.ts'
import { factKey } from './factKey.ts'
import { scopeOf } from './planIndex.ts'
import { repairPlan } from './repair.ts'
import type { GoalPlannerSettings } from './settings.ts'
import { expectedCost, readTools } from './toolIndex.ts'

/** Uses of tools that must not be added, by `factKey` of tool and scope. */
type Barred = ReadonlySet<string>

/** How many ways of doing without something are compared; a rejected amendment may have a thousand steps. */
const mostCompared = 16

export function amend(request: ReplanRequest, settings: GoalPlannerSettings): ReplanAnswer {
  const rejections = request.troubles.filter(isRejection)
  if (rejections.length === 0) return repairPlan(request, settings)
  if (rejections.length === request.troubles.length) {
    return {
      keep: `The plan stays as it is: nothing is left of what the rejected amendment was for. (${textOf(rejections)})`,
    }
  }
  const found = cheapest(waysLeft(request, settings), request, settings)
  if (found && 'patch' in found) return { ...found, because: textOf(request.troubles) }
  if (found && 'keep' in found) return found
  const others = request.troubles.filter((trouble) => !isRejection(trouble))
  return { giveUp: `There is no other way than what was rejected: ${textOf(rejections)} (${textOf(others)})` }
}

/** A rejected amendment; a rejected step has an id. */
function isRejection({ type, stepId }: Trouble): boolean {
  return type === 'rejected' && stepId === undefined
}

function textOf(troubles: readonly Trouble[]): string {
  return troubles.map(({ text }) => text).join('; ')
}

/** What there is to bar, so that no rejected amendment can come again: each set is a way of differing from all of them. */
function waysLeft(request: ReplanRequest, settings: GoalPlannerSettings): readonly Barred[] {
  const { troubles } = request
  let ways: readonly Barred[] = [new Set()]
  let from = 0
  for (const [at, trouble] of troubles.entries()) {
    if (!isRejection(trouble)) continue
    let next = ways
    // The amendment may have been proposed before the last of these troubles came: with any of them it is rejected.
    for (let end = from + 1; end <= at; end++) {
      const proposed = cheapest(ways, { ...request, troubles: troubles.slice(0, end) }, settings)
      const uses = proposed && 'patch' in proposed ? newUses(proposed.patch, request) : undefined
      if (uses && (uses.length > 0 || end === at)) next = without(next, uses)
    }
    ways = next
    from = at
  }
  return ways
}

function without(ways: readonly Barred[], uses: readonly string[]): readonly Barred[] {
  const next = ways.flatMap((barred): readonly Barred[] =>
    uses.some((use) => barred.has(use)) ? [barred] : uses.map((use) => new Set([...barred, use])),
  )
  return next.slice(0, mostCompared)
}

type Patched = Extract<ReplanAnswer, { readonly patch: unknown }>

/** The cheapest amendment that one of these ways leads to; where none does, why not. */
function cheapest(
  ways: readonly Barred[],
  request: ReplanRequest,
  settings: GoalPlannerSettings,
): ReplanAnswer | undefined {
  const troubles = request.troubles.filter((trouble) => !isRejection(trouble))
  let best: { readonly answer: Patched; readonly cost: number } | undefined
  let other: ReplanAnswer | undefined
  for (const barred of ways) {
    const answer = repairPlan({ ...request, troubles }, settings, barred)
    if (!('patch' in answer)) {
      other ??= answer
      continue
    }
    const cost = costOf(answer, request)
    if (best === undefined || cost < best.cost) best = { answer, cost }
  }
  return best?.answer ?? other
}

/** What a patch adds to the plan's cost; to abandon something is dearer than anything. */
function costOf({ patch }: Patched, { plan, tools }: ReplanRequest): number {
  const { byName } = readTools(tools)
  const former = new Map(plan.steps.map((step) => [step.id, step]))
  const costOfStep = (step: Step | undefined): number => {
    const tool = byName.get(step?.tool ?? '')
    return tool ? expectedCost(tool) : 0
  }
  let cost = 0
  for (const operation of patch) {
    if (operation.op === 'insert' || operation.op === 'replace') cost += costOfStep(operation.step)
    if (operation.op === 'abandon') return Infinity
    if (operation.op === 'replace' || operation.op === 'remove') cost -= costOfStep(former.get(operation.id))
  }
  return cost
}

/** What the patch would have tools do that they would not do without it; first what other tools could give, too. */
function newUses(patch: Patched['patch'], { plan, tools }: ReplanRequest): readonly string[] {
  const { byName, givers } = readTools(tools)
  const former = new Map(plan.steps.map((step) => [step.id, step]))
  const hasOthers = ({ tool = '' }: Step): boolean =>
    Object.keys(byName.get(tool)?.gives ?? {}).some((fact) => (givers.get(fact)?.length ?? 0) > 1)
  const added = patch.flatMap((operation): readonly Step[] => {
    if (operation.op !== 'insert' && operation.op !== 'replace') return []
    const { step } = operation
    return step.tool === undefined || former.get(step.id)?.tool === step.tool ? [] : [step]
  })
  const ordered = [...added.filter(hasOthers), ...added.filter((step) => !hasOthers(step))]
  return [...new Set(ordered.map((step) => factKey(step.tool ?? '', scopeOf(step))))]
}
