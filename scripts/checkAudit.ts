// What `npm start` wrote is there, and says what it should: compared with the files themselves, not with another report.
//
//   tsx scripts/checkAudit.ts [folder of the report]
import { readdirSync, readFileSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { auditReportSchema, type AuditReport } from '../examples/data-audit/report/auditReport.ts'

const folder = process.argv[2] ?? 'audit-report'
const data = 'node_modules/vega-datasets/data'
const report = auditReportSchema.parse(JSON.parse(readFileSync(join(folder, 'report.json'), 'utf8')))
const page = readFileSync(join(folder, 'report.html'), 'utf8')

const problems = [
  ...filesProblems(),
  ...contentProblems(),
  ...totalsProblems(),
  ...replanningProblems(),
  ...pageProblems(),
]
for (const problem of problems) console.error(problem)
console.log(
  problems.length === 0
    ? `the audit of ${report.totals.files} files, ${report.revisions.length} revisions, is what it should be`
    : `${problems.length} things are wrong with the audit`,
)
process.exitCode = problems.length === 0 ? 0 : 1

/** Every file of the folder stands in the report, with its size, and was read or has a reason. */
function filesProblems(): string[] {
  const listed = [...report.files, ...report.aside].map(({ name }) => name).sort()
  const real = readdirSync(data).sort()
  const read = report.files.filter(({ status }) => status !== 'unread')
  return [
    ...check(listed.join() === real.join(), `the report lists other files than ${data} has`),
    ...report.files.flatMap(({ name, sizeBytes }) =>
      check(statSync(join(data, name)).size === sizeBytes, `${name} has another size`),
    ),
    ...report.files.flatMap(({ name, status, unread }) =>
      check(status !== 'unread' || Boolean(unread), `${name} is unread without a reason`),
    ),
    ...report.files.flatMap(({ name, status, tables }) =>
      check(status !== 'tables' || tables.length > 0, `${name} has no table`),
    ),
    ...check(read.length >= 0.9 * real.length, `only ${read.length} of ${real.length} files were read`),
  ]
}

/** Some tables, counted here by other means. */
function contentProblems(): string[] {
  const lines = (name: string): number => readFileSync(join(data, name), 'utf8').trimEnd().split('\n').length - 1
  const records = (name: string): number => (JSON.parse(readFileSync(join(data, name), 'utf8')) as unknown[]).length
  return [
    ...rowsProblem('seattle-weather.csv', lines('seattle-weather.csv')),
    ...rowsProblem('stocks.csv', lines('stocks.csv')),
    ...rowsProblem('cars.json', records('cars.json')),
    ...rowsProblem('movies.json', records('movies.json')),
  ]
}

function rowsProblem(name: string, rows: number): string[] {
  const found = report.files.find((file) => file.name === name)?.tables[0]?.rows
  return check(found === rows, `${name} has ${rows} rows, and the report says ${found ?? 'nothing'}`)
}

function totalsProblems(): string[] {
  const { totals, files } = report
  const tables = files.flatMap((file) => file.tables)
  return [
    ...check(totals.files === files.length, 'the number of files is another than that of the files listed'),
    ...check(totals.tables === tables.length, 'the number of tables is another than that of the tables listed'),
    ...check(
      totals.columns === tables.reduce((sum, table) => sum + table.columns.length, 0),
      'the number of columns is wrong',
    ),
    ...check(report.joins.length > 0, 'no two files join'),
    ...check(
      totals.problems.high + totals.problems.medium + totals.problems.low > 0,
      'no problem was found in any file',
    ),
  ]
}

/** The real files force each of the three amendments, and each revision has its reason. */
function replanningProblems(): string[] {
  const amended = report.revisions.filter(({ type }) => type === 'trouble')
  const has = (what: (revision: AuditReport['revisions'][number]) => readonly unknown[], name: string): string[] =>
    check(
      amended.some((revision) => what(revision).length > 0),
      `no trouble made the planner ${name}`,
    )
  return [
    ...has(({ inserted }) => inserted, 'insert a step'),
    ...has(({ abandoned }) => abandoned, 'abandon a branch'),
    ...has(({ reordered }) => reordered, 're-order steps'),
    ...check(
      report.revisions.every(({ because }) => because !== ''),
      'a revision has no reason',
    ),
  ]
}

/** One page with everything in it: no file is missing, and nothing comes from elsewhere. */
function pageProblems(): string[] {
  const foreign = page.match(/\b(?:src|href|srcset)="(?!#|data:)[^"]*"|url\((?!data:|#)[^)]*\)|@import/g) ?? []
  return [
    ...report.files.flatMap(({ name }) => check(page.includes(name), `${name} is missing on the page`)),
    ...check(foreign.length === 0, `the page wants ${foreign.slice(0, 3).join(', ')}`),
    ...check(page.includes('How the plan changed'), 'the page does not say how the plan changed'),
    ...check(page.trimEnd().endsWith('</html>'), 'the page is cut off'),
  ]
}

function check(holds: boolean, problem: string): string[] {
  return holds ? [] : [problem]
}
