// Tools for tests: real ones, that do little and say what they did.
import { z } from 'zod'
import { defineTool, ToolError, type Tool, type ToolDeclaration } from '../../src/runtime/index.ts'
import type { VirtualClock } from './virtualClock.ts'

/** Gives its input back. */
export const echo = defineTool({
  name: 'echo',
  description: 'Gives its input back.',
  input: z.record(z.string(), z.unknown()),
  output: z.record(z.string(), z.unknown()),
  run: (input) => input,
})

/** Fails with a code and message of one's choice, not worth another attempt. */
export const fail = defineTool({
  name: 'fail',
  description: 'Fails.',
  input: z.object({ code: z.string().default('BROKEN'), message: z.string().default('it broke') }),
  output: z.object({}),
  run: ({ code, message }) => {
    throw new ToolError(code, message, { retryable: false })
  },
})

/** Takes `ms` of the clock's time, and stops when its signal fires. */
export function waitTool(clock: VirtualClock, more: Partial<ToolDeclaration<z.ZodType, z.ZodType>> = {}): Tool {
  return defineTool({
    description: 'Takes time.',
    name: 'wait',
    ...(more as object),
    input: z.object({ ms: z.number(), value: z.unknown().optional() }),
    output: z.object({ endedAt: z.number(), value: z.unknown().optional() }),
    run: async ({ ms, value }, { signal }) => {
      await clock.wait(ms, signal)
      return { endedAt: clock.now(), ...(value !== undefined && { value }) }
    },
  })
}

/** Never settles and does not look at its signal. */
export const hang = defineTool({
  name: 'hang',
  description: 'Never settles, whatever its signal says.',
  input: z.object({}),
  output: z.object({}),
  run: () => new Promise<never>(() => undefined),
})
