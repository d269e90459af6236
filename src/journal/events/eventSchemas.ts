// Every event that a journal may hold, by its type. A message type that the coordinator has got is a compile error until it is here.
import { z } from 'zod'
import { goalSchema, patchSchema, planSchema, stepSchema } from '../../plan/schema.ts'
import type { JournalEvent } from '../journal.ts'
import * as part from './parts.ts'
import { asRecorded, strictly, type ShapeOf } from './shape.ts'

export type EventType = JournalEvent['type']
type EventOf<T extends EventType> = Extract<JournalEvent, { readonly type: T }>
/** What all events have. */
type Head = 'type' | 'id' | 'at' | 'seq' | 'decided'
type BodyOf<T extends EventType> = ShapeOf<Omit<EventOf<T>, Head>>

const { text, count, json, yes, failure, facts } = part
const plan = asRecorded(planSchema)
const patch = asRecorded(patchSchema)
const usage = part.usage.exactOptional()
const unattended = yes.exactOptional()

const fromPlanner = { requestId: text, usage, unsound: part.unsoundRounds.exactOptional() }
const fromExecutor = { stepId: text, attempt: count, unattended }
const fromPerson = { by: text.exactOptional(), request: count.exactOptional(), unattended }
const recovered = {
  tools: part.tools,
  planner: text,
  changes: z.array(text).exactOptional(),
  uncertain: part.uncertainPolicy.exactOptional(),
  by: text.exactOptional(),
}

const bodies: { readonly [T in EventType]: BodyOf<T> } = {
  'run.started': {
    runId: text.min(1),
    goal: goalSchema,
    plan: plan.exactOptional(),
    planner: text,
    elaborates: z.boolean().exactOptional(),
    tools: part.tools,
    settings: part.settings,
    labels: part.labels.exactOptional(),
    parentRunId: text.exactOptional(),
    parentStepId: text.exactOptional(),
    forkedFrom: part.forkPoint.exactOptional(),
    recordsDecisions: yes.exactOptional(),
    inDoubt: yes.exactOptional(),
    cancelled: text.exactOptional(),
  },
  'run.recovered': recovered,
  'run.endLost': { after: count, of: count.exactOptional(), because: text, unattended: yes },
  'run.forked': {
    ...recovered,
    since: part.time,
    outcomes: part.forkOutcomes.exactOptional(),
    facts: facts.exactOptional(),
    withdrawn: z.array(text).exactOptional(),
    patch: patch.exactOptional(),
    limits: part.someLimits.exactOptional(),
  },

  'plan.stepProposed': { ...fromPlanner, step: asRecorded(stepSchema) },
  'plan.proposed': { ...fromPlanner, plan },
  'plan.patchProposed': { ...fromPlanner, patch },
  'plan.kept': { ...fromPlanner, because: text },
  'plan.givenUp': { ...fromPlanner, because: text },
  'plan.failed': { ...fromPlanner, failure, findings: part.findings.exactOptional() },

  'step.succeeded': { ...fromExecutor, output: json, facts, usage, reusedFrom: part.origin.exactOptional() },
  'step.failed': { ...fromExecutor, failure, usage },
  'step.surprised': { ...fromExecutor, output: json, facts, failure, usage },
  'step.delegated': { ...fromExecutor, subRunId: text },
  'step.timedOut': { ...fromExecutor, failure },
  'step.uncertain': { ...fromExecutor, failure, usage },
  'step.asked': { ...fromExecutor, text },
  'step.unanswered': { ...fromExecutor, question: count, failure },
  'step.checked': { ...fromExecutor, finding: part.effectFinding, by: text.exactOptional() },
  'model.called': {
    caller: part.modelCaller,
    model: text,
    usage: part.modelUsage,
    ms: part.amount,
    code: text.exactOptional(),
  },
  'timer.fired': { key: text },
  'actor.failed': { actor: z.enum(['planner', 'executor']), failure },

  'run.approve': { ...fromPerson, revision: count.exactOptional(), stepId: text.exactOptional() },
  'run.reject': { ...fromPerson, because: text, stepId: text.exactOptional() },
  'run.edit': { ...fromPerson, patch },
  'run.pause': fromPerson,
  'run.resume': fromPerson,
  'run.cancel': { ...fromPerson, because: text.exactOptional() },
  'step.retry': { ...fromPerson, stepId: text },
  'step.skip': { ...fromPerson, stepId: text, because: text.exactOptional() },
  'step.answered': {
    ...fromPerson,
    stepId: text,
    question: count.exactOptional(),
    value: json,
    facts: facts.exactOptional(),
  },
  'fact.reported': { ...fromPerson, key: text, value: json },
  'budget.extend': { ...fromPerson, limits: part.someLimits },
}

const head: ShapeOf<Pick<JournalEvent, Exclude<Head, 'type'>>> = {
  id: text.min(1),
  at: part.time,
  seq: count,
  decided: z.array(text).exactOptional(),
}

const schemas: ReadonlyMap<string, z.ZodType> = new Map(
  Object.entries(bodies).map(([type, body]) => [type, strictly({ ...head, type: z.literal(type), ...body } as never)]),
)

/** The schema of events of this type, where there are such events. */
export function schemaOf(type: string): z.ZodType | undefined {
  return schemas.get(type)
}
