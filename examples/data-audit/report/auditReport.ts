// The whole audit as one JSON value: what the page shows, and what a program can read.
import { columnProfileSchema, joinSchema } from 'planloom/tools'
import { z } from 'zod'
import type { AuditFile, FileCharts, FileProblems, FileProfile, FileRecognition } from '../audit.ts'
import { chartSchema } from '../charts/chart.ts'
import { imageSchema } from '../content/png.ts'
import { encodingSchema, formatSchema } from '../formats.ts'
import { byWeight, problemSchema, type Problem } from '../problems/problem.ts'
import { stepsOfFile, type FileStep } from './fileSteps.ts'
import type { History } from './history.ts'
import { whyUnread } from './whyUnread.ts'
import type { Join } from 'planloom/tools'

const tableSchema = z.strictObject({
  name: z.string(),
  rows: z.int(),
  /** Set where only a sample was looked at: rows of the whole. */
  sampledFrom: z.int().optional(),
  columns: z.array(columnProfileSchema),
  charts: z.array(chartSchema),
})

const auditFileSchema = z.strictObject({
  name: z.string(),
  sizeBytes: z.int(),
  format: formatSchema.optional(),
  encoding: encodingSchema.optional(),
  because: z.string().optional(),
  asNamed: z.boolean().optional(),
  damage: z.string().optional(),
  status: z.enum(['tables', 'image', 'unread']),
  /** For `unread`: why. */
  unread: z.string().optional(),
  tables: z.array(tableSchema),
  image: imageSchema.optional(),
  thumbnail: z.string().optional(),
  problems: z.array(problemSchema),
  /** What was done with it, in order. */
  steps: z.array(
    z.strictObject({
      tool: z.string(),
      status: z.string(),
      failure: z.string().optional(),
      seconds: z.number().optional(),
    }),
  ),
})

const revisionSchema = z.strictObject({
  revision: z.int(),
  by: z.string(),
  type: z.string(),
  because: z.string(),
  steps: z.int(),
  inserted: z.array(z.string()),
  removed: z.array(z.string()),
  replaced: z.array(z.string()),
  abandoned: z.array(z.strictObject({ id: z.string(), because: z.string() })),
  reordered: z.array(z.string()),
})

export const auditReportSchema = z.strictObject({
  version: z.literal(1),
  folder: z.string(),
  /** ISO 8601, UTC. */
  madeAt: z.string(),
  totals: z.strictObject({
    files: z.int(),
    sizeBytes: z.int(),
    unread: z.int(),
    images: z.int(),
    tables: z.int(),
    rows: z.int(),
    columns: z.int(),
    problems: z.strictObject({ high: z.int(), medium: z.int(), low: z.int() }),
    joins: z.strictObject({ strong: z.int(), likely: z.int(), weak: z.int() }),
  }),
  files: z.array(auditFileSchema),
  joins: z.array(joinSchema),
  /** Files that were not looked at, and why. */
  aside: z.array(z.strictObject({ name: z.string(), because: z.string() })),
  revisions: z.array(revisionSchema),
})
export type AuditReport = z.infer<typeof auditReportSchema>
export type ReportedFile = AuditReport['files'][number]
export type ReportedTable = ReportedFile['tables'][number]

/** What the steps of the audit have found, each about the file it names; nothing, or `null`, where a step was not carried out. */
export interface Findings {
  readonly folder: string
  readonly files: readonly AuditFile[]
  readonly aside: readonly { readonly name: string; readonly because: string }[]
  readonly recognitions: readonly (FileRecognition | null)[]
  readonly profiles: readonly (FileProfile | null)[]
  readonly problems: readonly (FileProblems | null)[]
  readonly charts: readonly (FileCharts | null)[]
  readonly joins: readonly Join[] | null
  readonly history: History | undefined
  /** ms since the epoch */
  readonly now: number
}

