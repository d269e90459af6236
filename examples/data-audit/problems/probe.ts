// A probe: a condition on a row that should never hold, and what it means if it does.
import type { ColumnProfile } from 'planloom/tools'
import type { Problem, ProblemCode } from './problem.ts'

export interface Probe {
  readonly code: ProblemCode
  readonly column: string
  /** SQL: true for a row that is at fault. */
  readonly condition: string
  /** SQL: what to show of it. */
  readonly shown: string
  /** SQL: which examples to show first. @default the commonest */
  readonly first?: string
  /** What the count means; `undefined` when it means nothing. */
  readonly judge: (count: number) => Pick<Problem, 'severity' | 'text'> | undefined
}

/** By its name, a column of keys or codes: not a quantity. */
export function isKey(column: Pick<ColumnProfile, 'name' | 'kind'>): boolean {
  return /(^|[\s_.])(id|ids|key|code|no|nr|number|zip|iata|fips|index)$|[a-z]Id$|^(zip|id)_?code$/i.test(column.name)
}
