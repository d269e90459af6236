// The ledger of a snapshot: a column for each field that every step has, and the rest where it is.
import type { StepStatus } from '../../machines/reports.messages.ts'
import { freshEntry, type Entry } from '../../machines/decisions/ledger.ts'

type Rest = Partial<
  Omit<Entry, 'status' | 'attempt' | 'tries' | 'generation' | 'rank' | 'missing' | 'startedAt' | 'endedAt'>
>

export interface LedgerTable {
  readonly ids: readonly string[]
  readonly status: readonly StepStatus[]
  readonly attempt: readonly number[]
  readonly tries: readonly number[]
  readonly generation: readonly number[]
  readonly rank: readonly number[]
  readonly missing: readonly number[]
  /** ms since the epoch; null where it has not happened. */
  readonly startedAt: readonly (number | null)[]
  readonly endedAt: readonly (number | null)[]
  readonly rest: readonly (readonly [index: number, rest: Rest])[]
}

export function writeLedger(entries: Iterable<readonly [string, Entry]>): LedgerTable {
  const all = [...entries]
  const column = <K extends keyof Entry>(key: K): Entry[K][] => all.map(([, entry]) => entry[key])
  const times = (key: 'startedAt' | 'endedAt'): (number | null)[] => all.map(([, entry]) => entry[key] ?? null)
  return {
    ids: all.map(([id]) => id),
    status: column('status'),
    attempt: column('attempt'),
    tries: column('tries'),
    generation: column('generation'),
    rank: column('rank'),
    missing: column('missing'),
    startedAt: times('startedAt'),
    endedAt: times('endedAt'),
    rest: all.flatMap(([, entry], index) => {
      const rest = restOf(entry)
      return rest === undefined ? [] : [[index, rest] as const]
    }),
  }
}

export function* readLedger(table: LedgerTable): Generator<[string, Entry]> {
  const rest = new Map(table.rest)
  for (const [index, id] of table.ids.entries()) {
    const at = <T>(column: readonly T[]): T => column[index] as T
    const entry: Entry = {
      ...freshEntry,
      status: at(table.status),
      attempt: at(table.attempt),
      tries: at(table.tries),
      generation: at(table.generation),
      rank: at(table.rank),
      missing: at(table.missing),
      startedAt: at(table.startedAt) ?? undefined,
      endedAt: at(table.endedAt) ?? undefined,
      ...rest.get(index),
    }
    yield [id, entry]
  }
}

function restOf(entry: Entry): Rest | undefined {
  const { failure, causedBy, approved, heldBy, undecided, loss, subRunId, reusedFrom } = entry
  const rest: Rest = {
    ...(failure !== undefined && { failure }),
    ...(causedBy !== undefined && { causedBy }),
    ...(approved !== undefined && { approved }),
    ...(heldBy !== undefined && { heldBy }),
    ...(undecided !== undefined && { undecided }),
    ...(loss !== undefined && { loss }),
    ...(subRunId !== undefined && { subRunId }),
    ...(reusedFrom !== undefined && { reusedFrom }),
  }
  return Object.keys(rest).length === 0 ? undefined : rest
}
