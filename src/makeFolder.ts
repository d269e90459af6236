// Makes a folder and those above it: one after another, from the top.
//
// Node's own `recursive` never comes back where a file system says of a new folder that there is no such place, as `/proc`
// does: it goes up, finds the folder above, comes down again, and so on.
import { mkdirSync, statSync } from 'node:fs'
import { mkdir, stat } from 'node:fs/promises'
import { dirname, resolve } from 'node:path'
import { PlanloomError } from './errors.ts'

/** Makes a folder, with those above it where they are missing. One that is there stays as it is.
 *
 * @throws `FOLDER_UNMAKEABLE`, which says what is in the way; the `cause` is what the operating system said.
 * @example
 * await makeFolder('.')
 */
export async function makeFolder(path: string): Promise<void> {
  for (const place of await missingFolders(path)) {
    try {
      await mkdir(place)
    } catch (error) {
      if (codeOf(error) === 'EEXIST' && (await isFolder(path, place))) continue // somebody else has just made it
      throw unmakeable(path, place, error)
    }
  }
}

/** The same for what is opened at once, and cannot wait. @throws `FOLDER_UNMAKEABLE` */
export function makeFolderSync(path: string): void {
  const missing: string[] = []
  for (let place = resolve(path); !isFolderSync(path, place); place = dirname(place)) missing.unshift(place)
  for (const place of missing) {
    try {
      mkdirSync(place)
    } catch (error) {
      if (codeOf(error) === 'EEXIST' && isFolderSync(path, place)) continue
      throw unmakeable(path, place, error)
    }
  }
}

function isFolderSync(path: string, place: string): boolean {
  try {
    if (statSync(place).isDirectory()) return true
  } catch (error) {
    if (codeOf(error) === 'ENOENT' && dirname(place) !== place) return false
    throw unmakeable(path, place, error)
  }
  throw unmakeable(path, place, Object.assign(new Error('not a folder'), { code: 'ENOTDIR' }))
}

/** From the uppermost on. */
async function missingFolders(path: string): Promise<string[]> {
  const missing: string[] = []
  for (let place = resolve(path); !(await isFolder(path, place)); place = dirname(place)) missing.unshift(place)
  return missing
}

/** False for what is not there; what is there and no folder is in the way. */
async function isFolder(path: string, place: string): Promise<boolean> {
  try {
    if ((await stat(place)).isDirectory()) return true
  } catch (error) {
    // The root is its own folder above: where even that cannot be seen, there is no end to going up.
    if (codeOf(error) === 'ENOENT' && dirname(place) !== place) return false
    throw unmakeable(path, place, error)
  }
  throw unmakeable(path, place, Object.assign(new Error('not a folder'), { code: 'ENOTDIR' }))
}

function unmakeable(path: string, place: string, cause: unknown): PlanloomError {
  const reason = reasonOf(place, cause)
  return new PlanloomError('FOLDER_UNMAKEABLE', `The folder "${path}" cannot be made: ${reason}.`, {
    hint: 'Choose a folder in a place that this user may write to.',
    where: { path },
    cause,
  })
}

function reasonOf(place: string, cause: unknown): string {
  switch (codeOf(cause)) {
    case 'ENOENT':
      return `"${dirname(place)}" takes no new folders`
    case 'ENOTDIR':
    case 'EEXIST':
      return `something in the path is a file, not a folder`
    case 'EACCES':
    case 'EPERM':
      return `no permission for "${place}"`
    case 'EROFS':
      return 'the disk is read-only'
    case 'ENOSPC':
    case 'EDQUOT':
      return 'the disk is full'
    case 'ENAMETOOLONG':
      return 'a name in it is longer than the file system allows'
    case 'ELOOP':
      return 'links in the path lead in a circle'
    default:
      return cause instanceof Error ? cause.message : String(cause)
  }
}

function codeOf(error: unknown): string {
  return error instanceof Error && 'code' in error ? String(error.code) : ''
}
