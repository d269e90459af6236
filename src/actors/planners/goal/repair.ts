// Amending a plan: the troubles say which steps have to be thought over; the rest stands, and is built on for nothing.
//
// A1. An item's trouble is that item's: its steps that have not begun are planned anew, all others stand.
// A2. A trouble of the whole goes up step by step: first another giver for those that waited for the step, then, where
//     there is none, another way for these, up to the goal.
// A3. What cannot be had is left out where the goal allows it, and given up where not.
import type { Operation, Step } from '../../../plan/schema.ts'
import type { ReplanAnswer, ReplanRequest } from '../planner.ts'
import { describeChange } from './amendment.ts'
import { hasLifted, inPlanOrder, isReplaceable, replaceable, widen, withItems } from './affected.ts'
import { openBranch } from './branch.ts'
import { everyItem, factKey, type Scope } from './factKey.ts'
import type { GoalPlannerSettings } from './settings.ts'
import type { StandingStep } from './knowledge.ts'
import { nothingFound } from './leastUnknown.ts'
import { explainMissing } from './missing.ts'
import type { Want } from './posedProblem.ts'
import { listWants } from './wants.ts'
import { repeatsInput } from './repetition.ts'
import type { Supply } from './rewiring.ts'
import { solve, type Solved } from './solve.ts'
import { readStanding, type Standing } from './standing.ts'
import { linksOf, type StepLink } from './stepLinks.ts'
import { indexTools, type ToolIndex } from './toolIndex.ts'
import { learnPace, weighing } from './weights.ts'

/** @param barred uses of tools that must not be added, by `factKey` of tool and scope. */
export function repairPlan(
  request: ReplanRequest,
  settings: GoalPlannerSettings,
  barred: ReadonlySet<string> = new Set(),
): ReplanAnswer {
  const standing = readStanding(request, barred)
  const index = indexTools(request.tools, standing.knowledge.lists.keys())
  const work: Work = { request, settings, standing, index, isPartial: request.plan.goal.partial === 'allow' }
  const isElaboration = request.troubles.some((trouble) => trouble.type === 'expanded')
  return isElaboration ? elaborate(work) : repair(work)
}

interface Work {
  readonly request: ReplanRequest
  readonly settings: GoalPlannerSettings
  readonly standing: Standing
  readonly index: ToolIndex
  readonly isPartial: boolean
}

/** A list has become known: all that has not begun is planned anew, item by item. */
function elaborate(work: Work): ReplanAnswer {
  const solved = solveWhole(work)
  if (solved.solution === undefined) return giveUpOn(work, solved)
  return answer(work, { affected: replaceable(work.standing), links: [], goalWants: 0, solved, dropped: [] })
}

function solveWhole(work: Work): Solved {
  const { request, standing, index } = work
  return solveWith(work, listWants(request.plan.goal.want ?? [], index, standing.knowledge), replaceable(standing))
}

function repair(work: Work): ReplanAnswer {
  const { standing } = work
  const roots = troubledSteps(work)
  if (roots.size === 0 && work.request.troubles.some(({ type }) => type === 'goal_unmet')) return complete(work)
  if (roots.size === 0) return { keep: 'No step that has not begun rests on this.' }
  let affected: ReadonlySet<string> = withItems(roots, standing)
  let whole: Solved | undefined
  // What follows on a list need not be in the plan yet: it is not known here what else the list is for.
  while (!hasLifted(affected, standing)) {
    const found = replace(work, affected, roots)
    if (found) return found
    whole ??= solveWhole(work)
    if (whole.solution === undefined) return giveUpOn(work, whole)
    const wider = widen(affected, standing)
    if (wider.size === affected.size) break
    affected = wider
  }
  // Steps that are under way can stand between the trouble and the way round it, too: all that has not begun is planned anew.
  whole ??= solveWhole(work)
  if (whole.solution === undefined) return giveUpOn(work, whole)
  const all = new Set([...replaceable(standing), ...affected])
  const found = { affected: all, links: [], goalWants: 0, solved: whole, dropped: [] }
  return answerUnlessRepeated(work, found) ?? giveUpOn(work, whole)
}

/** All steps have ended and something that is wanted is missing: what would give it is added. */
function complete(work: Work): ReplanAnswer {
  const solved = solveWhole(work)
  if (solved.solution === undefined) return giveUpOn(work, solved)
  const found = { affected: replaceable(work.standing), links: [], goalWants: 0, solved, dropped: [] }
  return answerUnlessRepeated(work, found) ?? giveUpOn(work, solved)
}

