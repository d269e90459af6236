// A process of its own that fights for one run of a journal: takes it when it can, writes a few events, and says which it knows to be
// written; then gives it back and tries again, until it is told to stop. With a signal as its last argument it keeps the run, and gives
// itself that signal after a few events, between two transactions: within one it would hold up all that write the file.
import { setTimeout as wait } from 'node:timers/promises'
import { sqliteJournal, type JournalEvent, type RunJournal } from '../../src/runtime/index.ts'

const [path = '', name = '', leaseMs = '', signal] = process.argv.slice(2)
const journal = sqliteJournal(path, { leaseMs: Number(leaseMs) })
const told = new AbortController()
process.stdin.resume().on('end', () => {
  told.abort()
})

const codeOf = (error: unknown): string => String((error as { readonly code?: unknown }).code)
const said = new Set<string>()
function sayOnce(what: string): void {
  if (!said.has(what)) process.stdout.write(`${what}\n`)
  said.add(what)
}

function take(): RunJournal | undefined {
  try {
    return journal.open('run')
  } catch (error) {
    if (codeOf(error) !== 'RUN_OWNED' && codeOf(error) !== 'JOURNAL_BUSY') throw error
    sayOnce(`refused ${codeOf(error)}`)
    return undefined
  }
}

/** @returns whether it still has the run */
async function write(run: RunJournal): Promise<boolean> {
  const event: JournalEvent = { type: 'fact.reported', id: `e${String(run.next)}`, at: Date.now(), seq: run.next, key: name, value: run.next }
  run.append(event)
  try {
    await run.flush()
  } catch (error) {
    process.stdout.write(`lost ${String(event.seq)} ${codeOf(error)}\n`)
    return false
  }
  process.stdout.write(`wrote ${String(event.seq)}\n`)
  return true
} // prettier-ignore

process.stdout.write('ready\n')
const isTold = (): boolean => told.signal.aborted
let lost = false
while (!isTold() && !lost) {
  const run = take()
  if (run === undefined) {
    await wait(1)
    continue
  }
  process.stdout.write('took\n')
  for (let count = 0; (signal !== undefined || count < 5) && !isTold() && !lost; count++) {
    if (count === 5 && signal !== undefined && signal !== 'none') process.kill(process.pid, signal)
    lost = !(await write(run))
    if (signal !== undefined) await wait(1)
  }
  await run.close()
  await wait(0)
}
await journal.close()
process.stdin.destroy()
process.stdout.write('done\n')
