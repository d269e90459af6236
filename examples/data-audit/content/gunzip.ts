// What is in a gzip archive, piece by piece: a packed table is a table like any other.
import { createReadStream } from 'node:fs'
import { pipeline } from 'node:stream'
import { createGunzip } from 'node:zlib'

/** The bytes in a gzip archive, in order. @throws what zlib says of an archive that is damaged, after what came before. */
export async function* unpacked(path: string, signal?: AbortSignal): AsyncGenerator<Uint8Array> {
  const inside = createGunzip({ chunkSize: 256 * 1024 })
  // Errors of the file come out of `inside` as well, and leaving it early closes the file.
  pipeline(createReadStream(path), inside, () => undefined)
  for await (const piece of inside) {
    signal?.throwIfAborted()
    yield piece as Uint8Array
  }
}
