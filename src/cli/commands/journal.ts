// `planloom journal`: looking a journal file through, and saving what is intact.
import { repairJournal, verifyJournal, type JournalFault, type Repaired } from '../../runtime/index.ts'
import { counted } from '../counted.ts'
import { printable } from '../escape.ts'
import { exitCodes } from '../exitCodes.ts'
import type { Output } from '../output.ts'

/** Of the faults that SQLite finds in pages, which a damaged file has many of: as many as are told in words. */
const mostPageFaults = 3

export function verify(path: string, output: Output): number {
  const report = verifyJournal(path)
  const { runs, events, faults } = report
  output.document({ journal: path, ...report })
  const { colours } = output
  if (faults.length === 0) {
    const are = runs === 1 ? 'is' : 'are'
    output.print([`${colours.green('✓')} ${counted(runs, 'run')} with ${counted(events, 'event')} ${are} intact.`])
    return exitCodes.done
  }
  const ofRuns = faults.filter(({ runId }) => runId !== undefined)
  const ofFile = faults.filter(({ runId }) => runId === undefined)
  const more = ofFile.length - mostPageFaults
  output.print([
    ...ofFile.slice(0, mostPageFaults).map(({ message }) => `${colours.red('✗')} ${printable(message)}`),
    ...(more > 0 ? [`  ${counted(more, 'more fault')} of the file as a whole; --json lists all.`] : []),
    ...ofRuns.map((fault) => `${colours.red('✗')} ${faultInWords(fault)}`),
    howMany(runs, ofRuns.map(({ seq }) => seq ?? 0)),
    whatToDo(path, events),
  ]) // prettier-ignore
  return exitCodes.failed
}

export async function repair(path: string, options: { readonly out: string }, output: Output): Promise<number> {
  const repaired = await repairJournal(path, options.out)
  const { runs, cutShort, because } = repaired
  const lost = runs.filter((run) => run.because !== undefined)
  const kept = runs.reduce((sum, run) => sum + run.kept, 0)
  output.print([
    ...(cutShort ? [`The file was cut short: ${digits(cutShort.bytes)} of ${digits(cutShort.of)} bytes are left.`] : []),
    ...(because === undefined ? [] : [printable(because)]),
    ...lost.map(lossInWords),
    howMany(runs.length, lost.map((run) => run.kept)),
    kept === 0 ? `No event could be saved: ${options.out} is empty.` : `${counted(kept, 'event')} saved in ${options.out}.`,
  ]) // prettier-ignore
  output.document({ from: path, to: options.out, ...repaired })
  return lost.length === 0 && because === undefined ? exitCodes.done : exitCodes.failed
}

/** @param saved how many events of each run that is not whole are intact. */
function howMany(runs: number, saved: readonly number[]): string {
  const gone = saved.filter((events) => events === 0).length
  const whole = runs - saved.length
  return `Of ${counted(runs, 'run')}: ${whole} whole, ${saved.length - gone} in part, ${gone} lost.`
}

function whatToDo(path: string, events: number): string {
  if (events === 0) return 'No event is intact: there is nothing that repair could save.'
  const [are, them] = events === 1 ? ['is', 'it'] : ['are', 'them']
  return `${counted(events, 'event')} ${are} intact. planloom journal repair ${path} --out <file> saves ${them}.`
}

function faultInWords({ runId = '', seq: kept = 0, of, message }: JournalFault): string {
  return lossInWords({ runId, kept, because: message, ...(of !== undefined && { of }) })
}

/** How much of a run is intact, and why the rest is not. */
function lossInWords({ runId, kept, of, because = '' }: Repaired['runs'][number]): string {
  const all = of === undefined ? counted(kept, 'event') : `${kept} of ${counted(of, 'event')}`
  return `${printable(runId)}: ${all}. ${printable(because)}`
}

function digits(bytes: number): string {
  return bytes.toLocaleString('en')
}