/** Other means for what the affected steps would have given; nothing where there are none. */
function replace(work: Work, affected: ReadonlySet<string>, roots: ReadonlySet<string>): ReplanAnswer | undefined {
  const links = frontierLinks(affected, work)
  const goalWants = lostWants(affected, work)
  const wants: Want[] = [...goalWants, ...links.map(toWant)]
  const solved = solveWith(work, wants, affected)
  const supply: Supply = { solved, links, goalWants: goalWants.length, dropped: [] }
  if (solved.solution) return answerUnlessRepeated(work, { affected, ...supply })
  if (!work.isPartial) return undefined
  const isLoose = (at: number): boolean => {
    const link = links[at - goalWants.length]
    return link === undefined ? goalWants[at]?.scope !== undefined : link.need.each === true
  }
  const unmet = new Set(unmetWants(work, wants, affected, solved))
  if (unmet.size === 0 || ![...unmet].every(isLoose)) return undefined
  const rest = wants.filter((_, at) => !unmet.has(at))
  const without: Supply = {
    solved: solveWith(work, rest, affected),
    links: links.filter((_, at) => !unmet.has(at + goalWants.length)),
    goalWants: goalWants.filter((_, at) => !unmet.has(at)).length,
    dropped: links.filter((_, at) => unmet.has(at + goalWants.length)),
  }
  if (without.solved.solution === undefined) return undefined
  const because = explainMissing(solved.problem, solved.bounds, solved.unmet)
  return answerUnlessRepeated(work, { affected, ...without, abandoned: { roots, because } })
}

/** Places of the wants that cannot be met: by the bounds, or, where only the search has found that out, each by itself. */
function unmetWants(
  work: Work,
  wants: readonly Want[],
  affected: ReadonlySet<string>,
  solved: Solved,
): readonly number[] {
  if (solved.solution) return []
  if (solved.unmet.length > 0) return solved.unmet.map((link) => solved.problem.goal.links.indexOf(link))
  return wants.flatMap((want, at) => (solveWith(work, [want], affected).solution ? [] : [at]))
}

/** The steps that the troubles are about: failed ones, and open ones that rest on what turned out otherwise. */
function troubledSteps({ request, standing }: Work): Set<string> {
  const ids = new Set<string>()
  for (const { type, stepId, assumption } of request.troubles) {
    switch (type) {
      case 'failed':
      case 'repeated':
      case 'surprised':
      case 'uncertain':
      case 'rejected':
        if (stepId !== undefined && standing.steps.has(stepId) && !standing.isFixed(stepId)) ids.add(stepId)
        break
      case 'assumption_broken':
        for (const id of assumption?.steps ?? []) if (standing.isOpen(id)) ids.add(id)
        break
      case 'expanded':
      case 'patch_refused':
      case 'goal_unmet':
        break
    }
  }
  return ids
}

/** All that open steps outside take from steps inside; and what else they take, so that versions go together. */
function frontierLinks(affected: ReadonlySet<string>, { standing, index }: Work): readonly StepLink[] {
  const links: StepLink[] = []
  const frontier = new Set<string>()
  for (const id of affected)
    for (const other of standing.dependents.get(id) ?? []) if (!affected.has(other)) frontier.add(other)
  for (const step of inPlanOrder(frontier, standing)) {
    if (!isReplaceable(step, standing)) continue
    for (const link of linksOf(step, standing, index)) if (affected.has(link.from)) links.push(link)
  }
  return links
}

/** Wants of the goal that only affected steps would have met. */
function lostWants(affected: ReadonlySet<string>, { request, standing, index }: Work): readonly Want[] {
  const given = new Set<string>()
  for (const step of inPlanOrder(affected, standing)) {
    for (const fact of Object.keys(standing.toolOf(step)?.gives ?? {})) given.add(factKey(fact, step.item ?? ''))
  }
  const wants = listWants(request.plan.goal.want ?? [], index, standing.knowledge)
  return wants.filter(({ fact, scope = '' }) => {
    if (!given.has(factKey(fact, scope))) return false
    const givers = giversInPlan(fact, scope, { standing, index }).filter((step) => step.expanded === undefined)
    const others = givers.filter(({ id }) => !affected.has(id))
    return others.length < givers.length && !others.some(({ id }) => standing.isFixed(id) || standing.isOpen(id))
  })
}

function toWant({ need, scope }: StepLink): Want {
  return { fact: need.fact, scope, ...(need.is !== undefined && { is: need.is }) }
}

