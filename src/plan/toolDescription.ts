// What a plan needs to know about a tool: data only, so that a plan can be checked, and planned, away from any run.
import type { Json, JsonSchema } from './json.ts'
import type { Retry } from './schema.ts'

/** A fact that a tool needs. `is`: on what condition. `each`: the whole list of it, one for each item. */
export interface Need {
  readonly fact: string
  readonly is?: JsonSchema
  readonly each?: boolean
}

/** A fact that a tool gives: where in the output it stands, and what is known of it before the tool has run. */
export interface Gift {
  /** JSON Pointer into the output. */
  readonly from: string
  /** The value there is an array, and each element becomes a fact of its own: `file[0]`, `file[1]`, …: it opens a list. */
  readonly each?: boolean
  /** What the value will certainly satisfy. */
  readonly is?: JsonSchema
  /** What the value will probably be, from facts that are known: the first rule whose condition holds. Becomes an assumption. */
  readonly predict?: readonly { readonly fact: string; readonly is: JsonSchema; readonly value: Json }[]
}

/** What happens outside: `none` (pure), `read`, `write` (within reach: files, a database), `external` (a mail, a payment). */
export type Effects = 'none' | 'read' | 'write' | 'external'

/** Whether something outside is changed. */
export function changesSomething(effects: Effects | undefined): boolean {
  return effects === 'write' || effects === 'external'
}

export interface ToolDescription {
  readonly name: string
  readonly description: string
  readonly input: JsonSchema
  readonly output: JsonSchema
  /** By input property: the fact that fills it. */
  readonly needs: Readonly<Record<string, Need>>
  /** Conditions on facts that are not passed as input. */
  readonly requires: readonly Need[]
  /** By fact name. */
  readonly gives: Readonly<Record<string, Gift>>
  /** In one unit for all tools of a registry; 1 by default. */
  readonly cost: number
  /** Probability of success, above 0 and up to 1. */
  readonly likelihood: number
  readonly effects: Effects
  readonly idempotent: boolean
  readonly version: string
  /** Attempts of it at once, over all runs of a runtime. */
  readonly concurrency?: number
  /** Starts per second, over all runs of a runtime. */
  readonly ratePerSecond?: number
  readonly timeoutMs?: number
  /** Longest silence: an attempt that neither reports progress nor a heartbeat for so long has hung. */
  readonly heartbeatMs?: number
  readonly retry?: Retry
  /** Role of the executor that carries it out; `tool` by default. */
  readonly executor?: string
}

/** The tools that a plan may use, by name. */
export type ToolCatalogue = ReadonlyMap<string, ToolDescription>
