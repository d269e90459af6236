// Runs an audit as a user would, and gives what a test wants to see of it.
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { createGoalPlanner, createRuntime, type Outcome, type Run } from 'planloom'
import type { Tool } from 'planloom/tools'
import { dataAudit, limits } from '../../../examples/data-audit/dataAudit.ts'
import {
  auditReportSchema,
  type AuditReport,
  type ReportedFile,
} from '../../../examples/data-audit/report/auditReport.ts'
import { historyOf } from '../../../examples/data-audit/report/history.ts'

export interface Audited {
  readonly outcome: Outcome
  readonly run: Run
  /** Undefined when none was written. */
  readonly report: AuditReport | undefined
  readonly page: string
  file(name: string): ReportedFile
}

/** @param change what a test makes of the tools before the run. */
export async function runAudit(
  folder: string,
  out: string,
  change: (tools: readonly Tool[]) => readonly Tool[] = (tools) => tools,
): Promise<Audited> {
  const audit = dataAudit({
    folder,
    out,
    history: (runId) => {
      const found = runtime.runs.find(({ id }) => id === runId)
      return found && historyOf(found)
    },
  })
  const runtime = createRuntime({ tools: change(audit.tools), planner: createGoalPlanner(), limits, seed: 1 })
  try {
    const run = runtime.start(audit.goal)
    const outcome = await run.result
    const written = run.fact('report') !== undefined
    const report = written
      ? auditReportSchema.parse(JSON.parse(readFileSync(join(out, 'report.json'), 'utf8')))
      : undefined
    return {
      outcome,
      run,
      report,
      page: written ? readFileSync(join(out, 'report.html'), 'utf8') : '',
      file(name) {
        const found = report?.files.find((file) => file.name === name)
        if (found === undefined) throw new Error(`no file ${name} in the report`)
        return found
      },
    }
  } finally {
    await runtime.close()
    await audit.db.close()
  }
}
