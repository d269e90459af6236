// Outputs that steps with `cache` take from earlier runs of the journal, and leave to later ones.
//
// R1. The same tool, version and input: anything else is another question.
// R2. What is taken is judged as if the tool had given it now: its output schema, its facts, the step's `expect`. What does
//     not pass is left alone, and the step runs.
// R3. Kept is what a tool has given in an attempt that succeeded; never a surprise, an answer of a person, or a late output.
// R4. A store that fails costs a warning: the step runs.
import { brokenExpectation } from '../actors/executors/attemptOutcome.ts'
import type { ReadAnswer } from '../actors/executors/personExecutor.ts'
import type { ReusableOutput, ReuseStore } from '../journal/reuse.ts'
import type { StepExecute } from '../machines/command.messages.ts'
import type { Draft, StepSucceeded } from '../machines/coordinator.messages.ts'
import { attemptKey } from '../machines/executor.messages.ts'
import { hashJson } from '../plan/hash.ts'
import type { ToolCatalogue } from '../plan/toolDescription.ts'

export interface OutputReuseOptions {
  readonly runId: string
  readonly store: ReuseStore | undefined
  readonly tools: ToolCatalogue
  readonly readAnswer: ReadAnswer
}

type Attempt = Pick<StepExecute, 'stepId' | 'attempt'>

export class OutputReuse {
  readonly #options: OutputReuseOptions
  /** Attempts that are out, and what their outputs answer. */
  readonly #out = new Map<string, Omit<ReusableOutput, 'value'>>()

  constructor(options: OutputReuseOptions) {
    this.#options = options
  }

  /** The outcome of an attempt, without carrying it out; where there is none, its output will be wanted. */
  find(work: StepExecute): Draft<StepSucceeded> | undefined {
    const { store, tools, runId } = this.#options
    const { tool, stepId } = work
    const description = tool === undefined ? undefined : tools.get(tool)
    if (work.cache !== true || store === undefined || description === undefined) return undefined
    const { name, version } = description
    const key = hashJson({ role: work.role, tool: name, version, input: work.input }) // R1
    const taken = this.#take(work, key, store)
    if (taken === undefined) this.#out.set(attemptKey(work), { key, name, origin: { runId, stepId } })
    return taken
  }

  /** What an attempt leaves to others that has given this output (R3). */
  kept({ stepId, attempt, output }: Draft<StepSucceeded>): ReusableOutput | undefined {
    if (this.#out.size === 0) return undefined
    const question = this.#out.get(attemptKey({ stepId, attempt }))
    return question && { ...question, value: output }
  }

  /** Whatever the attempt still says, nobody keeps it. */
  end(attempt: Attempt): void {
    if (this.#out.size > 0) this.#out.delete(attemptKey(attempt))
  }

  #take(work: StepExecute, key: string, store: ReuseStore): Draft<StepSucceeded> | undefined {
    const { stepId, attempt } = work
    try {
      const found = store.find('step', key)
      if (found?.origin === undefined) return undefined
      const { origin: reusedFrom, value } = found
      const read = this.#options.readAnswer(work, value)
      if ('failure' in read || brokenExpectation(work, read.output) !== undefined) return undefined // R2
      return { type: 'step.succeeded', stepId, attempt, output: read.output, facts: read.facts, reusedFrom }
    } catch (error) {
      const why = error instanceof Error ? error.message : String(error)
      process.emitWarning(`The kept output for step "${stepId}" cannot be taken, so it runs: ${why}`, {
        code: 'REUSE_FAILED',
      })
      return undefined // R4
    }
  }
}
