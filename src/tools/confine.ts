// Which file is meant by a path, and whether it may be touched: for tools that open files by their path.
//
// The walk along the path, with its laws, is the one of the file tools: see `files/resolveInside.ts`.
import { constants } from 'node:fs'
import { access, realpath } from 'node:fs/promises'
import { join, resolve } from 'node:path'
import { fileFailure } from './files/fileFailure.ts'
import { outside, resolveInside, type Roots } from './files/resolveInside.ts'

/** Resolves the path of something that is there, inside the roots; a relative path is looked up in the first root.
 *
 * @param roots folders; a root that is a link stands for its target, and one that is not there yet for itself.
 * @returns the absolute path, links resolved.
 * @throws `PATH_OUTSIDE`, `PATH_INVALID`, `FILE_MISSING`, `NO_PERMISSION`
 */
export async function confine(roots: readonly string[], path: string): Promise<string> {
  const real = await confineNew(roots, path)
  try {
    await access(real, constants.R_OK)
  } catch (error) {
    throw fileFailure(path, error)
  }
  return real
}

/** Resolves the path of something that may not be there yet; a relative path is looked up in the first root.
 *
 * @returns the absolute path, with the links resolved in as much of it as there is.
 * @throws `PATH_OUTSIDE`, `PATH_INVALID`, `FILE_MISSING`, `NO_PERMISSION`
 */
export async function confineNew(folders: readonly string[], path: string): Promise<string> {
  const given = folders.map((folder) => resolve(folder))
  const real = await Promise.all(given.map((folder) => realpath(folder).catch(() => folder)))
  const roots: Roots = { given, real }
  if (given.length === 0) throw outside(roots, path)
  try {
    const { existing, missing } = await resolveInside(roots, path)
    return join(existing, ...missing)
  } catch (error) {
    throw fileFailure(path, error)
  }
}

/** What went wrong with a file that was to be read, from what the operating system said. */
export { fileFailure as unreadable } from './files/fileFailure.ts'
