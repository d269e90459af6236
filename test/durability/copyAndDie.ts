// A process of its own: copies a run into another journal, or repairs a file, and dies at one of its transactions.
import { copyRun, repairJournal, sqliteJournal, type RunJournal } from '../../src/runtime/index.ts'

const [what, from = '', to = '', flushes = '1'] = process.argv.slice(2)
if (what === 'repair') {
  const started = repairJournal(from, to)
  setImmediate(() => {
    process.kill(process.pid, 'SIGKILL')
  })
  await started
} else {
  const journal = sqliteJournal(to)
  let left = Number(flushes)
  await copyRun([...sqliteJournal(from).read('run')], {
    ...journal,
    create: (runId: string) => dyingAt(journal.create(runId)),
  })

  function dyingAt(run: RunJournal): RunJournal {
    const flush = run.flush.bind(run)
    run.flush = async (durability) => {
      await flush(durability)
      if (--left === 0) process.kill(process.pid, 'SIGKILL')
    }
    return run
  }
}
