// What a model may answer, as JSON Schema: made from the plan format and from the tools that there are, so that a tool or an
// argument that does not exist cannot even be written where a server holds the model to the schema.
//
// S1. Fields come from the zod schemas of the plan format, with their descriptions; none is described twice.
// S2. Every object is closed, so that a server can be strict about it; what is open by nature (a JSON Schema in `is`) is offered
//     in the keywords that conditions are made of. Models that are not held to a schema may write all that the format has.
// S3. One tool whose input a strict schema cannot say is written as JSON in a text; the others are held to theirs all the same.
import type { JsonObject, JsonSchema } from '../../../plan/json.ts'
import { patchJsonSchema, planJsonSchema } from '../../../plan/planJsonSchema.ts'
import type { ToolDescription } from '../../../plan/toolDescription.ts'
import type { PlanRequest } from '../planner.ts'
import { strictSchema } from '../../../models/json/strictSchema.ts'
import { withReferences } from './inputSchema.ts'
import { jsonTextSchema } from './jsonText.ts'

export interface AnswerScope {
  /** The tools that the model has been shown. */
  readonly tools: readonly ToolDescription[]
  /** The executor roles that there are. */
  readonly executors: readonly string[]
  /** Whether steps may have goals of their own. */
  readonly mayDelegate: boolean
}

export function scopeOf(tools: readonly ToolDescription[], { executors = [], limits }: PlanRequest): AnswerScope {
  return { tools, executors, mayDelegate: executors.includes('goal') && limits.depth > 0 }
}

const planFormat = (planJsonSchema().$defs ?? {}) as Readonly<Record<string, JsonObject>>
const stepFields = (planFormat.step?.properties ?? {}) as Readonly<Record<string, JsonObject>>
const operationFormats = operationsOf(patchJsonSchema())

/** Fields that a model is offered for any step, besides those that say what is done. A sub-goal is not tried twice by itself. */
const sharedFields = ['after', 'forEach', 'when', 'onFailure', 'onSkipped', 'approval', 'why'] as const

/** Operations that a model is offered. A new goal is not its business. */
const offered = ['insert', 'remove', 'replace', 'reorder', 'rewire', 'abandon', 'assume', 'unassume']

const scalar: JsonObject = { type: ['string', 'number', 'boolean', 'null'] }
const simpleSchema: JsonObject = closed(
  {
    const: scalar,
    enum: { type: 'array', items: scalar },
    type: { type: 'string', enum: ['string', 'number', 'integer', 'boolean', 'null', 'array', 'object'] },
    minimum: { type: 'number' },
    maximum: { type: 'number' },
    minLength: { type: 'integer' },
    minItems: { type: 'integer' },
    maxItems: { type: 'integer' },
    pattern: { type: 'string' },
    required: { type: 'array', items: { type: 'string' } },
  },
  [],
  'A JSON Schema that the value is to satisfy.',
)

const words = (description: string): JsonObject => ({ type: 'string', description })
const giveUp = words('Why it cannot be done. Nothing else is answered then.')

/** The schema of an answer to a goal. */
export function planAnswerSchema(scope: AnswerScope, isAskable: boolean): JsonObject {
  return {
    ...closed(
      {
        giveUp,
        ...(isAskable && { ask: askSchema }),
        steps: { type: 'array', items: ref('step') },
        assumptions: { type: 'array', items: ref('assumption') },
      },
      [],
    ),
    $defs: definitions(scope),
  }
}

/** The schema of an answer to trouble. */
export function amendmentSchema(scope: AnswerScope, isAskable: boolean): JsonObject {
  const operations = offered.flatMap((op) => operationFormats.get(op) ?? [])
  return {
    ...closed(
      {
        giveUp,
        keep: words('Why the plan stands as it is: a failure is final then, a surprise is taken as a result.'),
        ...(isAskable && { ask: askSchema }),
        because: words('Why the plan is amended so.'),
        patch: { type: 'array', items: { anyOf: operations } },
      },
      [],
    ),
    $defs: definitions(scope),
  }
}

const askSchema: JsonObject = {
  type: 'array',
  description: 'Values that were shortened and are needed in full. They are given, and the question is put again.',
  items: closed(
    {
      step: words('The step whose output it is.'),
      fact: words('Or the fact whose value it is.'),
      path: words('A JSON Pointer into it; "" for all of it.'),
    },
    ['path'],
  ),
}

