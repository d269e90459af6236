// Plans written in TypeScript: steps whose inputs and outputs have the types of their tools, joined by typed references.
import { z } from 'zod'
import { isJsonObject, type JsonObject, type JsonSchema } from './json.ts'
import { parsePlan } from './parse.ts'
import type { Assumption, Goal, Plan, Retry, Step } from './schema.ts'
import { isRef, refTo, refToItem, writeRefs, type Ref, type RefTo, type WithRefs } from './typedReferences.ts'
import type { ValidateOptions } from './validate.ts'

/** What must be known of a tool to type a step; what `defineTool` gives has it. */
export interface TypedTool<I extends z.ZodType = z.ZodType, O extends z.ZodType = z.ZodType> {
  readonly description: { readonly name: string }
  readonly input: I
  readonly output: O
}

/** A step that other steps can refer to. */
export interface StepHandle<Output = unknown> {
  readonly id: string
  /** What it will give: `read.output.rows[0]` is a reference to the first row. */
  readonly output: Ref<Output>
  /** The step as data. */
  readonly step: Step
}

type AnyStep = Pick<StepHandle, 'id' | 'step'>

interface Common extends Partial<
  Pick<Step, 'title' | 'executor' | 'timeoutMs' | 'onFailure' | 'onSkipped' | 'approval' | 'cache' | 'cost' | 'why'>
> {
  /** Steps that must be finished first although nothing of their output is used. */
  readonly after?: readonly (AnyStep | string)[]
  readonly retry?: Partial<Retry> & { readonly attempts: number }
  readonly expect?: JsonSchema
}

interface TypedCondition {
  readonly value: RefTo<unknown>
  readonly is: JsonSchema
}

type Input<I extends z.ZodType> = WithRefs<z.input<I>>
/** `input` may be left out where nothing in it is required. */
type HasInput<I extends z.ZodType, Value> =
  IsOptional<z.input<I>> extends true ? { readonly input?: Value } : { readonly input: Value }
type IsOptional<T> = T extends Readonly<Record<string, never>> ? true : Partial<T> extends T ? true : false

export type ToolStep<I extends z.ZodType, O extends z.ZodType> = Common & {
  readonly tool: TypedTool<I, O>
  readonly when?: TypedCondition
  readonly forEach?: undefined
} & HasInput<I, Input<I>>

export type ForEachStep<I extends z.ZodType, O extends z.ZodType, Item> = Common & {
  readonly tool: TypedTool<I, O>
  /** A reference to an array, or the output of another `forEach` step. */
  readonly forEach: RefTo<readonly Item[]>
  readonly when?: TypedCondition | ((item: Ref<Item>) => TypedCondition)
} & HasInput<I, (item: Ref<Item>) => Input<I>>

/** A step that a person or a model does, a sub-goal, or one whose tool is known by name only. */
export type UntypedStep<O extends z.ZodType> = Common & {
  readonly tool?: string
  readonly instruction?: string
  /** With an instruction: what the model that follows it may use. */
  readonly tools?: readonly (TypedTool | string)[]
  readonly goal?: string | Goal
  readonly input?: Readonly<Record<string, unknown>>
  readonly when?: TypedCondition
  readonly forEach?: undefined
  /** What must come of it; becomes its `expect`, and the type of its output. */
  readonly output?: O
}

/** Declares a step. References to its output are typed by its tool: a wrong path, or one that does not fit, does not compile.
 *
 * @example
 * import { z } from 'zod'
 * import { definePlan, step } from 'planloom/plan'
 * import { defineTool } from 'planloom/tools'
 * const list = defineTool({
 *   name: 'list', description: 'Lists numbers.', input: z.object({}), output: z.object({ numbers: z.array(z.number()) }),
 *   run: () => ({ numbers: [1, 2] }),
 * })
 * const double = defineTool({
 *   name: 'double', description: 'Doubles.', input: z.object({ n: z.number() }), output: z.object({ n: z.number() }),
 *   run: ({ n }) => ({ n: 2 * n }),
 * })
 * const listed = step('listed', { tool: list })
 * const doubled = step('doubled', { tool: double, forEach: listed.output.numbers, input: (n) => ({ n }) })
 * const plan = definePlan({ id: 'p', goal: 'double all numbers', steps: [listed, doubled] })
 * plan.steps[1]?.forEach // { $from: 'listed', path: '/numbers' }
 */
export function step<I extends z.ZodType, O extends z.ZodType>(
  id: string,
  settings: ToolStep<I, O>,
): StepHandle<z.output<O>>
export function step<I extends z.ZodType, O extends z.ZodType, Item>(
  id: string,
  settings: ForEachStep<I, O, Item>,
): StepHandle<readonly z.output<O>[]>
export function step<O extends z.ZodType = z.ZodUnknown>(id: string, settings: UntypedStep<O>): StepHandle<z.output<O>>
export function step(id: string, settings: object): AnyStep & { readonly output: unknown } {
  const { tool, tools, input, when, after, goal, output, expect, ...rest } = settings as Common &
    Readonly<Record<string, unknown>>
  const item = refToItem()
  const forItem = (value: unknown): unknown => (isCallback(value) ? value(item) : value)
  const written = writeRefs({
    ...rest,
    id,
    tool: nameOfTool(tool),
    tools: Array.isArray(tools) ? tools.map(nameOfTool) : tools,
    goal: typeof goal === 'string' ? { text: goal } : goal,
    input: forItem(input),
    when: forItem(when),
    after: after?.map((before) => (typeof before === 'string' ? before : before.id)),
    expect: expect ?? (output instanceof z.ZodType ? toSchema(output) : undefined),
  })
  return { id, output: refTo(id), step: written as unknown as Step }
}

function isCallback(value: unknown): value is (item: Ref<unknown>) => unknown {
  return typeof value === 'function' && !isRef(value)
}

function nameOfTool(tool: unknown): unknown {
  return isTypedTool(tool) ? tool.description.name : tool
}

function isTypedTool(tool: unknown): tool is TypedTool {
  return typeof tool === 'object' && tool !== null
}

export interface PlanDefinition {
  readonly id: string
  readonly goal: string | Goal
  /** In priority order. */
  readonly steps: readonly (AnyStep | Step)[]
  readonly assumptions?: readonly (Omit<Assumption, 'steps'> & { readonly steps: readonly (AnyStep | string)[] })[]
}

/** Makes a plan of declared steps, and checks it.
 *
 * @returns a frozen plan.
 * @throws `PLAN_INVALID` with all `findings`.
 */
export function definePlan(definition: PlanDefinition, options?: ValidateOptions): Plan {
  // Written in JavaScript, it may be anything: what it is not, the check of the plan says.
  if (!hasSteps(definition)) return parsePlan(definition, options)
  const { id, goal, steps, assumptions = [] } = definition
  return parsePlan(
    {
      id,
      goal: typeof goal === 'string' ? { text: goal } : goal,
      steps: steps.map((given) => ('step' in given ? given.step : given)),
      assumptions: assumptions.map((assumption) => ({
        ...assumption,
        steps: assumption.steps.map((given) => (typeof given === 'string' ? given : given.id)),
      })),
    },
    options,
  )
}

function hasSteps(given: unknown): boolean {
  return isJsonObject(given) && Array.isArray(given.steps)
}

function toSchema(type: z.ZodType): JsonObject {
  const { $schema: _, ...schema } = z.toJSONSchema(type) as unknown as JsonObject
  return schema
}
