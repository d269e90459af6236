// The audit as a program of its own: how a runtime is embedded, given a goal, and closed.
//
//   tsx examples/data-audit/main.ts [folder] [--out folder]
//
// Progress, Ctrl-C and the summary are those of the command `planloom`; a program elsewhere watches `run.transitions()`, gives
// a `signal` to start(), and looks at `run.result`.
import { parseArgs } from 'node:util'
import { createGoalPlanner, createRuntime } from 'planloom'
import { seeThrough } from '../../src/cli/company.ts'
import { createOutput } from '../../src/cli/output.ts'
import { showProgress } from '../../src/cli/progress/showProgress.ts'
import { dataAudit, limits } from './dataAudit.ts'
import { realFolder } from './goal.ts'
import { outcomeLines } from './outcomeLines.ts'
import { historyOf } from './report/history.ts'

const { folder, out } = readArguments()
const audit = dataAudit({
  folder,
  out,
  history: (runId) => {
    const found = runtime.runs.find(({ id }) => id === runId)
    return found && historyOf(found)
  },
})
const runtime = createRuntime({ tools: audit.tools, planner: createGoalPlanner(), limits })
const run = runtime.start(audit.goal)
const output = createOutput(process, false)
process.exitCode = await seeThrough(run, { output, progress: showProgress(run, output) })
output.print(outcomeLines(run.fact('report')?.value, output.columns))
await runtime.close()
await audit.db.close()

/** Folder and place of the report; ends the process where the help was asked for, or would help. */
function readArguments(): { readonly folder: string; readonly out: string } {
  const usage = 'Usage: npm start -- [folder] [--out folder]'
  const refuse = (problem: string): never => {
    console.error(`error: ${problem}\n${usage}`)
    process.exit(2)
  }
  try {
    const { values, positionals } = parseArgs({
      allowPositionals: true,
      options: { out: { type: 'string', default: 'audit-report' }, help: { type: 'boolean', short: 'h' } },
    })
    if (values.help === true) {
      console.log(
        `${usage}\n\nAudits the data files in a folder (without one: 73 real files), and writes report.html and report.json.`,
      )
      process.exit(0)
    }
    const [folder = realFolder, ...more] = positionals
    if (more.length > 0)
      return refuse(`one folder at a time; there is also ${more.map((name) => `"${name}"`).join(', ')}`)
    if (folder === '' || values.out === '') return refuse('the name of a folder is empty')
    return { folder, out: values.out }
  } catch (error) {
    return refuse(error instanceof Error ? error.message : String(error))
  }
}