function definitions({ tools, executors, mayDelegate }: AnswerScope): JsonObject {
  const made: Record<string, JsonSchema> = {}
  const stepKinds = tools.map((tool, index) => {
    const { input, inside } = inputOf(tool, `in${String(index + 1)}`)
    Object.assign(made, inside)
    const properties = { id: ref('stepId'), tool: { type: 'string', enum: [tool.name] }, input, ...checked, ...shared }
    return closed(properties, ['id', 'tool', 'input'])
  })
  const roles = ['model', 'person'].filter((role) => executors.includes(role))
  if (roles.length > 0) stepKinds.push(instructionStep(tools, roles))
  if (mayDelegate) stepKinds.push(goalStep)
  return {
    reference: {
      anyOf: [
        closed({ $from: stepIdOf('The step whose output it is.'), path: pointer }, ['$from', 'path']),
        closed({ $item: pointer }, ['$item']),
      ],
    },
    from: closed({ $from: stepIdOf('The step whose output it is.'), path: pointer }, ['$from', 'path']),
    stepId: planFormat.stepId ?? true,
    schema: simpleSchema,
    json: jsonTextSchema,
    expect: expectation,
    retry,
    after: { ...stepFields.after, items: ref('stepId') },
    forEach: { description: stepFields.forEach?.description ?? '', anyOf: [ref('from')] },
    when: closed(
      { value: ref('reference'), is: ref('schema') },
      ['value', 'is'],
      'The step runs if the value satisfies the schema, and is skipped if not.',
    ),
    onFailure: stepFields.onFailure ?? true,
    onSkipped: stepFields.onSkipped ?? true,
    approval: stepFields.approval ?? true,
    why: stepFields.why ?? true,
    assumption: withIs(planFormat.assumption ?? {}),
    step: { anyOf: stepKinds },
    ...made,
  }
}

const pointer = words('A JSON Pointer into it, such as "/rows/0/name"; "" for all of it.')
const shared: JsonObject = Object.fromEntries(sharedFields.map((field) => [field, ref(field)]))

const checked: JsonObject = { expect: ref('expect'), retry: ref('retry') }

const expectation: JsonObject = {
  type: 'array',
  description: 'What must hold of the output; where it does not, the planner is asked.',
  items: closed({ path: pointer, is: ref('schema') }, ['path', 'is']),
}

const retryFields = (planFormat.retry?.properties ?? {}) as Readonly<Record<string, JsonObject>>
const retry: JsonObject = closed(
  { attempts: retryFields.attempts ?? true, backoffMs: retryFields.backoffMs ?? true },
  ['attempts'],
  stepFields.retry?.description as string | undefined,
)

const given: JsonObject = closed(
  { given: { type: 'array', items: ref('reference') } },
  ['given'],
  'What it is to work on.',
)

const goalStep: JsonObject = closed(
  {
    id: ref('stepId'),
    goal: closed({ text: words('What is to be reached, in words.') }, ['text']),
    input: given,
    expect: ref('expect'),
    ...shared,
  },
  ['id', 'goal'],
)

interface Input {
  readonly input: JsonSchema
  /** Definitions that it needs. */
  readonly inside: JsonObject
}

/** Inputs of tools, which stay the same from question to question: making them costs most of a small plan's schema. */
const inputs = new WeakMap<ToolDescription, Map<string, Input>>()

function inputOf(tool: ToolDescription, prefix: string): Input {
  const ofTool = inputs.get(tool) ?? new Map<string, Input>()
  inputs.set(tool, ofTool)
  const input = ofTool.get(prefix) ?? makeInput(tool, prefix)
  ofTool.set(prefix, input)
  return input
}

/** S3 */
function makeInput(tool: ToolDescription, prefix: string): Input {
  const inside: Record<string, JsonSchema> = {}
  const add = (name: string, schema: JsonSchema): void => {
    inside[name] = schema
  }
  const input = withReferences(tool.input, { prefix, add })
  const whole = { ...closed({ input }, ['input']), $defs: inside }
  return strictSchema(whole).isStrict ? { input, inside } : { input: ref('json'), inside: {} }
}

/** A step in words, for a model or a person. */
function instructionStep(tools: readonly ToolDescription[], roles: readonly string[]): JsonObject {
  const names = tools.map(({ name }) => name)
  const isForModels = roles.includes('model')
  return closed(
    {
      id: ref('stepId'),
      instruction: stepFields.instruction ?? true,
      executor: { type: 'string', enum: [...roles] },
      ...(isForModels && {
        tools: {
          type: 'array',
          items: names.length > 0 ? { type: 'string', enum: names } : { type: 'string' },
          ...described('tools'),
        },
      }),
      input: given,
      ...checked,
      ...shared,
    },
    ['id', 'instruction', 'executor'],
  )
}

function described(field: string): JsonObject {
  const description = stepFields[field]?.description
  return description === undefined ? {} : { description }
}

function stepIdOf(description: string): JsonObject {
  return { type: 'string', description }
}

function withIs(schema: JsonObject): JsonObject {
  return { ...schema, properties: { ...(schema.properties as JsonObject), is: ref('schema') } }
}

/** The operations by name, from the plan format. */
function operationsOf(patch: JsonObject): ReadonlyMap<string, JsonObject> {
  const { operations } = patch.properties as Readonly<Record<string, JsonObject>>
  const items = operations?.items as JsonObject
  const choices = (items.oneOf ?? items.anyOf) as readonly JsonObject[]
  return new Map(
    choices.map((choice) => {
      const properties = choice.properties as Readonly<Record<string, JsonObject>>
      const name = properties.op?.const as string
      return [name, { ...choice, properties: { ...properties, op: { type: 'string', enum: [name] } } }]
    }),
  )
}

function ref(name: string): JsonObject {
  return { $ref: `#/$defs/${name}` }
}

function closed(properties: JsonObject, required: readonly string[], description?: string): JsonObject {
  return {
    type: 'object',
    ...(description !== undefined && { description }),
    properties,
    required: required,
    additionalProperties: false,
  }
}
