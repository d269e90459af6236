// What the gate of a runtime holds back: the limits that tools and executors declare, and the runtime's own.
import type { Executor } from '../actors/executors/executor.ts'
import type { ToolCatalogue } from '../plan/toolDescription.ts'
import type { GateLimits } from './gate.ts'

export function gateLimits(
  tools: ToolCatalogue,
  executors: ReadonlyMap<string, Executor>,
  total: number | undefined,
): GateLimits {
  const concurrency = new Map<string, number>()
  const ratePerSecond = new Map<string, number>()
  const note = (name: string, limited: { readonly concurrency?: number; readonly ratePerSecond?: number }): void => {
    if (limited.concurrency !== undefined) concurrency.set(name, limited.concurrency)
    if (limited.ratePerSecond !== undefined) ratePerSecond.set(name, limited.ratePerSecond)
  }
  for (const [name, tool] of tools) note(`tool:${name}`, tool)
  for (const [role, executor] of executors) note(`role:${role}`, executor)
  return { total: total ?? 256, concurrency, ratePerSecond }
}
