// Plans in a folder, one JSON file for each.
//
// F1. A file is written beside its place and renamed into it: whoever reads finds the old one or the new one, whole.
// F2. What cannot be read, or is not what it should be, is no plan: the planner plans again and writes over it.
// F3. Any number of processes may share the folder. Who writes last wins, and all of them wrote a plan for the same key.
import { readFileSync } from 'node:fs'
import { rm } from 'node:fs/promises'
import { join } from 'node:path'
import { PlanloomError } from '../../errors.ts'
import { replaceFile } from '../../replaceFile.ts'
import { storedPlanSchema, type PlanStore, type StoredPlan } from './planStore.ts'

/** Makes a store that outlives the process.
 *
 * @param folder made when first needed.
 * @throws (from `set`) `FOLDER_UNMAKEABLE`, and (from `set`, `delete`) what the file system says, for example when the disk is full.
 * @example
 * const store = filePlanStore('.planloom/plans')
 * store.get('never-stored') // undefined
 */
export function filePlanStore(folder: string): PlanStore {
  /** Reads while everybody waits: a plan is one small file, read once in a run, and only so can a miss be streamed. */
  function get(key: string): StoredPlan | undefined {
    const path = pathOf(key)
    let text: string
    try {
      text = readFileSync(path, 'utf8')
    } catch {
      return undefined // F2
    }
    const plan = parseStored(text)
    return plan?.key === key ? plan : undefined
  }

  async function set(plan: StoredPlan): Promise<void> {
    await replaceFile(pathOf(plan.key), `${JSON.stringify(plan)}\n`) // F1
  }

  function pathOf(key: string): string {
    if (/^[\w-]{1,200}$/.test(key)) return join(folder, `${key}.json`)
    throw new PlanloomError('PLAN_KEY_INVALID', `"${key.slice(0, 80)}" cannot be the name of a file.`, {
      hint: 'Keys are letters, digits, "_" and "-", such as hashes.',
    })
  }

  return { get, set, delete: (key) => rm(pathOf(key), { force: true }) }
}

function parseStored(text: string): StoredPlan | undefined {
  try {
    return storedPlanSchema.safeParse(JSON.parse(text)).data
  } catch {
    return undefined // F2
  }
}
