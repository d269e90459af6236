// When a run's snapshots are taken.
//
// W1. Each is taken when twice as many events have come as at the one before, and the last at the run's end: all of them
//     together take no more than a few times what the last one does, however long the run is.
// W2. A short run has none: it is replayed in no time.

/** Events before the first snapshot. */
const firstAt = 1_000

export class SnapshotSchedule {
  #last: number

  /** @param last event of the latest snapshot that there is */
  constructor(last = 0) {
    this.#last = last
  }

  /** Whether one is to be taken after event `seq`; it counts as taken then. */
  isDue(seq: number, isOver: boolean): boolean {
    const isDue = isOver ? seq >= firstAt : seq >= Math.max(firstAt, this.#last * 2)
    if (isDue) this.#last = seq
    return isDue
  }
}
