// The plan as data: the zod schemas that everything about plans is inferred from.
//
// A plan revision is one frozen JSON value. Steps stand in priority order; dependencies are the references
// inside `input`, `when` and `forEach` together with `after`. Nobody lists a dependency twice.
import { z } from 'zod'
import type { Json, JsonObject, JsonSchema } from './json.ts'

/** Limits that a plan must keep; the validator names the one that is broken. */
export const planLimits = { steps: 100_000, idLength: 200, textLength: 10_000, inputDepth: 64 } as const

const json = z.custom<Json>((value) => value !== undefined, 'must be a JSON value').describe('Any JSON value.')
const jsonObject = z
  .custom<JsonObject>(
    (value) => typeof value === 'object' && value !== null && !Array.isArray(value),
    'must be a JSON object',
  )
  .meta({ type: 'object' })
const jsonSchema = z
  .custom<JsonSchema>(
    (value) => typeof value === 'boolean' || (typeof value === 'object' && value !== null && !Array.isArray(value)),
    'must be a JSON Schema (an object or a boolean)',
  )
  .meta({ type: ['object', 'boolean'], description: 'A JSON Schema (draft 2020-12).' })
const text = z.string().max(planLimits.textLength)

/** Letters, digits and `_ - . : / [ ]`, beginning with a letter or digit. `read[3]` is the child of `read` for item 3. */
export const stepIdSchema = z
  .string()
  .max(planLimits.idLength)
  .regex(
    /^[A-Za-z0-9][\w\-.:/[\]]*$/,
    'must begin with a letter or digit and hold only letters, digits and _ - . : / [ ]',
  )

/** `{"$from": "stepId", "path": "/rows/0"}`: the value at a JSON Pointer (RFC 6901) in that step's output. */
export const referenceSchema = z.strictObject({ $from: stepIdSchema, path: z.string().default('') })

/** A `when`: the step runs if the value satisfies the schema, and is skipped if not. */
export const conditionSchema = z.strictObject({
  value: z.union([referenceSchema, z.strictObject({ $item: z.string() })]),
  is: jsonSchema,
})

export const retrySchema = z.strictObject({
  attempts: z.int().min(1).max(1000).describe('Attempts in all, the first one included.'),
  backoffMs: z
    .number()
    .min(0)
    .default(200)
    .describe('Wait before the second attempt; each further wait is `factor` times as long.'),
  factor: z.number().min(1).default(2).describe('How much longer each wait is than the one before.'),
  maxBackoffMs: z.number().min(0).default(30_000).describe('Longest wait between two attempts.'),
  jitter: z.number().min(0).max(1).default(0.2).describe('Share of a wait that is random, 0 to 1.'),
})

/** A goal: words for people and models, and for the goal planner the facts that are wanted. */
export const goalSchema = z.strictObject({
  text: z.string().min(1).max(planLimits.textLength).describe('What is to be reached, in words.'),
  want: z
    .array(z.strictObject({ fact: z.string().min(1), is: jsonSchema.optional() }))
    .optional()
    .describe('Facts that must hold at the end, by name; `is`: what they must satisfy.'),
  facts: z.record(z.string(), json).optional().describe('Facts that hold at the start, by name.'),
  partial: z
    .enum(['allow', 'forbid'])
    .optional()
    .describe('Whether a result with abandoned branches is worth having. Default `forbid`.'),
})

export const stepSchema = z.strictObject({
  id: stepIdSchema,
  title: text.optional().describe('A name for people.'),
  tool: z
    .string()
    .min(1)
    .max(planLimits.idLength)
    .optional()
    .describe('The tool that carries it out. A step has exactly one of `tool`, `goal` and `instruction`.'),
  goal: goalSchema.optional().describe('A sub-goal: carried out by a sub-plan with a coordinator of its own.'),
  instruction: text.optional().describe('What a person (executor `person`) or a model is asked to do, in words.'),
  tools: z
    .array(z.string().min(1).max(planLimits.idLength))
    .refine((names) => new Set(names).size === names.length, 'must not name a tool twice')
    .meta({ uniqueItems: true })
    .optional()
    .describe('With an `instruction`: the tools that the model which follows it may use; none where it is empty.'),
  input: jsonObject.optional().describe("The tool's input; references may stand anywhere inside."),
  after: z
    .array(stepIdSchema)
    .optional()
    .describe('Steps that must be finished first although nothing of their output is used.'),
  executor: z
    .string()
    .min(1)
    .optional()
    .describe(
      'Role of the executor. Default `tool`; of an `instruction`, `model` where it has `tools`, else `person`, who is waited for.',
    ),
  when: conditionSchema.optional().describe('The step runs if the value satisfies the schema, and is skipped if not.'),
  forEach: referenceSchema
    .optional()
    .describe('A reference to an array (or to another `forEach` step): one child per item once the array is known.'),
  expanded: z
    .int()
    .min(0)
    .max(planLimits.steps)
    .optional()
    .describe('Set when the `forEach` was expanded: how many children (`id[0]`, `id[1]`, …) there are.'),
  item: z
    .string()
    .regex(/^\d+(\.\d+)*$/)
    .optional()
    .describe(
      'The item that this step works on, as `3` or `3.1`; facts it gives are named `fact[3]`. Set by expansion.',
    ),
  expect: jsonSchema
    .optional()
    .describe('A schema that the output must satisfy; where it does not, that is a surprise.'),
  retry: retrySchema.optional().describe('How a failed attempt is repeated, before its failure is final.'),
  timeoutMs: z.number().positive().optional().describe('Longest that one attempt may take.'),
  onFailure: z
    .enum(['replan', 'skip', 'fail'])
    .optional()
    .describe('What a final failure means: `replan` (default), `skip` (go on without it) or `fail` (the run fails).'),
  onSkipped: z
    .enum(['skip', 'run'])
    .optional()
    .describe(
      'What a skipped, abandoned or failed dependency means: `skip` this too (default), or `run` with `null` in its place.',
    ),
  approval: z
    .enum(['required'])
    .optional()
    .describe('`required`: a person or program must approve the step before it is dispatched.'),
  cache: z
    .boolean()
    .optional()
    .describe('The output of an earlier run with the same tool, version and input may be taken instead of running it.'),
  cost: z.number().min(0).optional().describe('Estimated cost, in the unit of the planner.'),
  why: text.optional().describe('Why the planner put it here.'),
  abandoned: text.optional().describe('Set when a patch abandoned the step: because of what.'),
})

