// Opening what lies inside the roots, so that nothing can be swapped between the check and the use.
//
// O1. A folder is opened first, and where it really lies is asked of the open handle. Only then are names in it used, by way
//     of that handle (`/proc/self/fd/…` on Linux): renaming or linking a parent meanwhile no longer leads elsewhere.
//     Where the system has no such way (macOS, Windows) the place is checked once more; a race of microseconds is left there.
// O2. The last name is never followed if it is a link: links were resolved by `resolveInside`.
// O3. What is opened for reading is a file: a pipe or a device would hold the tool up for ever.
import { constants, type Stats } from 'node:fs'
import { mkdir, open, readlink, realpath, stat, type FileHandle } from 'node:fs/promises'
import { basename, dirname, join } from 'node:path'
import { codeOf, fileFailure, folderFailure, notAFileFailure } from './fileFailure.ts'
import { isInside, outside, resolveInside, type Roots } from './resolveInside.ts'

/** A folder that is open: `in(name)` is the path by which to use something in it. */
export interface OpenFolder extends AsyncDisposable {
  in(name: string): string
}

export interface OpenFile extends AsyncDisposable {
  readonly handle: FileHandle
  readonly found: Stats
}

const folderFlags = constants.O_RDONLY | (constants.O_DIRECTORY || 0) | (constants.O_NOFOLLOW || 0)
const fileFlags = constants.O_RDONLY | (constants.O_NOFOLLOW || 0) | (constants.O_NONBLOCK || 0)

/** Opens a file for reading.
 *
 * @throws `FILE_MISSING`, `NOT_A_FILE`, `NO_PERMISSION`, `PATH_OUTSIDE`, and what else `fileFailure` knows.
 */
export async function openFile(roots: Roots, path: string): Promise<OpenFile> {
  let handle: FileHandle | undefined
  try {
    const { existing, missing } = await resolveInside(roots, path)
    if (missing.length > 0) throw fileFailure(path, { code: 'ENOENT' })
    if (roots.real.includes(existing)) throw notAFileFailure(path)
    await using folder = await openPlace(roots, dirname(existing), path)
    handle = await open(folder.in(basename(existing)), fileFlags)
    const found = await handle.stat()
    if (!found.isFile()) throw notAFileFailure(path) // O3
    const opened = handle
    return { handle: opened, found, [Symbol.asyncDispose]: () => opened.close() }
  } catch (error) {
    await handle?.close()
    // A link that stands there now was none a moment ago (O2).
    throw codeOf(error) === 'ELOOP' ? outside(roots, path) : fileFailure(path, error)
  }
}

/** Opens the folder that a file is to be written in, and gives the file's own name in it.
 *
 * @param options.create makes the folders that are missing.
 * @throws `FOLDER_MISSING`, `NO_PERMISSION`, `PATH_OUTSIDE`, and what else `fileFailure` knows.
 */
export async function openParent(
  roots: Roots,
  path: string,
  { create }: { readonly create: boolean },
): Promise<{ readonly folder: OpenFolder; readonly name: string }> {
  try {
    const { existing, missing } = await resolveInside(roots, path)
    const [name = '', ...between] = [...missing].reverse()
    if (missing.length === 0) {
      if (roots.real.includes(existing)) throw notAFileFailure(path)
      return { folder: await openPlace(roots, dirname(existing), path), name: basename(existing) }
    }
    let folder = await openPlace(roots, existing, path)
    for (const made of between.reverse()) {
      if (!create) {
        await folder[Symbol.asyncDispose]()
        throw folderFailure(path.slice(0, path.lastIndexOf(name)) || path, { code: 'ENOENT' })
      }
      folder = await makeFolder(roots, folder, made, path)
    }
    return { folder, name }
  } catch (error) {
    throw folderFailure(path, error)
  }
}

/** Opens a folder that is there, to list it.
 *
 * @throws `FOLDER_MISSING`, `NO_PERMISSION`, `PATH_OUTSIDE`, and what else `fileFailure` knows.
 */
export async function openFolder(roots: Roots, path: string): Promise<OpenFolder> {
  try {
    const { existing, missing } = await resolveInside(roots, path)
    if (missing.length > 0) throw folderFailure(path, { code: 'ENOENT' })
    return await openPlace(roots, existing, path)
  } catch (error) {
    throw folderFailure(path, error)
  }
}

async function makeFolder(roots: Roots, parent: OpenFolder, name: string, path: string): Promise<OpenFolder> {
  await using above = parent
  try {
    await mkdir(above.in(name))
  } catch (error) {
    if (codeOf(error) !== 'EEXIST') throw error // somebody else has just made it
  }
  return await openPlace(roots, above.in(name), path)
}

async function openPlace(roots: Roots, place: string, path: string): Promise<OpenFolder> {
  if (process.platform === 'win32') {
    if (!isInside(roots, await realpath(place))) throw outside(roots, path)
    return { in: (name) => join(place, name), [Symbol.asyncDispose]: () => Promise.resolve() }
  }
  const handle = await open(place, folderFlags).catch((error: unknown) => {
    throw codeOf(error) === 'ELOOP' ? outside(roots, path) : error // O2
  })
  try {
    const own = `/proc/self/fd/${String(handle.fd)}`
    const lies = await readlink(own).catch(() => undefined)
    if (!isInside(roots, lies ?? (await realpath(place)))) throw outside(roots, path) // O1
    const base = lies === undefined ? await samePlace(handle, place) : own
    return { in: (name) => `${base}/${name}`, [Symbol.asyncDispose]: () => handle.close() }
  } catch (error) {
    await handle.close()
    throw error
  }
}

/** Without `/proc`: the place by its name, if it still is the folder that was opened. */
async function samePlace(handle: FileHandle, place: string): Promise<string> {
  const [opened, named] = await Promise.all([handle.stat(), stat(place)])
  if (opened.ino !== named.ino || opened.dev !== named.dev)
    throw Object.assign(new Error('the folder was moved'), { code: 'ENOENT' })
  return place
}
