// Writing a file so that readers see the old content or the new, never a part.
//
// W1. The content goes into a temporary file beside it, reaches the disk, and is then renamed: one step for the system.
// W2. If anything fails, the temporary file is taken away and what was there before is unharmed.
import { createHash } from 'node:crypto'
import { constants } from 'node:fs'
import { link, lstat, open, rename, unlink } from 'node:fs/promises'
import { codeOf, fileFailure, notAFileFailure } from './fileFailure.ts'
import { hashFile } from './hashFile.ts'
import { openParent, type OpenFolder } from './openInside.ts'
import type { Roots } from './resolveInside.ts'

export interface WriteOptions {
  readonly path: string
  readonly content: Buffer
  /** Whether folders that are missing are made. */
  readonly parents: boolean
  readonly ifExists: 'replace' | 'fail'
  /** Names the temporary file; two writers at once need two. */
  readonly key: string
  readonly signal: AbortSignal
}

/** Writes a file whole. With `ifExists: 'fail'` a file with the very same content is no failure, so that an attempt may come
 * twice.
 *
 * @throws `FILE_EXISTS`, `FOLDER_MISSING`, `NOT_A_FILE`, `NO_PERMISSION`, `READ_ONLY`, `DISK_FULL`, `PATH_OUTSIDE`
 */
export async function writeWhole(
  roots: Roots,
  options: WriteOptions,
): Promise<{ readonly sha256: string; readonly sizeBytes: number }> {
  const { path, content, parents, ifExists, key, signal } = options
  const written = { sha256: createHash('sha256').update(content).digest('hex'), sizeBytes: content.length }
  const { folder: opened, name } = await openParent(roots, path, { create: parents })
  await using folder = opened
  const before = await lstat(folder.in(name)).catch(() => undefined)
  if (before !== undefined && !before.isFile()) throw notAFileFailure(path)
  const temporary = folder.in(
    `.${createHash('sha256')
      .update(`${key} ${String(process.pid)} ${name}`)
      .digest('hex')
      .slice(0, 24)}.tmp`,
  )
  try {
    signal.throwIfAborted()
    await writeNew(temporary, content, before?.mode)
    signal.throwIfAborted()
    if (ifExists === 'replace') await rename(temporary, folder.in(name))
    else await link(temporary, folder.in(name)) // a rename would replace what is there
  } catch (error) {
    signal.throwIfAborted()
    if (codeOf(error) === 'EEXIST' && (await hashFile(roots, path, signal)).sha256 === written.sha256) return written
    throw fileFailure(path, error)
  } finally {
    await unlink(temporary).catch(() => undefined) // W2; after a rename there is none
  }
  await settleFolder(folder)
  return written
}

async function writeNew(path: string, content: Buffer, mode: number | undefined): Promise<void> {
  const flags = constants.O_WRONLY | constants.O_CREAT | constants.O_EXCL | (constants.O_NOFOLLOW || 0)
  // One may be left from a process that died: it is ours by its name, and a link there would not be followed.
  const file = await open(path, flags, 0o666).catch(async (error: unknown) => {
    if (codeOf(error) !== 'EEXIST') throw error
    await unlink(path)
    return open(path, flags, 0o666)
  })
  try {
    if (mode !== undefined) await file.chmod(mode & 0o777) // who may read it stays as it was
    await file.writeFile(content)
    await file.sync() // W1
  } finally {
    await file.close()
  }
}

/** The new name reaches the disk too, where the system can do that for a folder. */
async function settleFolder(folder: OpenFolder): Promise<void> {
  try {
    const handle = await open(folder.in('.'), constants.O_RDONLY)
    await handle.sync().finally(() => handle.close())
  } catch {
    // Windows and some network file systems cannot.
  }
}
