// How a run stands, as the planner needs it: what is known, what is under way, what was tried, and what is still open.
import type { Json } from '../../../plan/json.ts'
import { formatPointer, getPointer } from '../../../plan/pointer.ts'
import { resolveReferences } from '../../../plan/references.ts'
import type { Plan, Reference, Step } from '../../../plan/schema.ts'
import type { ToolDescription } from '../../../plan/toolDescription.ts'
import type { PlanSituation } from '../../../machines/coordinator.messages.ts'
import type { ReplanRequest } from '../planner.ts'
import { factKey, splitFactKey } from './factKey.ts'
import { lineageOf } from './lineage.ts'
import { triedKey } from './triedKey.ts'
import { knownLists, type KnownFact, type Knowledge } from './knowledge.ts'

export interface Standing {
  readonly plan: Plan
  readonly steps: ReadonlyMap<string, Step>
  readonly placeOf: ReadonlyMap<string, number>
  /** Neither begun nor ended. */
  readonly isOpen: (id: string) => boolean
  /** Done, or out. */
  readonly isFixed: (id: string) => boolean
  readonly toolOf: (step: Step) => ToolDescription | undefined
  /** Whether the tool has had this input before. */
  readonly isTried: (step: Step) => boolean
  readonly knowledge: Knowledge
}

export function readStanding({ plan, situation, tools, troubles }: ReplanRequest): Standing {
  const steps = new Map<string, Step>()
  const placeOf = new Map<string, number>()
  for (const [place, step] of plan.steps.entries()) {
    steps.set(step.id, step)
    placeOf.set(step.id, place)
  }
  const byName = new Map(tools.map((tool) => [tool.name, tool]))
  const toolOf = (step: Step): ToolDescription | undefined =>
    step.tool === undefined ? undefined : byName.get(step.tool)
  const facts = readFacts(situation, steps, toolOf)
  const lists = new Map(knownLists(facts))
  const tried = new Set<string>()
  const open = new Set<string>()
  const fixed = new Set<string>()
  function* keysOf(step: Step): Generator<string> {
    if (step.tool === undefined) return
    yield triedKey(step.tool, step.input ?? {})
    const input = inputOf(step, situation)
    if (input !== undefined) yield triedKey(step.tool, input)
  }
  // What has failed is not tried again under another name; what has succeeded may be: items can be alike.
  const note = (step: Step, isFailed: boolean): void => {
    if (step.forEach) return
    for (const key of keysOf(step)) {
      tried.add(key)
      if (!isFailed) return
    }
  }
  for (const step of plan.steps) {
    const status = situation.step(step.id)?.status
    switch (status) {
      case 'succeeded':
        fixed.add(step.id)
        note(step, false)
        for (const [fact, length] of listsOpenedBy(step, toolOf(step), situation)) lists.set(fact, length)
        break
      case 'running':
      case 'backing_off':
        fixed.add(step.id)
        note(step, false)
        break
      case 'failed':
      case 'uncertain':
        note(step, true)
        break
      case 'waiting':
      case 'ready':
      case 'held':
        if (step.abandoned === undefined) open.add(step.id)
        break
      case 'skipped':
      case 'abandoned':
      case 'cancelled':
      case undefined:
        break
    }
  }
  const barred = new Set<string>()
  for (const { type, stepId } of troubles) {
    const step = stepId === undefined ? undefined : steps.get(stepId)
    if (type === 'rejected' && step?.tool !== undefined) barred.add(factKey(step.tool, step.item ?? ''))
  }
  const lineage = lineageOf(steps)
  const knowledge: Knowledge = { facts, lists, standing: [], tried, lineage, barred, surprising: new Set() }
  return {
    plan,
    steps,
    placeOf,
    isOpen: (id) => open.has(id),
    isFixed: (id) => fixed.has(id),
    toolOf,
    isTried: (step) => [...keysOf(step)].some((key) => tried.has(key)),
    knowledge,
  }
}

function readFacts(
  situation: PlanSituation,
  steps: ReadonlyMap<string, Step>,
  toolOf: (step: Step) => ToolDescription | undefined,
): Map<string, KnownFact> {
  const facts = new Map<string, KnownFact>()
  for (const { key, value, by } of situation.facts()) {
    const step = steps.get(by)
    const from = step && placeOfFact(key, step, toolOf(step))
    facts.set(key, from ? { value, from } : { value })
  }
  return facts
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

function* listsOpenedBy(
  step: Step,
  tool: ToolDescription | undefined,
  situation: PlanSituation,
): Generator<readonly [string, number]> {
  if (tool === undefined || step.item !== undefined) return
  for (const [fact, gift] of Object.entries(tool.gives)) {
    if (gift.each !== true) continue
    const output = situation.output(step.id)
    const list = output === undefined ? undefined : getPointer(output, gift.from)
    if (Array.isArray(list)) yield [fact, list.length]
  }
}

/** What a step was given, references filled in; nothing where that is not known any more. */
function inputOf(step: Step, situation: PlanSituation): Json | undefined {
  const resolved = resolveReferences(step.input ?? {}, ({ $from, path }) => {
    const output = situation.output($from)
    return output === undefined ? undefined : getPointer(output, path)
  })
  return 'value' in resolved ? resolved.value : undefined
}