/** Puts together what was found; whatever is missing is missing in the report, and nothing else is. */
export function composeReport(findings: Findings): AuditReport {
  const files = findings.files.map((file) => reportFile(file, findings))
  const tables = files.flatMap((file) => file.tables)
  const problems = files.flatMap((file) => file.problems)
  const joins = [...(findings.joins ?? [])]
  const count = <T>(items: readonly T[], is: (item: T) => boolean) => items.filter(is).length
  return {
    version: 1,
    folder: findings.folder,
    madeAt: new Date(findings.now).toISOString(),
    totals: {
      files: files.length,
      sizeBytes: files.reduce((sum, file) => sum + file.sizeBytes, 0),
      unread: count(files, ({ status }) => status === 'unread'),
      images: count(files, ({ status }) => status === 'image'),
      tables: tables.length,
      rows: tables.reduce((sum, table) => sum + (table.sampledFrom ?? table.rows), 0),
      columns: tables.reduce((sum, table) => sum + table.columns.length, 0),
      problems: {
        high: count(problems, ({ severity }) => severity === 'high'),
        medium: count(problems, ({ severity }) => severity === 'medium'),
        low: count(problems, ({ severity }) => severity === 'low'),
      },
      joins: {
        strong: count(joins, ({ strength }) => strength === 'strong'),
        likely: count(joins, ({ strength }) => strength === 'likely'),
        weak: count(joins, ({ strength }) => strength === 'weak'),
      },
    },
    files,
    joins,
    aside: [...findings.aside],
    revisions: (findings.history?.revisions ?? []).map((revision) => ({
      ...revision,
      inserted: [...revision.inserted],
      removed: [...revision.removed],
      replaced: [...revision.replaced],
      abandoned: revision.abandoned.map(({ id, because }) => ({ id, because: unreadOf(id, files) ?? because })),
      reordered: [...revision.reordered],
    })),
  }
}

/** These read what others refuse, and leave out what does not fit. */
const lossy: ReadonlySet<string> = new Set(['read_csv_leniently', 'salvage_json'])

function lossIn(steps: readonly FileStep[]): string | undefined {
  const isLossy = steps.some(({ tool, status }) => status === 'succeeded' && lossy.has(tool))
  return isLossy ? 'it does not read strictly: what does not fit was left out or filled up' : undefined
}

/** Where a step was given up since its file cannot be read, that is why; the planner only knows which facts it lacked. */
function unreadOf(id: string, files: readonly ReportedFile[]): string | undefined {
  const [, item] = /\[(\d+)/.exec(id) ?? []
  const file = item === undefined ? undefined : files[Number(item)]
  return file?.unread === undefined ? undefined : `${file.name}: ${file.unread}`
}

function reportFile(file: AuditFile, findings: Findings): ReportedFile {
  const own = <T extends { readonly file: string }>(found: readonly (T | null)[]) =>
    found.find((one) => one?.file === file.name) ?? undefined
  const recognition = own(findings.recognitions)
  const profile = own(findings.profiles)
  const charts = own(findings.charts)?.charts ?? []
  const problems: Problem[] = [...(own(findings.problems)?.problems ?? [])]
  const steps = stepsOfFile(findings.history, file.number)
  const damage = recognition?.damage ?? lossIn(steps)
  if (damage !== undefined) {
    problems.push({
      code: 'damaged_file',
      severity: 'high',
      table: file.table,
      columns: [],
      count: 1,
      share: 1,
      text: damage,
      examples: [],
    })
  }
  return {
    name: file.name,
    sizeBytes: file.sizeBytes,
    ...(recognition && {
      format: recognition.format,
      encoding: recognition.encoding,
      because: recognition.because,
      asNamed: recognition.asNamed,
    }),
    ...(damage !== undefined && { damage }),
    status: profile?.kind ?? 'unread',
    ...(profile === undefined && { unread: whyUnread(findings.history, file.number, recognition) }),
    tables:
      profile?.kind === 'tables'
        ? profile.tables.map(({ table, ...described }) => ({
            name: table,
            ...described,
            charts: charts.filter((chart) => chart.table === table),
          }))
        : [],
    ...(profile?.kind === 'image' && {
      image: profile.image,
      ...(profile.thumbnail !== undefined && { thumbnail: profile.thumbnail }),
    }),
    problems: problems.sort(byWeight),
    steps,
  }
}
