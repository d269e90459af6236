// The last step: whatever the others have found, in one page. What they have not found is missing in it, and nothing else is.
import { relative } from 'node:path'
import { defineTool, joinSchema } from 'planloom/tools'
import { z } from 'zod'
import {
  fileChartsSchema,
  fileProblemsSchema,
  fileProfileSchema,
  fileRecognitionSchema,
  fileSchema,
  type Audit,
} from '../audit.ts'
import { composeReport } from '../report/auditReport.ts'
import { writeReport } from '../report/writeReport.ts'

/** They are a fact of the run, which its journal keeps. */
const mostNotRead = 30

/** One for each file that has it; `null` where the step that would have given it was not carried out. */
const forEach = <T extends z.ZodType>(schema: T) => z.array(schema.nullable()).nullable()

export function writeReportTool(audit: Audit) {
  return defineTool({
    name: 'write_report',
    description: 'Writes all findings into one self-contained HTML page and its JSON.',
    input: z.strictObject({
      folder: z.string(),
      files: z.array(fileSchema),
      aside: z.array(z.strictObject({ name: z.string(), because: z.string() })),
      recognitions: forEach(fileRecognitionSchema),
      profiles: forEach(fileProfileSchema),
      problems: forEach(fileProblemsSchema),
      charts: forEach(fileChartsSchema),
      joins: z.array(joinSchema).nullable(),
    }),
    output: z.strictObject({
      html: z.string(),
      json: z.string(),
      files: z.int(),
      unread: z.int(),
      /** Why files were not read: the first of them, for those who do not open the report. */
      notRead: z.array(z.strictObject({ name: z.string(), because: z.string() })),
      problems: z.strictObject({ high: z.int(), medium: z.int(), low: z.int() }),
      joins: z.int(),
    }),
    needs: {
      folder: 'folder',
      files: { fact: 'file', each: true },
      aside: 'aside',
      recognitions: { fact: 'recognition', each: true },
      profiles: { fact: 'profile', each: true },
      problems: { fact: 'problems', each: true },
      charts: { fact: 'charts', each: true },
      joins: 'joins',
    },
    gives: { report: '' },
    cost: 2,
    effects: 'write',
    idempotent: true,
    run: async (input, { runId, now }) => {
      const report = composeReport({
        ...input,
        recognitions: input.recognitions ?? [],
        profiles: input.profiles ?? [],
        problems: input.problems ?? [],
        charts: input.charts ?? [],
        history: audit.history?.(runId),
        now: now(),
      })
      const { html, json } = await writeReport(audit.out, report)
      const { files, unread, problems, joins } = report.totals
      const notRead = report.files.flatMap(({ name, unread }) =>
        unread === undefined ? [] : [{ name, because: unread }],
      )
      return {
        html: shown(html),
        json: shown(json),
        files,
        unread,
        notRead: notRead.slice(0, mostNotRead),
        problems,
        joins: joins.strong + joins.likely,
      }
    },
  })
}

/** From where the command was started, where that is shorter. */
function shown(path: string): string {
  const way = relative('.', path)
  return way.startsWith('..') ? path : way
}
