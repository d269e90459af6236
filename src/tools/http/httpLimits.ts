// What the HTTP tools keep to, once the settings have been read.
import type { AllowedHost } from './allowedHosts.ts'

/** What both tools have to keep to. */
export interface HttpLimits {
  readonly hosts: readonly AllowedHost[]
  readonly maxBytes: number
  readonly timeoutMs: number
  readonly allowPrivate: boolean
  readonly headers: Readonly<Record<string, Readonly<Record<string, string>>>>
  readonly honoursKey: boolean
}
