// The audit as a whole: a goal and the tools to reach it. There is no list of steps anywhere: the planner finds them.
import { join, resolve } from 'node:path'
import type { Goal } from 'planloom/plan'
import { openDuckDB, type DuckDB, type Tool } from 'planloom/tools'
import type { Audit } from './audit.ts'
import { discoverTool } from './tools/discover.ts'
import { examineTools } from './tools/examine.ts'
import { inspectImageTool } from './tools/inspectImage.ts'
import { readArrowTool } from './tools/readArrow.ts'
import { readerTools } from './tools/readTables.ts'
import { recogniseTool } from './tools/recognise.ts'
import { reshapeTools } from './tools/reshape.ts'
import { transcodeTool } from './tools/transcode.ts'
import { writeReportTool } from './tools/writeReportTool.ts'

export interface DataAuditOptions {
  /** The folder whose files are looked at. */
  readonly folder: string
  /** The folder that the report is written to. @default 'audit-report' */
  readonly out?: string
  /** How the run came to where it is, for the section "How the plan changed". */
  readonly history?: Audit['history']
}

/** Few steps at once: queries run on few connections anyway, and so what is more important really goes first. */
export const limits = { concurrency: 8 } as const

export interface DataAudit {
  readonly goal: Goal
  readonly tools: readonly Tool[]
  /** The database behind the tools; close it when the run is over. */
  readonly db: DuckDB
}

/** Prepares an audit of a folder: the goal to give to a runtime, and the tools it needs. */
export function dataAudit({ folder, out = 'audit-report', history }: DataAuditOptions): DataAudit {
  const place = resolve(folder)
  const report = resolve(out)
  // Many small tables: queries side by side do more than several threads in one query.
  const db = openDuckDB({ roots: [place], workFolder: join(report, 'tables'), threads: 1, connections: 4 })
  const audit: Audit = { folder: place, out: report, db, ...(history && { history }) }
  const tools = [
    discoverTool(audit),
    recogniseTool(audit),
    ...readerTools(audit),
    readArrowTool(audit),
    ...reshapeTools(audit),
    transcodeTool(audit),
    inspectImageTool(audit),
    ...examineTools(audit),
    writeReportTool(audit),
  ]
  const goal: Goal = {
    text: `Audit the data files in ${folder}: what they are, what is in them, what is wrong with them, and what joins them.`,
    want: [{ fact: 'report' }],
    facts: { folder },
    partial: 'allow',
  }
  return { goal, tools, db }
}
