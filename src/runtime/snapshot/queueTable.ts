// The queues of a snapshot: who waits for whom, and what is ready.
import { Map as PersistentMap } from 'immutable'
import type { CoordinatorContext } from '../../machines/coordinator.context.ts'
import { eachLink, type Link } from '../../machines/decisions/ledger.ts'
import { pushReady, type ReadyQueue } from '../../machines/decisions/readyQueue.ts'

/** Steps by their place in the ledger, or by id where they have none. */
type Place = number | string

export interface QueueTable {
  readonly dependents: readonly (readonly [step: Place, dependents: readonly Place[]])[]
  readonly ready: readonly (readonly [lane: string, waiting: readonly (readonly [rank: number, step: Place])[]])[]
}

export function writeQueues(
  { dependents, ready }: Pick<CoordinatorContext, 'dependents' | 'ready'>,
  ids: readonly string[],
): QueueTable {
  const places = new Map(ids.map((id, index) => [id, index]))
  const placeOf = (id: string): Place => places.get(id) ?? id
  return {
    dependents: [...dependents].map(([id, link]) => [placeOf(id), [...eachLink(link)].map(placeOf)]),
    ready: [...ready].map(([lane, queue]) => [lane, [...eachReady(queue)].map(({ rank, id }) => [rank, placeOf(id)])]),
  }
}

export function readQueues(
  table: QueueTable,
  ids: readonly string[],
): Pick<CoordinatorContext, 'dependents' | 'ready'> {
  const idOf = (place: Place): string => (typeof place === 'string' ? place : (ids[place] ?? ''))
  return {
    dependents: PersistentMap(
      table.dependents.map(([step, all]) => {
        const link = all.reduceRight<Link | undefined>((next, place) => ({ id: idOf(place), next }), undefined)
        return [idOf(step), link as Link] as const
      }),
    ),
    ready: PersistentMap(
      table.ready.map(([lane, waiting]) => {
        const queue = waiting.reduce<ReadyQueue | undefined>(
          (rest, [rank, place]) => pushReady(rest, rank, idOf(place)),
          undefined,
        )
        return [lane, queue as ReadyQueue] as const
      }),
    ),
  }
}

/** In no order. Without recursion: the left side of a leftist heap may be as deep as it has steps. */
function* eachReady(queue: ReadyQueue): Generator<ReadyQueue> {
  const open: ReadyQueue[] = [queue]
  for (let next = open.pop(); next !== undefined; next = open.pop()) {
    yield next
    if (next.left !== undefined) open.push(next.left)
    if (next.right !== undefined) open.push(next.right)
  }
}
