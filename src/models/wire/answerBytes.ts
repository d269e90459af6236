// The bytes of a server's answer, as they come.
//
// B1. No more than `maxBytes` is taken: the rest is not waited for.
// B2. When the signal fires, reading ends at once with its reason, and the connection is gone.

export interface ByteLimits {
  readonly maxBytes: number
  readonly signal: AbortSignal
  /** Told of every chunk. */
  readonly onChunk: () => void
}

/** An answer is longer than it may be. */
export class TooManyBytes extends Error {
  override readonly name = 'TooManyBytes'
}

export async function* answerBytes(
  body: ReadableStream<Uint8Array>,
  { maxBytes, signal, onChunk }: ByteLimits,
): AsyncGenerator<Uint8Array> {
  const reader = body.getReader()
  const stop = (): void => {
    reader.cancel(signal.reason).catch(() => undefined) // B2
  }
  signal.addEventListener('abort', stop)
  let taken = 0
  try {
    for (;;) {
      signal.throwIfAborted()
      const { done, value } = await reader.read()
      signal.throwIfAborted()
      if (done) return
      taken += value.length
      if (taken > maxBytes) throw new TooManyBytes(`longer than ${maxBytes} bytes`) // B1
      onChunk()
      yield value
    }
  } finally {
    signal.removeEventListener('abort', stop)
    reader.cancel().catch(() => undefined) // whoever stops reading lets the connection go
  }
}
