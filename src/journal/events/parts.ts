// What events are made of: the schemas of the values that several of them hold.
import { z } from 'zod'
import type {
  EffectFinding,
  ForkOutcome,
  ForkPoint,
  ModelCaller,
  UnsoundRound,
} from '../../machines/coordinator.messages.ts'
import type { ModelUsage } from '../../machines/modelUsage.messages.ts'
import type { FactGiven, Failure, StepOrigin, SubRunUse, Usage } from '../../machines/reports.messages.ts'
import type { RunLimits, RunSettings, ToolTraits, UncertainPolicy } from '../../machines/settings.messages.ts'
import { findingCodes, type Finding } from '../../plan/finding.ts'
import type { Json } from '../../plan/json.ts'
import { retrySchema } from '../../plan/schema.ts'
import { asRecorded, strictly } from './shape.ts'

export const text = z.string()
export const count = z.int().min(0)
export const amount = z.number().min(0)
/** A time that a date can be made of. */
export const time = z.number().min(-8.64e15).max(8.64e15)
export const json = z.unknown().refine((value) => value !== undefined, 'is missing') as unknown as z.ZodType<Json>
export const yes = z.literal(true)
export const labels = z.record(text, text)

export const failure = strictly<Failure>({
  code: text,
  message: text,
  hint: text.exactOptional(),
  path: text.exactOptional(),
  retryable: z.boolean(),
  uncertain: yes.exactOptional(),
  cause: text.exactOptional(),
})

export const modelUsage = strictly<ModelUsage>({
  tokens: amount,
  inputTokens: amount,
  outputTokens: amount,
  cachedTokens: amount,
  cost: amount,
  calls: amount,
  isEstimated: yes.exactOptional(),
})

export const usage = strictly<Usage>({
  tokens: amount.exactOptional(),
  cost: amount.exactOptional(),
  plannerCalls: amount.exactOptional(),
  replans: amount.exactOptional(),
  subRun: strictly<SubRunUse>({ runId: text, models: modelUsage }).exactOptional(),
})

export const facts = z.array(strictly<FactGiven>({ key: text, value: json }))

export const origin = strictly<StepOrigin>({ runId: text, stepId: text })

export const forkPoint = strictly<ForkPoint>({ runId: text, seq: count, at: time })

export const findings = z.array(
  strictly<Finding>({
    code: z.enum(findingCodes),
    severity: z.enum(['error', 'warning']),
    path: text,
    stepId: text.exactOptional(),
    message: text,
    hint: text,
  }),
)

export const effectFinding: z.ZodType<EffectFinding> = z.union([
  strictly<Extract<EffectFinding, { happened: true }>>({
    happened: yes,
    output: json,
    facts,
    surprise: failure.exactOptional(),
  }),
  strictly<Extract<EffectFinding, { happened: false }>>({ happened: z.literal(false) }),
  strictly<Extract<EffectFinding, { unknown: unknown }>>({ unknown: failure }),
])

export const forkOutcomes = z.record(
  text,
  z.union([
    strictly<Extract<ForkOutcome, { output: unknown }>>({ output: json, facts }),
    strictly<Extract<ForkOutcome, { failure: unknown }>>({ failure }),
  ]),
)

export const tools = z.record(
  text,
  strictly<ToolTraits>({
    effects: z.enum(['none', 'read', 'write', 'external']),
    idempotent: z.boolean(),
    version: text,
    concurrency: amount.exactOptional(),
    timeoutMs: amount.exactOptional(),
    heartbeatMs: amount.exactOptional(),
    retry: asRecorded(retrySchema).exactOptional(),
    executor: text.exactOptional(),
    lists: z.array(text).exactOptional(),
    checks: yes.exactOptional(),
  }),
)

const limitShapes = {
  concurrency: amount,
  roles: z.record(text, amount),
  plannerCalls: amount,
  replans: amount,
  tokens: amount,
  cost: amount,
  timeMs: amount,
  plannerMs: amount,
  graceMs: amount,
  steps: amount,
  sameFailure: amount,
  depth: amount,
}

/** Some of them. */
export const someLimits = strictly<Partial<RunLimits>>({
  concurrency: limitShapes.concurrency.exactOptional(),
  roles: limitShapes.roles.exactOptional(),
  plannerCalls: limitShapes.plannerCalls.exactOptional(),
  replans: limitShapes.replans.exactOptional(),
  tokens: limitShapes.tokens.exactOptional(),
  cost: limitShapes.cost.exactOptional(),
  timeMs: limitShapes.timeMs.exactOptional(),
  plannerMs: limitShapes.plannerMs.exactOptional(),
  graceMs: limitShapes.graceMs.exactOptional(),
  steps: limitShapes.steps.exactOptional(),
  sameFailure: limitShapes.sameFailure.exactOptional(),
  depth: limitShapes.depth.exactOptional(),
})

export const uncertainPolicy: z.ZodType<UncertainPolicy> = z.enum(['replan', 'ask', 'retry', 'fail'])

export const settings = strictly<RunSettings>({
  limits: strictly<RunLimits>(limitShapes),
  approval: z.enum(['none', 'required', 'effects']),
  amendments: z.enum(['free', 'effects']).exactOptional(),
  dispatch: z.enum(['eager', 'whole']),
  seed: z.number(),
  uncertain: uncertainPolicy.exactOptional(),
})

export const modelCaller = z.union([
  strictly<Extract<ModelCaller, { stepId: string }>>({ stepId: text, attempt: count }),
  strictly<Extract<ModelCaller, { requestId: string }>>({ requestId: text }),
])

export const unsoundRounds = z.array(
  strictly<UnsoundRound>({ findings, usage: usage.exactOptional(), model: text.exactOptional() }),
)
