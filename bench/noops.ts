// What the scripts that measure a step share: a tool that does nothing, plans of it, and the median.
import { z } from 'zod'
import type { Plan } from '../src/plan/schema.ts'
import type { ToolDescription } from '../src/plan/toolDescription.ts'
import { defineTool } from '../src/runtime/index.ts'

export const noop = defineTool({
  name: 'noop',
  description: 'Does nothing.',
  input: z.object({}),
  output: z.null(),
  run: () => null,
})

/** What a description says of a tool that does nothing outside and needs no facts. */
export const plainTraits = {
  needs: {},
  requires: [],
  gives: {},
  cost: 1,
  likelihood: 1,
  effects: 'none',
  idempotent: true,
  version: '1',
} as const satisfies Partial<ToolDescription>

/** @param after by step index: the steps that it needs */
export function planOf(after: readonly (readonly number[])[]): Plan {
  return {
    id: 'bench',
    goal: { text: 'measure' },
    revision: 1,
    parent: null,
    by: { planner: 'bench' },
    because: { type: 'first', text: 'first plan' },
    assumptions: [],
    steps: after.map((dependencies, index) => ({
      id: `s${String(index)}`,
      tool: 'noop',
      ...(dependencies.length > 0 && { after: dependencies.map((dependency) => `s${String(dependency)}`) }),
    })),
  }
}

export function median(values: readonly number[]): number {
  const sorted = [...values].sort((a, b) => a - b)
  return sorted[Math.floor(sorted.length / 2)] ?? NaN
}
