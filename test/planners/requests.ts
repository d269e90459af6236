// What planners are asked with, for tests: small requests, a clock that stands still, a run that has not begun.
import type { PlannerContext, PlanRequest } from '../../src/actors/planners/planner.ts'
import type { FactReport, PlanSituation } from '../../src/machines/reports.messages.ts'
import type { RunLimits } from '../../src/machines/settings.messages.ts'
import type { Json } from '../../src/plan/json.ts'
import type { Plan } from '../../src/plan/schema.ts'

const wideLimits: RunLimits = {
  concurrency: 64,
  roles: {},
  plannerCalls: 1000,
  replans: 1000,
  tokens: Number.MAX_SAFE_INTEGER,
  cost: Number.MAX_SAFE_INTEGER,
  timeMs: Number.MAX_SAFE_INTEGER,
  plannerMs: 60_000,
  graceMs: 1000,
  steps: 100_000,
  sameFailure: 3,
  depth: 8,
}

export function requestFor(request: Partial<PlanRequest>): PlanRequest {
  return { goal: { text: 'go' }, tools: [], facts: [], limits: wideLimits, findings: [], ...request }
}

export function contextAt(now: number): PlannerContext {
  return { signal: new AbortController().signal, now: () => now }
}

export function factsOf(values: Readonly<Record<string, Json>>): FactReport[] {
  return Object.entries(values).map(([key, value]) => ({ key, value, by: 'goal', at: 0 }))
}

/** A run of which nothing is known yet but its plan and facts. */
export function situationOf(plan: Plan, facts: readonly FactReport[] = []): PlanSituation {
  return {
    plan,
    step: (id) => (plan.steps.some((step) => step.id === id) ? { status: 'waiting', attempt: 0 } : undefined),
    output: () => undefined,
    fact: (key) => facts.find((fact) => fact.key === key),
    facts: () => facts,
  }
}
