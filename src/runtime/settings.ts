// Limits and settings of a run, with their defaults.
import type { Planner } from '../actors/planners/planner.ts'
import type { RunLimits, RunSettings } from '../machines/settings.messages.ts'
import type { RuntimeOptions, StartOptions } from './runtime.ts'

/** "No limit", as a number that JSON can hold. */
export const unlimited = Number.MAX_SAFE_INTEGER

export const defaultLimits: RunLimits = {
  concurrency: 64,
  roles: {},
  plannerCalls: 100,
  replans: 50,
  tokens: unlimited,
  cost: unlimited,
  timeMs: unlimited,
  plannerMs: 120_000,
  graceMs: 5_000,
  steps: 100_000,
  sameFailure: 3,
  depth: 8,
}

/** The runtime's limits, and the run's own before them. Both have been checked. */
export function settingsOf(options: RuntimeOptions, start: StartOptions, seed: number, planner?: Planner): RunSettings {
  const amendments = start.amendments ?? options.amendments ?? (planner?.readsOutputs ? 'effects' : 'free')
  // The runtime's own limit is not the run's.
  const { totalConcurrency: _total, ...limits } = options.limits ?? {}
  return {
    limits: {
      ...defaultLimits,
      ...namedLimits(limits),
      ...namedLimits(start.limits ?? {}),
      roles: { ...limits.roles, ...start.limits?.roles },
    },
    approval: start.approval ?? options.approval ?? 'none',
    ...(amendments === 'effects' && { amendments }),
    dispatch: options.dispatch ?? 'eager',
    seed,
    uncertain: start.uncertain ?? options.uncertain ?? 'replan',
  }
}

/** Those that are given a value: `undefined` stands for the default. */
export function namedLimits(limits: Partial<RunLimits>): Partial<RunLimits> {
  return Object.fromEntries(
    Object.entries(limits as Readonly<Record<string, unknown>>).filter(([, value]) => value !== undefined),
  )
}
