// Cutting the bytes of an answer into chunks, at any place: within a character, within a line, within JSON.

export type Chunking = 'events' | 'whole' | 'bytes' | readonly number[]

/** Cuts bytes by sizes in turn; 'events' and 'whole' leave them as they are. */
export function* inCuts(bytes: Buffer, chunking: Chunking): Generator<Buffer> {
  if (chunking === 'events' || chunking === 'whole') {
    if (bytes.length > 0) yield bytes
    return
  }
  const sizes = chunking === 'bytes' ? [1] : chunking
  let turn = 0
  for (let at = 0; at < bytes.length;) {
    const size = Math.max(1, sizes[turn++ % sizes.length] ?? 1)
    yield bytes.subarray(at, at + size)
    at += size
  }
}
