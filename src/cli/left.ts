// What is said of a run that was left unfinished: how far it has come, and what goes on with it.
import type { Run } from '../runtime/index.ts'
import type { Colours } from './colours.ts'
import { counted } from './counted.ts'
import { printable } from './escape.ts'
import { quoted } from './quoted.ts'
import { endedRun, summaryDocument } from './summary.ts'
import { questionLines } from './waitingLines.ts'

/** How a run is gone on with, by its id: a command to be copied. */
export type GoOn = (runId: string) => string

/** @param file the one that the run was begun with; where it is not known, its place is left open
 * @param tools modules that were given beside the file */
export function resumeCommand(
  file: string | undefined,
  {
    journal,
    tools = [],
    people,
    model,
    cassette,
  }: {
    readonly journal: string
    readonly tools?: readonly string[] | undefined
    readonly people?: 'terminal' | 'journal' | undefined
    readonly model?: string | undefined
    readonly cassette?: string | undefined
  },
): GoOn {
  const named = file === undefined ? '<file>' : quoted(file)
  return (runId) => {
    const words = [runId, '--journal', journal, ...tools.flatMap((module) => ['--tools', module])]
    if (model !== undefined) words.push('--model', model)
    if (cassette !== undefined) words.push('--cassette', cassette)
    if (people === 'journal') words.push('--people', people)
    return ['planloom resume', named, ...words.map(quoted)].join(' ')
  }
}

export function leftLines(run: Run, goOn: GoOn, colours: Colours): readonly string[] {
  const { id: runId, state, questions, plan, proposed } = run
  const standing = { runId, state, questions, plan, proposed }
  const reports = [...run.ledger()]
  const done = reports.filter(({ status }) => status === 'succeeded').length
  const steps = `${String(done)} of ${counted(reports.length, 'step')} done`
  return [
    `${colours.yellow('‖')} ${colours.bold('left unfinished')}: ${printable(run.id)}, with ${steps}; go on with it:`,
    `  ${goOn(run.id)}`,
    ...questionLines(standing, colours),
  ]
}

export function leftDocument(run: Run, goOn: GoOn): object {
  return {
    ...summaryDocument(endedRun(run), undefined),
    state: run.state,
    questions: run.questions,
    left: { goOn: goOn(run.id) },
  }
}
