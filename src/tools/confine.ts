// Which file is meant by a path, and whether it may be touched.
//
// C1. Links are followed before the check, at every part of the path: one that leads out of the roots is refused.
// C2. What is outside is refused before anybody looks whether it is there.
// C3. The same holds for what is not there yet: its nearest folder that is there decides, and a link to nothing counts as its target.
import { constants } from 'node:fs'
import { access, readlink, realpath } from 'node:fs/promises'
import { basename, dirname, isAbsolute, join, relative, resolve, sep } from 'node:path'
import { ToolError } from './toolError.ts'

/** Resolves the path of something that is there, inside the roots; a relative path is looked up in the first root.
 *
 * @param roots folders; a root that is a link stands for its target.
 * @returns the absolute path, links resolved.
 * @throws `PATH_OUTSIDE`, `FILE_MISSING`, `FILE_FORBIDDEN`, `FILE_UNREADABLE`
 */
export async function confine(roots: readonly string[], path: string): Promise<string> {
  const real = await confineNew(roots, path)
  try {
    await access(real, constants.R_OK)
  } catch (error) {
    throw unreadable(path, error)
  }
  return real
}

/** Resolves the path of something that may not be there yet; a relative path is looked up in the first root.
 *
 * @returns the absolute path, with the links resolved in as much of it as there is.
 * @throws `PATH_OUTSIDE`, `FILE_UNREADABLE`
 */
export async function confineNew(roots: readonly string[], path: string): Promise<string> {
  const wanted = resolve(roots[0] ?? '.', path)
  const realRoots = await Promise.all(roots.map((root) => follow(resolve(root), 0)))
  let real: string
  try {
    real = await follow(wanted, 0)
  } catch (error) {
    if (!isInside([...realRoots, ...roots], wanted)) throw outside(path, roots) // C2
    throw unreadable(path, error)
  }
  if (!isInside(realRoots, real)) throw outside(path, roots) // C1
  return real
}

/** What went wrong with a file that is read, from what the operating system said. */
export function unreadable(path: string, error: unknown): ToolError {
  const code = error instanceof Error && 'code' in error ? String(error.code) : ''
  const where = { path }
  if (code === 'ENOENT' || code === 'ENOTDIR') {
    return new ToolError('FILE_MISSING', `"${path}" is not there (any more).`, {
      retryable: false,
      hint: 'Check the path; if the file was there before, something has moved or deleted it.',
      where,
      cause: error,
    })
  }
  if (code === 'EACCES' || code === 'EPERM') {
    return new ToolError('FILE_FORBIDDEN', `No permission to read "${path}".`, {
      retryable: false,
      hint: 'Give this user the right to read it, or leave it out.',
      where,
      cause: error,
    })
  }
  const message = error instanceof Error ? error.message : String(error)
  return new ToolError('FILE_UNREADABLE', `"${path}" could not be read: ${message}`, { where, cause: error })
}

/** As many as Linux follows before it speaks of a loop. */
const mostLinks = 40

async function follow(path: string, links: number): Promise<string> {
  try {
    return await realpath(path)
  } catch (error) {
    if (links > mostLinks || !isMissing(error)) throw error
  }
  const parent = dirname(path)
  if (parent === path) return path
  const folder = await follow(parent, links)
  const target = await readlink(join(folder, basename(path))).catch(() => undefined)
  return target === undefined ? join(folder, basename(path)) : follow(resolve(folder, target), links + 1) // C3
}

function isMissing(error: unknown): boolean {
  return error instanceof Error && 'code' in error && (error.code === 'ENOENT' || error.code === 'ENOTDIR')
}

function isInside(roots: readonly string[], path: string): boolean {
  return roots.some((root) => {
    const way = relative(root, path)
    return way === '' || (way !== '..' && !way.startsWith('..' + sep) && !isAbsolute(way))
  })
}

function outside(path: string, roots: readonly string[]): ToolError {
  return new ToolError('PATH_OUTSIDE', `"${path}" is outside the folders that may be touched.`, {
    retryable: false,
    hint: roots.length === 0 ? 'No folder is allowed: name some.' : `Allowed: ${roots.join(', ')}`,
    where: { path },
  })
}
