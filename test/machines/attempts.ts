// Attempts and behaviours for tests of executors and pools.
import type { StepAbort, StepExecute } from '../../src/machines/command.messages.ts'
import type { AttemptOutcome, ExecutorBehaviour } from '../../src/machines/executor.messages.ts'

export function execute(stepId: string, more: Partial<StepExecute> = {}): StepExecute {
  return {
    type: 'step.execute',
    runId: 'run-1',
    stepId,
    attempt: 1,
    idempotencyKey: `run-1/${stepId}`,
    role: 'tool',
    tool: 'noop',
    input: {},
    ...more,
  }
}

export function abort(stepId: string, because = 'no longer needed', attempt = 1): StepAbort {
  return { type: 'step.abort', stepId, attempt, role: 'tool', because }
}

export function succeeded(stepId: string, attempt = 1): AttemptOutcome {
  return { type: 'step.succeeded', stepId, attempt, output: null, facts: [] }
}

/** Throws what is no Error, as tools and planners in JavaScript may. */
export function raise(value: unknown): never {
  throw value
}

/** A behaviour that a test drives by hand: it notes what it hears, and ends an attempt when it is told to. */
export interface HandBehaviour {
  readonly behaviour: ExecutorBehaviour
  readonly heard: (StepExecute | StepAbort)[]
  /** Ids of the executors whose cleanup has not run. XState runs none for those that have broken. */
  readonly alive: Set<string>
  /** Ends the attempt that was given out last for this step. */
  end(stepId: string, outcome?: AttemptOutcome): void
  /** Executor that has this step. */
  executorOf(stepId: string): string | undefined
  /** Steps whose executor breaks when it hears of them. */
  readonly poisoned: Set<string>
}

export function createHandBehaviour(): HandBehaviour {
  const heard: (StepExecute | StepAbort)[] = []
  const alive = new Set<string>()
  const poisoned = new Set<string>()
  const held = new Map<string, { readonly id: string; readonly end: (outcome: AttemptOutcome) => void }>()
  return {
    heard,
    alive,
    poisoned,
    executorOf: (stepId) => held.get(stepId)?.id,
    end(stepId, outcome = succeeded(stepId)) {
      held.get(stepId)?.end(outcome)
    },
    behaviour: ({ id, receive, reply }) => {
      alive.add(id)
      receive((message) => {
        heard.push(message)
        if (poisoned.has(message.stepId)) {
          for (const [stepId, attempt] of held) if (attempt.id === id) held.delete(stepId)
          throw new Error(`broken by ${message.stepId}`)
        }
        if (message.type === 'step.abort') return
        held.set(message.stepId, {
          id,
          end: (outcome) => {
            reply({ type: 'attempt.settled', executorId: id, outcome })
          },
        })
      })
      return () => {
        alive.delete(id)
      }
    },
  }
}
