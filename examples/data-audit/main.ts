// The audit as a program of its own: how a runtime is embedded, given a goal, and closed.
//
//   tsx examples/data-audit/main.ts [folder] [--out folder]
//
// Progress, Ctrl-C and the summary are those of the command `planloom`; a program elsewhere watches `run.transitions()`, gives
// a `signal` to start(), and looks at `run.result`.
import { parseArgs } from 'node:util'
import { createGoalPlanner, createRuntime } from 'planloom'
import { isJsonObject } from 'planloom/plan'
import { seeThrough } from '../../src/cli/company.ts'
import { createOutput } from '../../src/cli/output.ts'
import { showProgress } from '../../src/cli/progress/showProgress.ts'
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
const run = runtime.start(audit.goal)
const output = createOutput(process, false)
process.exitCode = await seeThrough(run, { output, progress: showProgress(run, output) })
const report = run.fact('report')?.value
if (isJsonObject(report) && typeof report['html'] === 'string') output.print(['', `Report: ${report['html']}`])
await runtime.close()
await audit.db.close()
