// Ids and seeds: the one place where something random is made, from a seed where one is given.
const alphabet = '0123456789abcdefghjkmnpqrstvwxyz'

export interface IdSource {
  /** `run-` and twelve characters. */
  runId(): string
  /** An integer from 0 to 2^32 - 1. */
  seed(): number
}

export function createIdSource(seed?: number): IdSource {
  const next = seed === undefined ? randomIntegers() : seededIntegers(seed)
  return {
    seed: next,
    runId() {
      let id = 'run-'
      for (let length = 0; length < 12; length++) id += alphabet.charAt(next() % alphabet.length)
      return id
    },
  }
}

/** Fetched many at a time: each fetch costs as much as a step. */
function randomIntegers(): () => number {
  const fetched = new Uint32Array(256)
  let next = fetched.length
  return () => {
    if (next === fetched.length) {
      crypto.getRandomValues(fetched)
      next = 0
    }
    return fetched[next++] ?? 0
  }
}

/** mulberry32: small, fast, and the same everywhere. */
function seededIntegers(seed: number): () => number {
  let state = seed >>> 0
  return () => {
    state = (state + 0x6d2b79f5) >>> 0
    let mixed = Math.imul(state ^ (state >>> 15), state | 1)
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61)
    return (mixed ^ (mixed >>> 14)) >>> 0
  }
}
