// What the model executor is given, and what an attempt of it may use.
import type { StepExecute } from '../../../machines/command.messages.ts'
import type { Model } from '../../../models/model.ts'
import type { JsonObject } from '../../../plan/json.ts'
import type { ToolCatalogue } from '../../../plan/toolDescription.ts'
import type { ExecutorContext, StepResult } from '../executor.ts'
import type { Timers } from './timeLimit.ts'

/** A call of a tool that a model has made for a step. */
export interface ToolUse {
  readonly tool: string
  readonly input: JsonObject
  /** The step that it is made for. */
  readonly work: StepExecute
}

/** What one attempt may use. */
export interface ModelStepLimits {
  /** Answers of the model. @default 12 */
  readonly turns?: number
  /** Input and output together, over all answers. @default 100,000 */
  readonly tokens?: number
  /** Without the time in which a person is waited for. @default 600,000 */
  readonly timeoutMs?: number
  /** How often an answer that cannot be taken goes back with what is wrong with it. @default 2 */
  readonly repairs?: number
  /** Calls that one answer may make; those beyond are not carried out. @default 16 */
  readonly callsAtOnce?: number
  /** Longest piece of an input or output that is shown at once, in characters. @default 8,000 */
  readonly characters?: number
  /** Longest answer, in tokens. @default that of the server */
  readonly maxTokens?: number
  /** Whether the model may ask a person what it can neither find out nor decide. Where nobody answers through `ask`, the question waits
   * among the run's `questions`. @default 'offered' where the runtime was given `ask`, else 'withheld' */
  readonly askPerson?: 'offered' | 'withheld'
}

export interface ModelExecutorOptions extends ModelStepLimits {
  readonly model: Model
  /** The tools that there are. A step's model is shown those that the step names. */
  readonly tools: ToolCatalogue
  /** Runs a tool by name: checks the input by its schema, calls it, and checks its output. Handed the attempt's context, with an
   * idempotency key of the call's own. */
  readonly call: (use: ToolUse, context: ExecutorContext) => Promise<StepResult>
  /** Sets the timer of `timeoutMs`. Without it, the time is only looked at between two answers. */
  readonly timers?: Timers
  /** @default 'model' */
  readonly role?: string
  /** Attempts at once, over all runs of a runtime. @default no limit but those of the run and the runtime */
  readonly concurrency?: number
  /** Starts per second, over all runs of a runtime. */
  readonly ratePerSecond?: number
}

/** Options with their defaults. */
export type ModelMeans = Omit<ModelExecutorOptions, 'role' | 'concurrency' | 'ratePerSecond' | 'maxTokens'> &
  Required<Omit<ModelStepLimits, 'maxTokens'>> &
  Pick<ModelStepLimits, 'maxTokens'>
