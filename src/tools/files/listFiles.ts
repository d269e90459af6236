// Which files a folder holds: sorted, bounded, and without following links that lead out or around.
import { lstat, opendir } from 'node:fs/promises'
import { ToolError } from '../toolError.ts'
import { fileFailure } from './fileFailure.ts'
import { compileGlob } from './glob.ts'
import { openFile, openFolder } from './openInside.ts'
import type { Roots } from './resolveInside.ts'

export interface ListedFile {
  /** As other tools take it: the folder's path with the name below it. */
  readonly path: string
  /** Path below the folder, with `/` on every system. */
  readonly name: string
  readonly sizeBytes: number
}

export interface Listing {
  readonly files: readonly ListedFile[]
  /** What was left aside although it fits, and why. */
  readonly aside: readonly { readonly name: string; readonly because: string }[]
}

export interface ListOptions {
  readonly folder: string
  readonly pattern?: string | undefined
  readonly recursive: boolean
  /** Names that begin with a dot, and what is in such folders. */
  readonly hidden: boolean
  readonly maxFiles: number
  readonly signal: AbortSignal
}

/** Lists the files in a folder, in the order of their names' code units.
 *
 * A link to a file inside the roots counts as a file. Links to folders, links that lead out, and folders that cannot be read
 * are left aside, each with the reason; what vanishes meanwhile is not there.
 * @throws `FOLDER_MISSING`, `NO_PERMISSION`, `PATH_OUTSIDE`, `PATTERN_INVALID`, `TOO_MANY_FILES`
 */
export async function listFiles(roots: Roots, options: ListOptions): Promise<Listing> {
  const { folder, pattern, recursive, hidden, maxFiles, signal } = options
  const matches = pattern === undefined ? () => true : compileGlob(pattern)
  const files: ListedFile[] = []
  const aside: { name: string; because: string }[] = []
  const open = ['']
  let entries = 0
  for (let below = open.pop(); below !== undefined; below = open.pop()) {
    try {
      await using place = await openFolder(roots, joined(folder, below))
      for await (const entry of await opendir(place.in('.'))) {
        signal.throwIfAborted()
        if (++entries > 20 * maxFiles) throw tooMany(folder, `${String(20 * maxFiles)} entries to look through`)
        if (!hidden && entry.name.startsWith('.')) continue
        const name = below === '' ? entry.name : `${below}/${entry.name}`
        const found = await lstat(place.in(entry.name)).catch(() => undefined)
        if (found?.isDirectory() === true && recursive) open.push(name)
        if (found === undefined || found.isDirectory() || !matches(name)) continue
        const path = joined(folder, name)
        if (found.isFile()) files.push({ path, name, sizeBytes: found.size })
        else if (found.isSymbolicLink()) await addLinked(path, name)
        else aside.push({ name, because: 'neither a file nor a folder' })
        if (files.length > maxFiles) throw tooMany(folder, `${String(maxFiles)} files that fit`)
      }
    } catch (error) {
      signal.throwIfAborted()
      const failure = fileFailure(joined(folder, below), error)
      if (below === '' || failure.code === 'TOO_MANY_FILES') throw failure
      if (failure.code !== 'FOLDER_MISSING') aside.push({ name: below, because: failure.message })
    }
  }
  return { files: files.sort(byName), aside: aside.sort(byName) }

  async function addLinked(path: string, name: string): Promise<void> {
    try {
      await using file = await openFile(roots, path)
      files.push({ path, name, sizeBytes: file.found.size })
    } catch (error) {
      const { code, message } = fileFailure(name, error)
      aside.push({ name, because: code === 'NOT_A_FILE' ? 'a link to what is no file' : message })
    }
  }
}

function joined(folder: string, below: string): string {
  if (below === '') return folder
  if (folder === '.' || folder === '') return below
  return folder.endsWith('/') ? folder + below : `${folder}/${below}`
}

function byName(a: { readonly name: string }, b: { readonly name: string }): number {
  return a.name < b.name ? -1 : a.name > b.name ? 1 : 0
}

function tooMany(folder: string, what: string): ToolError {
  return new ToolError('TOO_MANY_FILES', `"${folder}" holds more than ${what}.`, {
    hint: 'List a part of it: give a folder below, or a narrower pattern.',
    retryable: false,
    where: { path: folder },
  })
}
