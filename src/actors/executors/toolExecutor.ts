// The tool executor: carries out steps with tools. It knows no registry; it is given what runs a tool by name.
import type { StepExecute } from '../../machines/command.messages.ts'
import type { Executor, ExecutorContext, StepResult } from './executor.ts'

export interface ToolExecutorOptions {
  /** Runs the tool that the attempt names: checks its input, calls it, checks its output, and collects the facts it gives. */
  readonly carryOut: (work: StepExecute, context: ExecutorContext) => Promise<StepResult>
  /** @default 'tool' */
  readonly role?: string
  /** Attempts at once, over all runs of a runtime. @default no limit but those of the run and the runtime */
  readonly concurrency?: number
  /** Starts per second, over all runs of a runtime. */
  readonly ratePerSecond?: number
  /** Whether `carryOut` has looked through its outputs already. @default 'checked' */
  readonly outputs?: Executor['outputs']
}

/** Makes the executor of the steps that name a tool. */
export function createToolExecutor({
  carryOut,
  role = 'tool',
  outputs = 'checked',
  ...limits
}: ToolExecutorOptions): Executor {
  return {
    role,
    outputs,
    ...limits,
    execute: (work, context) =>
      work.tool === undefined ? Promise.resolve({ failure: withoutTool(work) }) : carryOut(work, context),
  }
}

function withoutTool({ stepId, role }: StepExecute): Extract<StepResult, { readonly failure: object }>['failure'] {
  return {
    code: 'STEP_WITHOUT_TOOL',
    message: `Step "${stepId}" names no tool, and executors of role "${role}" carry out nothing else.`,
    hint: 'Give the step a tool, or the role of an executor that follows instructions.',
    retryable: false,
  }
}
