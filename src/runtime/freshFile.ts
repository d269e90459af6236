// A journal file that is there when all of it is written: until then it has another name.
import { existsSync, linkSync, readdirSync, renameSync, rmSync } from 'node:fs'
import { basename, dirname, join, resolve } from 'node:path'
import { makeFolderSync } from '../makeFolder.ts'
import { checkPresence } from '../journal/sqlite/presence.ts'
import { processExists } from '../journal/sqlite/processExists.ts'

/** Has `write` make a journal file, which is then given its name; where it fails, nothing is left of it.
 *
 * @param write is given the path to write to, and leaves the file closed
 * @throws `JOURNAL_EXISTS` when there is a file at `path`
 */
export async function writeFresh<T>(path: string, write: (draft: string) => Promise<T>): Promise<T> {
  const to = resolve(path)
  checkPresence(to, 'new')
  removeDead(to)
  const draft = `${to}.part-${String(process.pid)}`
  try {
    const result = await write(draft)
    moveOutputs(`${draft}-outputs`, `${to}-outputs`)
    giveName(draft, to)
    return result
  } finally {
    removeDraft(draft)
  }
}

/** Without writing over a file that has come meanwhile, where the disk allows for that. */
function giveName(draft: string, to: string): void {
  try {
    linkSync(draft, to)
  } catch {
    checkPresence(to, 'new')
    renameSync(draft, to)
  }
}

/** Outputs are named by their content: one that is there already is the same. */
function moveOutputs(from: string, to: string): void {
  if (!existsSync(from)) return
  for (const folder of readdirSync(from)) {
    makeFolderSync(join(to, folder))
    for (const file of readdirSync(join(from, folder))) renameSync(join(from, folder, file), join(to, folder, file))
  }
}

/** What processes have left that did not come to the end of it. */
function removeDead(to: string): void {
  const folder = dirname(to)
  if (!existsSync(folder)) return
  const start = `${basename(to)}.part-`
  for (const name of readdirSync(folder)) {
    const pid = name.startsWith(start) ? /^\d+/.exec(name.slice(start.length))?.[0] : undefined
    if (pid !== undefined && !processExists(Number(pid))) removeDraft(join(folder, `${start}${pid}`))
  }
}

function removeDraft(draft: string): void {
  for (const end of ['', '-wal', '-shm', '-outputs']) rmSync(`${draft}${end}`, { force: true, recursive: true })
}
