// `planloom resume --all`: goes on with every run of a journal that is not over, side by side.
import { PlanloomError, type Outcome, type Run, type RunLeft, type RunRequest } from '../../runtime/index.ts'
import { accompany } from '../company.ts'
import { printable } from '../escape.ts'
import { exitCodeOfOutcome, exitCodes } from '../exitCodes.ts'
import { errorDocument } from '../findingLines.ts'
import { refuseFixed } from '../fixedOptions.ts'
import { leftDocument as leftRunDocument, leftLines } from '../left.ts'
import { openStates, withJournal } from '../journals.ts'
import type { Output } from '../output.ts'
import { endedRequests, tellRequests } from '../requestsTold.ts'
import { endedRun, headline, summaryDocument } from '../summary.ts'
import { peopleFor, resuming, type ResumeCommandOptions } from './resume.ts'
import { goOnWith, openWork } from './run.ts'

export interface ResumeAllCommandOptions extends ResumeCommandOptions {
  readonly labels?: Readonly<Record<string, string>>
}

export async function resumeAll(file: string, given: ResumeAllCommandOptions, output: Output): Promise<number> {
  refuseFixed('resume', given)
  const options = { ...given, ...peopleFor(given, output) }
  const { labels, journal } = options
  const before = await withJournal(journal, (opened) => {
    const open = opened.runs({ state: openStates })
    return new Map(open.map(({ runId }) => [runId, endedRequests(opened, runId)]))
  })
  const { runtime, questions } = await openWork(file, options, output, () => undefined)
  try {
    const { resumed, owned, failed } = await runtime.resumeAll({ ...resuming(options), ...(labels && { labels }) })
    output.note([...owned.map((left) => leftLine(left, output)), ...failed.map((left) => leftLine(left, output))])
    const requests = new Map<Run, readonly RunRequest[]>()
    for (const run of resumed)
      requests.set(run, await tellRequests(run, { journal, before: before.get(run.id) ?? new Set() }, output))
    const goOn = goOnWith(file, options)
    const findRun = (id: string): Run | undefined => runtime.runs.find((one) => one.id === id)
    const ended = await Promise.all(
      resumed.map(async (run) => {
        const { outcome } = await accompany(run, { questions, findRun, output, progress: undefined, journal, goOn })
        if (outcome) output.print([`${printable(run.id)}  ${headline(outcome, output.colours)}`])
        else if (goOn) output.print(leftLines(run, goOn, output.colours))
        return { run, outcome }
      }),
    )
    if (ended.length === 0) output.print(['No run was gone on with.'])
    output.document({
      journal,
      resumed: ended.map(({ run, outcome }) => ({
        ...(outcome === undefined && goOn ? leftRunDocument(run, goOn) : summaryDocument(endedRun(run), outcome)),
        requests: requests.get(run),
      })),
      owned: owned.map(leftDocument),
      failed: failed.map(leftDocument),
    })
    return failed.length > 0 ? exitCodes.failed : worstOf(ended)
  } finally {
    await runtime.close()
  }
}

function worstOf(ended: readonly { readonly outcome: Outcome | undefined }[]): number {
  return Math.max(
    exitCodes.done,
    ...ended.map(({ outcome }) => (outcome ? exitCodeOfOutcome(outcome) : exitCodes.left)),
  )
}

function leftLine({ runId, error }: RunLeft, { errorColours }: Output): string {
  const [code, message] = error instanceof PlanloomError ? [` [${error.code}]`, error.message] : ['', String(error)]
  return `${errorColours.yellow('!')} ${printable(runId)}  ${printable(message)}${errorColours.dim(code)}`
}

function leftDocument({ runId, goal, error }: RunLeft): object {
  return { runId, goal, ...errorDocument(error) }
}
