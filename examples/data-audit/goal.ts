// The goal and the tools, as `planloom run examples/data-audit/goal.ts` takes them.
//
// AUDIT_FOLDER and AUDIT_OUT say which folder is audited and where the report goes; without them it is the folder of the
// npm package `vega-datasets`, and `audit-report`.
import { relative } from 'node:path'
import { fileURLToPath } from 'node:url'
import { createGoalPlanner } from 'planloom'
import { dataAudit } from './dataAudit.ts'
import { recordPlanner } from './recordPlanner.ts'

/** 73 real files, dirty in real ways. */
export const realFolder = relative(
  '.',
  fileURLToPath(new URL('../../node_modules/vega-datasets/data', import.meta.url)),
)

const recorded = recordPlanner(createGoalPlanner())
const { env } = process

export { limits } from './dataAudit.ts'
export const planner = recorded.planner
export const { goal, tools } = dataAudit({
  folder: env['AUDIT_FOLDER'] ?? realFolder,
  out: env['AUDIT_OUT'] ?? 'audit-report',
  history: recorded.history,
})
