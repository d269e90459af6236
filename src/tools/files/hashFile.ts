// The SHA-256 of a file, read piece by piece: of any size, in little memory.
import { createHash } from 'node:crypto'
import { openFile } from './openInside.ts'
import { chunksOf } from './readFile.ts'
import type { Roots } from './resolveInside.ts'

/** Hashes a file.
 *
 * @throws `FILE_MISSING`, `NOT_A_FILE`, `NO_PERMISSION`, `PATH_OUTSIDE`
 */
export async function hashFile(
  roots: Roots,
  path: string,
  signal: AbortSignal,
): Promise<{ readonly sha256: string; readonly sizeBytes: number }> {
  await using file = await openFile(roots, path)
  const hash = createHash('sha256')
  let sizeBytes = 0
  for await (const chunk of chunksOf(file, path, signal)) {
    hash.update(chunk)
    sizeBytes += chunk.length
  }
  return { sha256: hash.digest('hex'), sizeBytes }
}
