// How much may begin within a minute.
//
// W1. In any minute, what has begun comes to no more than the limit, by what was known of each when the next one began.
// W2. What is more than the limit by itself goes when nothing else is in the minute: it could never go otherwise.
// W3. Nothing waits longer than W1 and W2 ask for.

export interface Share {
  /** What it turned out to be. Changes nothing once it is out of the minute. */
  correct(amount: number): void
}

interface Entry {
  readonly at: number
  amount: number
  isOut: boolean
}

const minuteMs = 60_000

export class SlidingWindow {
  #limit: number
  #sum = 0
  /** In order of time; those before `#first` are out of the minute. */
  #entries: Entry[] = []
  #first = 0

  constructor(limit = Infinity) {
    this.#limit = limit
  }

  lower(limit: number): void {
    this.#limit = Math.min(this.#limit, limit)
  }

  /** The earliest time at which this much may begin; a time that is past where it may now. */
  freeAt(amount: number, now: number): number {
    if (this.#limit === Infinity) return -Infinity
    this.#drop(now)
    let left = this.#sum
    let at = -Infinity
    for (let index = this.#first; left > 0 && left + amount > this.#limit; index++) {
      const entry = this.#entries[index]
      if (entry === undefined) break
      left -= entry.amount
      at = entry.at + minuteMs
    }
    return at
  }

  take(amount: number, now: number): Share {
    if (this.#limit === Infinity) return { correct: () => undefined }
    this.#drop(now)
    const entry: Entry = { at: now, amount, isOut: false }
    this.#entries.push(entry)
    this.#sum += amount
    return {
      correct: (used) => {
        if (entry.isOut) return
        this.#sum += used - entry.amount
        entry.amount = used
      },
    }
  }

  #drop(now: number): void {
    for (
      let entry = this.#entries[this.#first];
      entry && entry.at + minuteMs <= now;
      entry = this.#entries[this.#first]
    ) {
      this.#sum -= entry.amount
      entry.isOut = true
      this.#first += 1
    }
    if (this.#first > 1_000 || this.#first === this.#entries.length) {
      this.#entries = this.#entries.slice(this.#first)
      this.#first = 0
    }
  }
}
