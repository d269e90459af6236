// What the items of a list are called: `read_csv[12]` says less than `airports.csv`.
//
// An item is named by itself where it is a text, or by its `name`, `title` or `id`. A planner that plans for single items
// makes steps and facts that are numbered like the items, without saying of which list: where there is only one list, its
// names are theirs.
import { getPointer, isJsonObject, type Json, type Plan } from '../../plan/index.ts'
import type { Run } from '../../runtime/index.ts'

export interface ItemNames {
  /** The name of the item that a step works on. */
  nameOf(stepId: string): string | undefined
  /** A text in which `format[12]` has become `format[airports.csv]`. */
  inText(text: string): string
}

type Names = readonly (string | undefined)[]

interface Lists {
  /** By the step that goes over the list. */
  readonly byStep: ReadonlyMap<string, Names>
  /** The only list that there is. */
  readonly only: Names | undefined
}

const longestName = 40

/** Looks names up in the outputs of a run; the lists are found anew only where the revision has changed. */
export function createItemNames(run: Pick<Run, 'plan' | 'output'>): ItemNames {
  let of: Plan | undefined
  let lists: Lists = { byStep: new Map(), only: undefined }
  const look = (key: string, index: string): string | undefined => {
    if (of !== run.plan) {
      of = run.plan
      lists = listsIn(run)
    }
    return (lists.byStep.get(key) ?? lists.only)?.[Number(index)]
  }
  return {
    nameOf(stepId) {
      const [, key, index] = /^(.+)\[(\d+)\]$/.exec(stepId) ?? []
      return key === undefined || index === undefined ? undefined : look(key, index)
    },
    inText: (text) =>
      text.replace(/([\w.:/-]+)\[(\d+)\]/g, (whole, key: string, index: string) => {
        const name = look(key, index)
        return name === undefined ? whole : `${key}[${name}]`
      }),
  }
}

function listsIn(run: Pick<Run, 'plan' | 'output'>): Lists {
  const byList = new Map<string, Names>()
  const byStep = new Map<string, Names>()
  for (const { id, forEach, expanded } of run.plan?.steps ?? []) {
    if (forEach === undefined || expanded === undefined) continue
    const list = `${forEach.$from} ${forEach.path}`
    const names = byList.get(list) ?? namesAt(run.output(forEach.$from), forEach.path)
    byList.set(list, names)
    byStep.set(id, names)
  }
  const [only] = byList.size === 1 ? byList.values() : []
  return { byStep, only }
}

function namesAt(output: Json | undefined, path: string): Names {
  const items = output === undefined ? undefined : getPointer(output, path)
  return Array.isArray(items) ? (items as readonly Json[]).map(nameOfItem) : []
}

function nameOfItem(item: Json): string | undefined {
  if (typeof item === 'string') return shortened(item)
  if (!isJsonObject(item)) return undefined
  const found = ['name', 'title', 'id'].map((key) => item[key]).find((value) => typeof value === 'string')
  return typeof found === 'string' ? shortened(found) : undefined
}

function shortened(name: string): string | undefined {
  if (name === '') return undefined
  return name.length <= longestName ? name : `${name.slice(0, longestName - 1)}…`
}
