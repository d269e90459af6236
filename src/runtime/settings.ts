// Limits and settings of a run, with their defaults.
import { PlanloomError } from '../errors.ts'
import type { RunLimits, RunSettings } from '../machines/coordinator.messages.ts'
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

/** @throws `LIMITS_INVALID` when a limit is no number, too small, or one that there is not. */
export function settingsOf(options: RuntimeOptions, start: StartOptions, seed: number): RunSettings {
  // The runtime's own limit is not the run's.
  const { totalConcurrency: _total, ...limits } = options.limits ?? {}
  return {
    limits: { ...defaultLimits, ...checkLimits(limits), ...checkLimits(start.limits ?? {}) },
    approval: start.approval ?? options.approval ?? 'none',
    dispatch: options.dispatch ?? 'eager',
    seed,
  }
}

/** Least sensible value of each limit. */
const least: Readonly<Record<Exclude<keyof RunLimits, 'roles'>, number>> = {
  concurrency: 1,
  plannerCalls: 0,
  replans: 0,
  tokens: 0,
  cost: 0,
  timeMs: 0,
  plannerMs: 1,
  graceMs: 0,
  steps: 1,
  sameFailure: 1,
  depth: 0,
}

export function checkLimits(limits: Partial<RunLimits>): Partial<RunLimits> {
  const problems: string[] = []
  for (const [name, value] of Object.entries(limits)) {
    if (name === 'roles') continue
    const floor = Object.hasOwn(least, name) ? least[name as keyof typeof least] : undefined
    if (floor === undefined)
      problems.push(`there is no limit "${name}" (there are: ${Object.keys(least).join(', ')}, roles)`)
    else if (typeof value !== 'number' || !Number.isFinite(value) || value < floor)
      problems.push(`"${name}" is ${JSON.stringify(value)}, and must be a finite number of at least ${String(floor)}`)
  }
  for (const [role, value] of Object.entries(limits.roles ?? {})) {
    if (!(value >= 1)) problems.push(`the limit of role "${role}" is ${String(value)}, and must be at least 1`)
  }
  if (problems.length === 0) return limits
  throw new PlanloomError('LIMITS_INVALID', `The limits are not valid: ${problems.join('; ')}.`, {
    hint: 'Correct them; "unlimited" stands for no limit.',
  })
}