/** Solves with all steps standing that are not affected and do not wait for an affected one. */
function solveWith(work: Work, wants: readonly Want[], affected: ReadonlySet<string>): Solved {
  const { standing, index, isPartial, settings } = work
  const behind = openBranch(affected, standing)
  const stands = (fact: string, scope: Scope): readonly StandingStep[] =>
    giversInPlan(fact, scope, { standing, index }).flatMap((step) => {
      const tool = standing.toolOf(step)
      const isUnderWay = standing.isFixed(step.id) || standing.isOpen(step.id)
      if (tool === undefined || !isUnderWay || behind.has(step.id) || step.forEach !== undefined) return []
      if (hasFailedToGive(step, fact, work)) return []
      if (Object.keys(tool.gives).every((one) => isGivenBy(step, one, standing))) return []
      return [{ id: step.id, tool, scope }]
    })
  const knowledge = { ...standing.knowledge, standing: stands }
  const options = { index, knowledge, isPartial, budget: settings.budget }
  // What is known costs nothing: mostly it needs no thought of where else it could be had.
  const thrifty = solve(wants, { ...options, extent: 'beyond known' })
  return thrifty.solution ? thrifty : solve(wants, options)
}

/** Steps of the plan whose tools give a fact in a scope, in the order of the plan. */
function giversInPlan(fact: string, scope: Scope, { standing, index }: Pick<Work, 'standing' | 'index'>): Step[] {
  const tools = [...(index.givers.get(fact) ?? []).map(({ tool }) => tool), ...(index.unfit.get(fact) ?? [])]
  const steps = tools.flatMap(({ name }) => [
    ...standing.usesOf(name, scope),
    ...(scope === '' ? standing.usesOf(name, everyItem) : []),
  ])
  return steps.length < 2
    ? steps
    : steps.sort((a, b) => (standing.placeOf.get(a.id) ?? 0) - (standing.placeOf.get(b.id) ?? 0))
}

/** Done, so that what it gave is among the known facts. */
function isGivenBy(step: Step, fact: string, { knowledge }: Standing): boolean {
  const known = knowledge.facts.get(factKey(fact, step.item ?? ''))
  return known?.from?.$from === step.id
}

/** Done, and what it was to give was not in its output: no use waiting for it. */
function hasFailedToGive(step: Step, fact: string, { request, standing }: Work): boolean {
  if (request.situation.step(step.id)?.status !== 'succeeded') return false
  return (
    standing.toolOf(step)?.gives[fact]?.each !== true && !standing.knowledge.facts.has(factKey(fact, step.item ?? ''))
  )
}

interface Found extends Supply {
  readonly affected: ReadonlySet<string>
  readonly abandoned?: { readonly roots: ReadonlySet<string>; readonly because: string }
}

function answer(work: Work, found: Found): ReplanAnswer {
  return answerWith(work, operationsFor(work, found))
}

/** Nothing where a step would get an input that its tool has had (G3). */
function answerUnlessRepeated(work: Work, found: Found): ReplanAnswer | undefined {
  const operations = operationsFor(work, found)
  return repeatsInput(operations, work.standing) ? undefined : answerWith(work, operations)
}

function operationsFor({ request, standing, settings }: Work, found: Found): readonly Operation[] {
  const weigh = weighing({
    knowledge: standing.knowledge,
    sizeOf: settings.sizeOf,
    pace: () => learnPace(standing.plan, request.situation, standing.toolOf),
  })
  const broken = request.troubles.flatMap(({ assumption }) => (assumption ? [assumption.id] : []))
  return describeChange({ ...found, standing, weigh, broken })
}

function answerWith({ request }: Work, operations: readonly Operation[]): ReplanAnswer {
  if (operations.length > 0) return { patch: operations, because: request.troubles.map(({ text }) => text).join('; ') }
  return { keep: 'The plan already is what would be planned now.' }
}

function giveUpOn({ request, standing }: Work, { problem, bounds, unmet, isCutShort }: Solved): ReplanAnswer {
  const missing = explainMissing(problem, bounds, unmet)
  const isElaboration = request.troubles.every((trouble) => trouble.type === 'expanded')
  const reason = isCutShort ? nothingFound : missing === '' ? 'Every way to go on has been tried.' : missing
  const because = isElaboration ? reason : `${reason} (${request.troubles.map(({ text }) => text).join('; ')})`
  if (!isElaboration) return { giveUp: because }
  // Giving up on mere elaboration would let the run end as if the goal had been reached.
  const lists = request.troubles.flatMap(({ stepId }) =>
    stepId !== undefined && standing.steps.has(stepId) ? [stepId] : [],
  )
  return { patch: lists.map((id): Operation => ({ op: 'abandon', id, because })), because }
}
