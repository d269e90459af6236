// How a run stands, as the planner needs it: what is known, what is under way, what was tried, and what is still open.
// Looked up step by step and fact by fact, so that what an amendment is not about costs nothing.
import { formatPointer, getPointer } from '../../../plan/pointer.ts'
import type { Plan, Reference, Step } from '../../../plan/schema.ts'
import type { ToolDescription } from '../../../plan/toolDescription.ts'
import type { FactReport, PlanSituation } from '../../../machines/reports.messages.ts'
import type { ReplanRequest } from '../planner.ts'
import { factKey, splitFactKey } from './factKey.ts'
import { knownLists, type KnownFact, type KnownFacts, type Knowledge } from './knowledge.ts'
import { indexPlan, scopeOf, type PlanIndex } from './planIndex.ts'
import { readTools } from './toolIndex.ts'
import { readTried, type Tried } from './tried.ts'

export interface Standing extends PlanIndex {
  readonly plan: Plan
  /** Neither begun nor ended. */
  readonly isOpen: (id: string) => boolean
  /** Done, or out. */
  readonly isFixed: (id: string) => boolean
  readonly toolOf: (step: Step) => ToolDescription | undefined
  readonly tried: Tried
  readonly knowledge: Knowledge
}

export function readStanding(
  { plan, situation, tools, troubles }: ReplanRequest,
  alsoBarred: ReadonlySet<string>,
): Standing {
  const index = indexPlan(plan)
  const { byName, openers } = readTools(tools)
  const toolOf = (step: Step): ToolDescription | undefined =>
    step.tool === undefined ? undefined : byName.get(step.tool)
  const stages = readStages(index, situation)
  const lists = readLists(index, situation, openers)
  const barred = new Set(alsoBarred)
  for (const { type, stepId } of troubles) {
    const step = stepId === undefined ? undefined : index.steps.get(stepId)
    if (type === 'rejected' && step?.tool !== undefined) barred.add(factKey(step.tool, scopeOf(step)))
  }
  const tried = readTried(index, situation)
  const facts = readFacts(index, situation, toolOf)
  return {
    ...index,
    plan,
    isOpen: (id) => stages(id) === 'open',
    isFixed: (id) => stages(id) === 'fixed',
    toolOf,
    tried,
    knowledge: { facts, lists, standing: () => [], tried, lineage: index.lineage, barred, surprising: new Set() },
  }
}

type Stage = 'open' | 'fixed' | 'neither'

function readStages({ steps }: PlanIndex, situation: PlanSituation): (id: string) => Stage {
  const known = new Map<string, Stage>()
  return (id) => {
    const before = known.get(id)
    if (before) return before
    const step = steps.get(id)
    const stage = step === undefined ? 'neither' : stageOf(step, situation)
    known.set(id, stage)
    return stage
  }
}

function stageOf(step: Step, situation: PlanSituation): Stage {
  switch (situation.step(step.id)?.status) {
    case 'succeeded':
    case 'running':
    case 'backing_off':
      return 'fixed'
    case 'waiting':
    case 'ready':
    case 'held':
      return step.abandoned === undefined ? 'open' : 'neither'
    case 'failed':
    case 'uncertain':
    case 'skipped':
    case 'abandoned':
    case 'cancelled':
    case undefined:
      return 'neither'
  }
}

function readFacts(
  { steps }: PlanIndex,
  situation: PlanSituation,
  toolOf: (step: Step) => ToolDescription | undefined,
): KnownFacts {
  const known = new Map<string, KnownFact | undefined>()
  const get = (key: string): KnownFact | undefined => {
    if (known.has(key)) return known.get(key)
    const report = situation.fact(key)
    const fact = report && toKnownFact(report, steps.get(report.by), toolOf)
    known.set(key, fact)
    return fact
  }
  return { get, has: (key) => get(key) !== undefined }
}

function toKnownFact(
  { key, value }: FactReport,
  step: Step | undefined,
  toolOf: (step: Step) => ToolDescription | undefined,
): KnownFact {
  const from = step && placeOfFact(key, step, toolOf(step))
  return from ? { value, from } : { value }
}

/** Where in a step's output a fact stands. */
function placeOfFact(key: string, step: Step, tool: ToolDescription | undefined): Reference | undefined {
  const { fact, scope } = splitFactKey(key)
  const gift = tool?.gives[fact]
  if (gift === undefined) return undefined
  if (gift.each !== true) return { $from: step.id, path: gift.from }
  const index = scope.split('.').at(-1) ?? ''
  return { $from: step.id, path: `${gift.from}${formatPointer([index])}` }
}

/** How long lists are: by the facts that there are of single items, and by what the steps that gave the lists gave. */
function readLists(
  { byTool }: PlanIndex,
  situation: PlanSituation,
  openers: readonly ToolDescription[],
): ReadonlyMap<string, number> {
  const lists = knownLists(keysOf(situation.facts()))
  for (const tool of openers) {
    for (const step of byTool.get(tool.name) ?? []) {
      if (step.item !== undefined || situation.step(step.id)?.status !== 'succeeded') continue
      for (const [fact, gift] of Object.entries(tool.gives)) {
        if (gift.each !== true) continue
        const output = situation.output(step.id)
        const list = output === undefined ? undefined : getPointer(output, gift.from)
        if (Array.isArray(list)) lists.set(fact, list.length)
      }
    }
  }
  return lists
}

function* keysOf(facts: Iterable<FactReport>): Generator<string> {
  for (const { key } of facts) yield key
}
