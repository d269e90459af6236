// A tool as its author writes it: typed input and output, what it needs and gives, and a function that does it.
import type { z } from 'zod'
import type { Effects, Gift, Need, ToolDescription } from '../plan/toolDescription.ts'
import type { Retry } from '../plan/schema.ts'

export interface ToolContext {
  readonly signal: AbortSignal
  readonly runId: string
  readonly stepId: string
  readonly attempt: number
  /** The same over all attempts of the step: hand it to whatever must not happen twice. */
  readonly idempotencyKey: string
  readonly progress: (progress: { readonly done?: number; readonly total?: number; readonly text?: string }) => void
  readonly heartbeat: () => void
  readonly log: (text: string) => void
  readonly now: () => number
}

/** The properties of a tool's input, as `needs` may name them. */
export type InputProperty<I extends z.ZodType> = unknown extends z.input<I> ? string : KeysOf<z.input<I>>
type KeysOf<T> = T extends unknown ? Extract<keyof T, string> : never

export interface ToolDeclaration<I extends z.ZodType, O extends z.ZodType> {
  readonly name: string
  readonly description: string
  readonly input: I
  readonly output: O
  /** By input property: a fact name, or a need with a condition. Planners fill the property from that fact. */
  readonly needs?: { readonly [Property in InputProperty<I>]?: string | Need }
  readonly requires?: readonly Need[]
  /** By fact name: a JSON Pointer into the output, or a gift with more about it. */
  readonly gives?: Readonly<Record<string, string | Gift>>
  /** @default 1 */
  readonly cost?: number
  /** @default 1 */
  readonly likelihood?: number
  /** @default 'none' */
  readonly effects?: Effects
  /** @default true for effects `none` and `read`, else false */
  readonly idempotent?: boolean
  /** @default '1' */
  readonly version?: string
  readonly concurrency?: number
  readonly ratePerSecond?: number
  readonly timeoutMs?: number
  readonly heartbeatMs?: number
  readonly retry?: Partial<Retry> & { readonly attempts: number }
  readonly executor?: string
  run(input: z.output<I>, context: ToolContext): z.input<O> | Promise<z.input<O>>
  /** Finds out whether an attempt that was cut short (a time limit, the end of the process) had its effect, so that nobody need be
   * asked. Only for tools with effects (`write`, `external`) that are not idempotent: of others an attempt is sent again. It is
   * called with the same input and idempotency key, within the step's time limit (or a minute). */
  check?(input: z.output<I>, context: CheckContext): CheckResult<z.input<O>> | Promise<CheckResult<z.input<O>>>
}

/** What a tool's `check` is given. */
export type CheckContext = Pick<ToolContext, 'signal' | 'runId' | 'stepId' | 'attempt' | 'idempotencyKey' | 'now'>

/** What a tool's `check` gives: it happened, with the output that `run` would have given; it did not, and will not any more; or
 * it cannot be told, and why. */
export type CheckResult<Output = unknown> =
  { readonly happened: true; readonly output: Output } | { readonly happened: false } | { readonly unknown: string }

/** What `defineTool` gives: the declaration with its defaults filled in. `planloom/tools` has the built-in ones. */
export interface Tool<I extends z.ZodType = z.ZodType, O extends z.ZodType = z.ZodType> {
  readonly description: ToolDescription
  readonly input: I
  readonly output: O
  // A method, so that a tool with a narrow input still is a `Tool`: `carryOut` checks the input before it comes here.
  run(input: z.output<I>, context: ToolContext): z.input<O> | Promise<z.input<O>>
  check?(input: z.output<I>, context: CheckContext): CheckResult<z.input<O>> | Promise<CheckResult<z.input<O>>>
}
