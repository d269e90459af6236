// The audit as a program of its own: how a runtime is embedded, watched and closed.
//
//   tsx examples/data-audit/main.ts [folder] [--out folder]
import { parseArgs } from 'node:util'
import { createGoalPlanner, createRuntime, type Run } from 'planloom'
import { isJsonObject } from 'planloom/plan'
import { dataAudit, limits } from './dataAudit.ts'
import { realFolder } from './goal.ts'
import { historyOf } from './report/history.ts'

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: { out: { type: 'string', default: 'audit-report' } },
})
const audit = dataAudit({
  folder: positionals[0] ?? realFolder,
  out: values.out,
  history: (runId) => {
    const found = runtime.runs.find(({ id }) => id === runId)
    return found && historyOf(found)
  },
})
const runtime = createRuntime({ tools: audit.tools, planner: createGoalPlanner(), limits })
const stop = new AbortController()
process.once('SIGINT', () => {
  stop.abort(new Error('interrupted at the terminal'))
})

const run = runtime.start(audit.goal, { signal: stop.signal })
const watching = watch(run)
const outcome = await run.result
watching.unsubscribe()
await runtime.close()
await audit.db.close()

process.stdout.write(`\n${outcome.message}\n`)
const report = run.fact('report')?.value
if (isJsonObject(report) && typeof report['html'] === 'string') process.stdout.write(`Report: ${report['html']}\n`)
process.exitCode = outcome.status === 'completed' ? 0 : outcome.status === 'cancelled' ? 130 : 1

/** Says in one line how far the run is, and in a line of its own whenever the plan changes. */
function watch(watched: Run) {
  const write = process.stdout.isTTY ? (text: string) => process.stdout.write(`\r\x1b[K${text}`) : () => true
  let revision = 0
  return watched.transitions().subscribe(({ revision: current, state }) => {
    if (current !== revision) {
      revision = current
      const because = watched.plan?.because.text ?? ''
      write('')
      process.stdout.write(
        `revision ${String(current)}: ${because.length > 150 ? `${because.slice(0, 147)}…` : because}\n`,
      )
    }
    const steps = [...watched.ledger()]
    const done = steps.filter(({ status }) => status === 'succeeded').length
    const running = steps.flatMap(({ id, status }) => (status === 'running' ? [id] : []))
    write(`${state}: ${String(done)} of ${String(steps.length)} steps, now ${running.slice(0, 4).join(', ')}`)
  })
}
