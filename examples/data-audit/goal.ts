// The goal and the tools, as `planloom run examples/data-audit/goal.ts` takes them.
//
// AUDIT_FOLDER and AUDIT_OUT say which folder is audited and where the report goes; without them it is the folder of the
// npm package `vega-datasets`, and `audit-report`.
import { relative } from 'node:path'
import { fileURLToPath } from 'node:url'
import type { Runtime } from 'planloom'
import { dataAudit } from './dataAudit.ts'
import { historyOf } from './report/history.ts'

/** 73 real files, dirty in real ways. */
export const realFolder = relative(
  '.',
  fileURLToPath(new URL('../../node_modules/vega-datasets/data', import.meta.url)),
)

const { env } = process
let runtime: Runtime | undefined

/** The command tells which runtime it is: the report says how its run has come there, before a kill as well. */
export function watch(opened: Runtime): void {
  runtime = opened
}

export { limits } from './dataAudit.ts'
export const { goal, tools } = dataAudit({
  folder: env['AUDIT_FOLDER'] ?? realFolder,
  out: env['AUDIT_OUT'] ?? 'audit-report',
  history: (runId) => {
    const found = runtime?.runs.find(({ id }) => id === runId)
    return found && historyOf(found)
  },
})
