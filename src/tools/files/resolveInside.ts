// Which place on the disk a path means, and whether it lies inside the folders that a tool may use.
//
// C1. Every part of the path is looked at: a link is followed by hand, and wherever it leads out, the path is refused.
//     That holds for parts that are missing too: a link to a file that does not exist yet cannot make one outside.
// C2. `..` goes up from where the links led, as the operating system does it, and never above a root.
// C3. What lies outside is not looked at: being refused tells nothing about what is there.
import { lstat, readlink, realpath } from 'node:fs/promises'
import { isAbsolute, join, relative, resolve, sep } from 'node:path'
import { ToolError } from '../toolError.ts'
import { codeOf, folderFailure } from './fileFailure.ts'

/** The folders that a tool may use, as they were given and as they are without links. */
export interface Roots {
  readonly given: readonly string[]
  readonly real: readonly string[]
}

export interface PlaceInside {
  /** What exists of the path, without links. */
  readonly existing: string
  /** Names that are not there (yet), outermost first. */
  readonly missing: readonly string[]
}

/** As many as Linux follows. */
const mostLinks = 40

/** Looks the roots up.
 *
 * @throws `FOLDER_MISSING` for a root that is not there.
 */
export async function openRoots(folders: readonly string[]): Promise<Roots> {
  const given = folders.map((folder) => resolve(folder))
  const real = await Promise.all(
    given.map((folder) =>
      realpath(folder).catch((error: unknown) => {
        throw folderFailure(folder, error)
      }),
    ),
  )
  return { given, real }
}

/** Finds the place that a path means; a relative path starts at the first root, an absolute one must lie in some root.
 *
 * @throws `PATH_OUTSIDE`, `PATH_INVALID`; what the operating system says where a part cannot be looked at.
 */
export async function resolveInside(roots: Roots, path: string): Promise<PlaceInside> {
  if (path.includes('\0')) throw invalid(path, 'holds a zero byte')
  const start = isAbsolute(path) ? fromRoot(roots, path) : { at: roots.real[0] ?? '', names: namesOf(path) }
  if (start === undefined) throw outside(roots, path)
  let { at } = start
  const names = [...start.names].reverse() // the next one last
  for (let links = 0; ;) {
    const name = names.pop()
    if (name === undefined) return { existing: at, missing: [] }
    if (name === '..') {
      at = resolve(at, '..') // C2
      if (!isInside(roots, at)) throw outside(roots, path)
      continue
    }
    const next = join(at, name)
    const found = await lstat(next).catch((error: unknown) => {
      if (codeOf(error) === 'ENOENT') return undefined
      throw error
    })
    if (found === undefined) {
      const missing = takeMissing(name, names)
      if (missing.length > 0) return { existing: at, missing }
      if (names.length === 0) throw folderFailure(path, { code: 'ENOENT' })
      continue // `..` led back to what is there, where the next name may be a link
    }
    if (!found.isSymbolicLink()) {
      at = next
      continue
    }
    if (++links > mostLinks) throw invalid(path, `leads through more than ${String(mostLinks)} links`)
    const target = await readlink(next).catch(() => undefined)
    if (target === undefined) {
      names.push(name) // no link any more: once more
      continue
    }
    const way = isAbsolute(target) ? fromRoot(roots, target) : { at, names: namesOf(target) }
    if (way === undefined) throw outside(roots, path) // C1, C3
    at = way.at
    names.push(...[...way.names].reverse())
  }
}

/** Whether a place (without links) is a root or lies in one. */
export function isInside({ real }: Roots, place: string): boolean {
  return real.some((root) => wayFrom(root, place) !== undefined)
}

export function outside({ given }: Roots, path: string): ToolError {
  return new ToolError('PATH_OUTSIDE', `"${path}" leads out of the folders that this tool may use.`, {
    hint: `Give a path in ${given.map((root) => `"${root}"`).join(' or ')}; links that lead out are refused too.`,
    retryable: false,
    where: { path },
  })
}

/** An absolute path as a way from a root, whether it spells the root with links or without. */
function fromRoot(
  { given, real }: Roots,
  path: string,
): { readonly at: string; readonly names: readonly string[] } | undefined {
  const wanted = resolve(path)
  for (const [index, root] of real.entries()) {
    const way = wayFrom(root, wanted) ?? wayFrom(given[index] ?? root, wanted)
    if (way !== undefined) return { at: root, names: namesOf(way) }
  }
  return undefined
}

function wayFrom(root: string, place: string): string | undefined {
  const way = relative(root, place)
  return way === '..' || way.startsWith(`..${sep}`) || isAbsolute(way) ? undefined : way
}

function namesOf(path: string): string[] {
  return path.split(sep === '\\' ? /[\\/]/ : '/').filter((name) => name !== '' && name !== '.')
}

/** Takes the names below what is missing, where there are no links: until the path ends, or `..` leads back out of it. */
function takeMissing(first: string, names: string[]): string[] {
  const missing = [first]
  while (missing.length > 0) {
    const name = names.pop()
    if (name === undefined) break
    if (name === '..') missing.pop()
    else missing.push(name)
  }
  return missing
}

function invalid(path: string, why: string): ToolError {
  return new ToolError('PATH_INVALID', `The path ${JSON.stringify(path)} ${why}.`, {
    hint: 'Give the path of a file in one of the folders that this tool may use.',
    retryable: false,
    where: { path },
  })
}
