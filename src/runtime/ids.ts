// Ids and seeds: the one place where something random is made, from a seed where one is given.
const alphabet = '0123456789abcdefghjkmnpqrstvwxyz'

export interface IdSource {
  /** `run-` and twelve characters. */
  runId(): string
  /** An integer from 0 to 2^32 - 1. */
  seed(): number
}

export function createIdSource(seed?: number): IdSource {
  const next = seed === undefined ? randomInteger : seededIntegers(seed)
  return {
    seed: next,
    runId() {
      let id = 'run-'
      for (let length = 0; length < 12; length++) id += alphabet.charAt(next() % alphabet.length)
      return id
    },
  }
}

function randomInteger(): number {
  return crypto.getRandomValues(new Uint32Array(1))[0] ?? 0
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
