// A context for tools that are tried alone, and what they reported through it.
import type { ToolContext } from '../../src/tools/tool.ts'

export interface TriedContext extends ToolContext {
  readonly reported: readonly object[]
  readonly abort: (reason?: unknown) => void
}

export function toolContext(given: Partial<ToolContext> = {}): TriedContext {
  const controller = new AbortController()
  const reported: object[] = []
  return {
    signal: controller.signal,
    runId: 'run-1',
    stepId: 'step',
    attempt: 1,
    idempotencyKey: 'run-1/step',
    progress: (progress) => reported.push(progress),
    heartbeat: () => undefined,
    log: (text) => reported.push({ text }),
    now: () => 0,
    ...given,
    reported,
    abort: (reason) => {
      controller.abort(reason)
    },
  }
}
