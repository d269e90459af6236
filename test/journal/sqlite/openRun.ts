// A process of its own: opens a run of a journal, or makes it and dies without a word.
import { sqliteJournal } from '../../../src/runtime/index.ts'

const [path = '', runId = '', what] = process.argv.slice(2)
const journal = sqliteJournal(path)
if (what === 'die') {
  const run = journal.create(runId)
  run.append({ type: 'run.pause', id: 'e0', at: 0, seq: 0 })
  await run.flush()
  process.kill(process.pid, 'SIGKILL')
}
try {
  journal.open(runId)
  console.log('opened')
} catch (error) {
  const { code, message } = error as { readonly code?: string; readonly message: string }
  console.log(code, message)
}
