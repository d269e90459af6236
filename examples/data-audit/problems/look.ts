// A look at one table: a session in which it can be queried, and what is known of it.
import type { Session, TableProfile } from 'planloom/tools'

export interface Look {
  readonly session: Session
  /** Name of the table in SQL. */
  readonly table: string
  readonly profile: TableProfile
}
