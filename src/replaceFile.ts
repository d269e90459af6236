// Puts a file in the place of another one, or where there is none, whole.
//
// R1. What is written stands beside the place under a name of its own until all of it is on the disk, and is then renamed: whoever reads
//     finds the former file or the new one, whenever this process dies.
// R2. Where it fails, nothing stays beside the place, and what was there is as it was.
import { randomUUID } from 'node:crypto'
import { closeSync, fsyncSync, openSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { open, rename, rm } from 'node:fs/promises'
import { dirname } from 'node:path'
import { makeFolder, makeFolderSync } from './makeFolder.ts'

/** Writes a file; its folder is made if need be.
 *
 * @throws `FOLDER_UNMAKEABLE`, or what the file system says.
 */
export async function replaceFile(path: string, text: string): Promise<void> {
  await makeFolder(dirname(path))
  const draft = draftOf(path)
  try {
    const file = await open(draft, 'wx')
    try {
      await file.writeFile(text)
      await file.sync() // a full disk may say so only now
    } finally {
      await file.close()
    }
    await rename(draft, path)
  } catch (error) {
    await rm(draft, { force: true })
    throw error
  }
}

/** The same for what cannot wait. @throws `FOLDER_UNMAKEABLE`, or what the file system says. */
export function replaceFileSync(path: string, text: string): void {
  makeFolderSync(dirname(path))
  const draft = draftOf(path)
  try {
    const file = openSync(draft, 'wx')
    try {
      writeFileSync(file, text)
      fsyncSync(file)
    } finally {
      closeSync(file)
    }
    renameSync(draft, path)
  } catch (error) {
    rmSync(draft, { force: true })
    throw error
  }
}

function draftOf(path: string): string {
  return `${path}.${randomUUID()}.tmp`
}