/** A statement about a fact, and the steps that rest on it. Checked again whenever the fact changes. */
export const assumptionSchema = z.strictObject({
  id: stepIdSchema,
  statement: text.describe('What is assumed, in words.'),
  fact: z.string().min(1).describe('The fact that it is about.'),
  is: jsonSchema.describe('A JSON Schema that the fact satisfies if the assumption holds.'),
  steps: z.array(stepIdSchema).describe('The steps that rest on it.'),
})

export const becauseSchema = z.strictObject({
  type: z.enum(['first', 'trouble', 'expanded', 'edited', 'streamed', 'forked']),
  text: text,
  steps: z.array(stepIdSchema).optional().describe('The steps that it is about.'),
})

export const planSchema = z.strictObject({
  id: z.string().min(1).max(planLimits.idLength).describe('Names the plan over all its revisions.'),
  goal: goalSchema.describe('What the plan is for.'),
  revision: z.int().min(1).default(1).describe('Counts from 1.'),
  parent: z.int().min(1).nullable().default(null).describe('The revision that it was made from; null for a first one.'),
  by: z
    .strictObject({ planner: z.string(), model: z.string().optional() })
    .default({ planner: 'fixed' })
    .describe('Who made this revision.'),
  because: becauseSchema
    .default({ type: 'first', text: 'first plan' })
    .describe('Why there is this revision: the first plan, or what triggered the change.'),
  steps: z.array(stepSchema).describe('In priority order: of two steps that are ready, the earlier one goes first.'),
  assumptions: z.array(assumptionSchema).default([]).describe('What the plan takes for granted.'),
})

export const operationSchema = z.discriminatedUnion('op', [
  z
    .strictObject({ op: z.literal('insert'), step: stepSchema, before: stepIdSchema.optional() })
    .describe('Puts a step before another one in priority order; at the end when `before` is absent.'),
  z.strictObject({ op: z.literal('remove'), id: stepIdSchema }).describe('Takes a step out that nobody depends on.'),
  z
    .strictObject({ op: z.literal('replace'), id: stepIdSchema, step: stepSchema })
    .describe('A new content under the same id; references to it stay.'),
  z
    .strictObject({ op: z.literal('reorder'), ids: z.array(stepIdSchema).min(1), before: stepIdSchema.optional() })
    .describe('Takes these steps out and puts them back, in this order, before `before` (at the end when absent).'),
  z
    .strictObject({ op: z.literal('rewire'), id: stepIdSchema, from: stepIdSchema, to: stepIdSchema.nullable() })
    .describe('In step `id`, every dependency on `from` becomes one on `to` (paths stay), or goes when `to` is null.'),
  z
    .strictObject({ op: z.literal('abandon'), id: stepIdSchema, because: text })
    .describe(
      'Gives up the step and all that depends on it and cannot do without; running ones are stopped, facts withdrawn.',
    ),
  z
    .strictObject({ op: z.literal('assume'), assumption: assumptionSchema })
    .describe('Adds an assumption, or puts it in the place of the one with the same id.'),
  z.strictObject({ op: z.literal('unassume'), id: stepIdSchema }).describe('Takes an assumption out.'),
  z.strictObject({ op: z.literal('regoal'), goal: goalSchema }).describe('Another goal in place of the one there was.'),
])

/** What turns revision `base` into the next one. */
export const patchSchema = z.strictObject({
  base: z.int().min(1).describe('The revision it was made for.'),
  revision: z
    .int()
    .min(1)
    .optional()
    .describe('Revision number of the result. Default `base` of the plan it is applied to, plus 1.'),
  parent: z
    .int()
    .min(1)
    .nullable()
    .optional()
    .describe('Parent of the result. Default the revision of the plan it is applied to.'),
  id: planSchema.shape.id.optional().describe('Id of the result. Default the id of the plan it is applied to.'),
  by: planSchema.shape.by,
  because: becauseSchema,
  operations: z.array(operationSchema).describe('Applied in this order; the result is looked at as a whole.'),
})

export type Reference = z.infer<typeof referenceSchema>
export type Condition = z.infer<typeof conditionSchema>
export type Retry = z.infer<typeof retrySchema>
export type Goal = z.infer<typeof goalSchema>
export type Step = z.infer<typeof stepSchema>
export type Assumption = z.infer<typeof assumptionSchema>
export type Because = z.infer<typeof becauseSchema>
export type Plan = z.infer<typeof planSchema>
export type Operation = z.infer<typeof operationSchema>
export type Patch = z.infer<typeof patchSchema>
