// A process of its own: takes a request of a run, and dies before or after its event is written.
import { sqliteJournal } from '../../../src/runtime/index.ts'

const [path = '', when] = process.argv.slice(2)
const writer = sqliteJournal(path).open('one')
for (const { number } of writer.takeRequests?.() ?? [])
  writer.append({ type: 'run.pause', id: `e${String(writer.next)}`, at: 0, seq: writer.next, request: number })
const flushed = writer.flush()
if (when === 'after') await flushed
process.kill(process.pid, 'SIGKILL')
