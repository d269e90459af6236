// The audit as a program of its own: how a runtime is embedded, given a goal, its runs recorded, gone on with, and closed.
//
//   tsx examples/data-audit/main.ts [folder] [--out folder] [--journal file] [--resume run]
//
// Progress, Ctrl-C and the summary are those of the command `planloom`; a program elsewhere watches `run.transitions()`, gives
// a `signal` to start(), and looks at `run.result`.
import { createGoalPlanner, createRuntime, memoryJournal, PlanloomError, sqliteJournal, type Journal } from 'planloom'
import { seeThrough } from '../../src/cli/company.ts'
import { exitCodes } from '../../src/cli/exitCodes.ts'
import { errorLines } from '../../src/cli/findingLines.ts'
import { createOutput } from '../../src/cli/output.ts'
import { showProgress } from '../../src/cli/progress/showProgress.ts'
import { endWithReader } from '../../src/cli/readers.ts'
import { readArguments, resumeCommand } from './arguments.ts'
import { dataAudit, limits } from './dataAudit.ts'
import { outcomeLines } from './outcomeLines.ts'
import { historyOf } from './report/history.ts'

endWithReader()
const given = readArguments()
const output = createOutput(process, false)
try {
  process.exitCode = await audit()
} catch (error) {
  if (!(error instanceof PlanloomError)) throw error
  output.note(errorLines(error, output.errorColours))
  process.exitCode = 1
}

/** @returns the exit code */
async function audit(): Promise<number> {
  const { journal, file } = openJournal()
  const { tools, goal, db } = dataAudit({
    ...given,
    history: (runId) => {
      const found = runtime.runs.find(({ id }) => id === runId)
      return found && historyOf(found)
    },
  })
  const runtime = createRuntime({ tools, planner: createGoalPlanner(), limits, journal })
  try {
    const run = given.resume === undefined ? runtime.start(goal) : await runtime.resume(given.resume)
    if (file !== undefined)
      output.note([`${run.id} is recorded in ${file}; cut short, it goes on with: ${resumeCommand(given, run.id)}`])
    const goOn = file === undefined ? undefined : (id: string): string => resumeCommand(given, id)
    const code = await seeThrough(run, { output, progress: showProgress(run, output), journal: file, goOn })
    if (code !== exitCodes.left) output.print(outcomeLines(run.fact('report')?.value, output.columns))
    return code
  } finally {
    await runtime.close()
    await db.close()
  }
}

/** The audit needs no record: one that nobody asked for, and that cannot be kept, is done without, aloud. */
function openJournal(): { readonly journal: Journal; readonly file?: string } {
  const nothing = { journal: memoryJournal() }
  const { journal: file } = given
  if (file === undefined) return nothing
  try {
    return { journal: sqliteJournal(file), file }
  } catch (error) {
    if (given.isJournalWanted || !(error instanceof PlanloomError)) throw error
    output.note([`The run is not recorded: ${error.message} ${error.hint ?? ''}`])
    return nothing
  }
}
