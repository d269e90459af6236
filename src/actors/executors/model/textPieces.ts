// An answer as it is being written, told piece by piece: each of limited size, and not without end.
import type { ExecutorContext } from '../executor.ts'

/** As much as goes into one piece. */
const longestPiece = 1_000
/** Characters of all pieces of an attempt; what is beyond is not told. */
const mostTold = 200_000

export class TextPieces {
  readonly #progress: ExecutorContext['progress']
  #told = 0

  constructor(progress: ExecutorContext['progress']) {
    this.#progress = progress
  }

  push(piece: unknown): void {
    if (typeof piece !== 'string') return
    const text = piece.slice(0, mostTold - this.#told)
    this.#told += text.length
    for (let at = 0; at < text.length; at += longestPiece) this.#progress({ delta: text.slice(at, at + longestPiece) })
  }
}
