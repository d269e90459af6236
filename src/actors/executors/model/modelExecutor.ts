// The model executor: follows a step's instruction in words, with the tools that the plan allows.
//
// X1. It sees its step's instruction, its resolved input and its tools: nothing else of the plan, and of the run nothing at all.
// X2. What reaches a tool is what the plan names, whatever the model has read or says; the set is looked up in code (O1, O2).
// X3. An attempt ends: within its turns, its tokens and its time.
// X4. A call reaches its tool at most once in an attempt. Its idempotency key is the same in every attempt that makes the same calls.
// X5. What tools and people give, and what goes wrong with them, comes to the model as data.
// X6. What an attempt before has asked a person and been told is told to the next one, and is not asked again.
import type { Executor } from '../executor.ts'
import { ModelAttempt } from './modelAttempt.ts'
import type { ModelExecutorOptions, ModelMeans } from './modelMeans.ts'

/** Makes the executor of the steps that a language model carries out. A runtime makes one by itself where it is given a model
 * (`createRuntime({ model })`); one of your own with the same role takes its place.
 *
 * @example
 * const executor = createModelExecutor({
 *   model: { name: 'parrot', complete: async () => ({ end: 'stop', text: '{"sum": 3}', calls: [], model: 'parrot', usage: none }) },
 *   tools: new Map(),
 *   call: async () => ({ output: null }),
 * })
 * const none = { tokens: 0, inputTokens: 0, outputTokens: 0, cachedTokens: 0, cost: 0, calls: 1 }
 * executor.role // 'model'
 */
export function createModelExecutor(options: ModelExecutorOptions): Executor {
  const { role = 'model', concurrency, ratePerSecond, ...given } = options
  const means: ModelMeans = {
    ...given,
    turns: given.turns ?? 12,
    tokens: given.tokens ?? 100_000,
    timeoutMs: given.timeoutMs ?? 600_000,
    repairs: given.repairs ?? 2,
    callsAtOnce: given.callsAtOnce ?? 16,
    characters: given.characters ?? 8_000,
    askPerson: given.askPerson ?? 'withheld',
  }
  return {
    role,
    ...(concurrency !== undefined && { concurrency }),
    ...(ratePerSecond !== undefined && { ratePerSecond }),
    execute: (work, context) => {
      const { instruction, stepId } = work
      if (instruction !== undefined) return new ModelAttempt({ ...work, instruction }, context, means).run()
      return Promise.resolve({
        failure: {
          code: 'STEP_WITHOUT_INSTRUCTION',
          message: `Step "${stepId}" has no instruction, and executors of role "${work.role}" follow nothing else.`,
          hint: 'Give the step an instruction, or take its executor out.',
          retryable: false,
        },
      })
    },
  }
}
