// `planloom diff`: what turns one plan into another, as a patch; of two runs, or of one at two moments, also what became of
// their steps and facts.
import { PlanloomError } from '../../errors.ts'
import { existsSync } from 'node:fs'
import { diffPlans, type Json, type Plan } from '../../plan/index.ts'
import {
  compareRuns,
  readRun,
  type FactDifference,
  type Replay,
  type SqliteJournal,
  type StepDifference,
} from '../../runtime/index.ts'
import { counted } from '../counted.ts'
import { printable } from '../escape.ts'
import { exitCodes } from '../exitCodes.ts'
import { foldFamilies, type Said } from '../families.ts'
import { runMeant, withJournal } from '../journals.ts'
import { loadPlan } from '../loadPlan.ts'
import { operationLines } from '../operationLines.ts'
import type { Output } from '../output.ts'
import { valueChanges } from '../valueChanges.ts'

export interface DiffOptions {
  readonly journal: string
}

/** Each side is a plan in a file, or a run of the journal as it is or, as `run@n`, as it was after event n. With `--json` the document is
 * the patch of the plans, and for two runs what `compareRuns` gives. */
export async function diff(nameA: string, nameB: string, { journal }: DiffOptions, output: Output): Promise<number> {
  if (nameA === '-' && nameB === '-') {
    throw new PlanloomError('USAGE', 'Only one of the two plans can come from the standard input.', {
      hint: 'Give the other one as a file.',
    })
  }
  if (isFile(nameA) && isFile(nameB)) return diffFiles(nameA, nameB, output)
  return withJournal(journal, async (opened) => {
    const [a, b] = [await sideOf(nameA, opened), await sideOf(nameB, opened)]
    if ('steps' in a || 'steps' in b) tellPlans(nameA, planOf(nameA, a), nameB, planOf(nameB, b), output)
    else tellRuns(nameA, a, nameB, b, output)
    return exitCodes.done
  })
}

async function diffFiles(fileA: string, fileB: string, output: Output): Promise<number> {
  tellPlans(fileA, await loadPlan(fileA), fileB, await loadPlan(fileB), output)
  return exitCodes.done
}

function isFile(name: string): boolean {
  return name === '-' || /\.(json|ya?ml|[cm]?[jt]s)$/.test(name) || existsSync(name)
}

async function sideOf(name: string, journal: SqliteJournal): Promise<Plan | Replay> {
  if (isFile(name)) return loadPlan(name)
  const [, run = name, at] = /^(.+)@(\d+)$/.exec(name) ?? []
  return readRun(journal, runMeant(journal, run).runId, at === undefined ? {} : { at: Number(at) })
}

function planOf(name: string, side: Plan | Replay): Plan {
  if ('steps' in side) return side
  if (side.plan !== undefined) return side.plan
  throw new PlanloomError('USAGE', `There was no plan yet at ${name}.`, { hint: 'Name a later event.' })
}

function tellPlans(nameA: string, a: Plan, nameB: string, b: Plan, output: Output): void {
  const patch = diffPlans(a, b)
  const none = `goal, steps and assumptions of ${nameA} and ${nameB} are the same`
  const lines = operationLines(patch.operations, a, output.colours)
  const named = a.id === b.id ? [] : [`# id: ${printable(a.id)} becomes ${printable(b.id)}`]
  output.print([...named, ...(lines.length === 0 ? [none] : lines)])
  output.document(patch)
}

function tellRuns(nameA: string, a: Replay, nameB: string, b: Replay, output: Output): void {
  const difference = compareRuns(a, b)
  const { operations, steps, facts } = difference
  const before = a.plan
  const plan = before === undefined ? [] : operationLines(operations, before, output.colours)
  const parts = [
    headed('plan', operations.length, plan),
    headed('steps', steps.length, foldFamilies(steps.map(ofStep))),
    headed('facts', facts.length, foldFamilies(facts.map(ofFact))),
  ].filter((lines) => lines.length > 0)
  const none = [`plan, steps and facts of ${nameA} and ${nameB} are the same`]
  output.print(parts.length === 0 ? none : parts.flatMap((lines, index) => (index === 0 ? lines : ['', ...lines])))
  output.document(difference)
}

function headed(name: string, count: number, lines: readonly string[]): readonly string[] {
  return lines.length === 0 ? [] : [`${name} (${count})`, ...lines.map((line) => `  ${line}`)]
}

function ofStep({ id, before, after }: StepDifference): Said {
  const [was, is] = [before?.status, after?.status]
  if (was === undefined) return { id, kind: `now ${is ?? ''}`, line: `${id}  ${is ?? ''}, only in the second` }
  if (is === undefined) return { id, kind: `once ${was}`, line: `${id}  ${was}, only in the first` }
  if (was !== is) return { id, kind: `${was} ${is}`, line: `${id}  ${was} becomes ${is}` }
  return { id, kind: 'output', ...changeLines(`${id}  output `, before?.output, after?.output) }
}

function ofFact({ key, before, after }: FactDifference): Said {
  const kind = before === undefined ? 'known' : after === undefined ? 'unknown' : 'other'
  return { id: key, kind, ...changeLines(`${printable(key)}  `, before, after) }
}

/** One place that differs stands in the line itself; several have lines of their own. */
function changeLines(lead: string, before: Json | undefined, after: Json | undefined): Pick<Said, 'line' | 'below'> {
  const { told, more } = valueChanges(before, after)
  const [only = 'is the same'] = told
  if (told.length + more < 2) return { line: `${lead}${only}` }
  const rest = more > 0 ? [`… and ${counted(more, 'more place')}`] : []
  return { line: `${lead}differs in ${counted(told.length + more, 'place')}:`, below: [...told, ...rest] }
}
