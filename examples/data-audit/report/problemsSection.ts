// Problems with data quality: the worst first, each with where it is and an example to look at.
import { problemNames, type Problem } from '../problems/problem.ts'
import type { AuditReport, ReportedFile } from './auditReport.ts'
import { html, type Markup } from './markup.ts'
import { formatCount } from './numbers.ts'
import { formatNames } from '../formats.ts'

const severities = ['high', 'medium', 'low'] as const
const severityNames = { high: 'serious', medium: 'probable', low: 'worth knowing' } as const

/** What a reader in a hurry should see. */
export function highlightsSection({ files, totals }: AuditReport): Markup {
  const unread = files.filter(({ status }) => status === 'unread')
  const misnamed = files.filter(({ asNamed, status }) => asNamed === false && status !== 'unread')
  const sampled = files.flatMap((file) =>
    file.tables.flatMap((table) => (table.sampledFrom === undefined ? [] : [{ file, table }])),
  )
  const serious = files.flatMap((file) =>
    file.problems.filter(({ severity }) => severity === 'high').map((problem) => ({ file, problem })),
  )
  const nothing = unread.length + misnamed.length + sampled.length + serious.length === 0
  return html`<section id="stands-out">
    <h2>What stands out</h2>
    <ul class="plain">
      ${unread.map((file) => html`<li><span class="sev high">Not read</span> ${link(files, file)} (${file.format === undefined ? 'not looked at' : formatNames[file.format]}): ${file.unread ?? ''}</li>`)}
      ${serious.slice(0, 12).map(({ problem }) => html`<li>${problemLine(problem, true)}</li>`)}
      ${serious.length > 12 && html`<li class="soft">and <a href="#problems">${formatCount(serious.length - 12)} more serious problems</a></li>`}
      ${sampled.map(({ file, table }) => html`<li><span class="sev low">Sampled</span> ${link(files, file)}: numbers come from ${formatCount(table.rows)} of its ${formatCount(table.sampledFrom ?? 0)} rows.</li>`)}
      ${misnamed.length > 0 && html`<li><span class="sev low">Not as named</span> ${formatCount(misnamed.length)} ${misnamed.length === 1 ? 'file is' : 'files are'} not what the extension promises: ${misnamed.map((file, index) => html`${index > 0 && ', '}${link(files, file)} <span class="soft">(${file.format === undefined ? '' : formatNames[file.format]})</span>`)}.</li>`}
      ${nothing && html`<li class="soft">Nothing: all ${formatCount(totals.files)} files were read, without a serious problem.</li>`}
    </ul>
  </section>`
}

export function problemsSection({ files, totals }: AuditReport): Markup {
  const problems = files.flatMap((file) => file.problems.map((problem) => ({ file, problem })))
  return html`<section id="problems">
    <h2>Problems</h2>
    <p class="soft">
      ${problems.length === 0 ? 'None were found.' : html`${formatCount(totals.problems.high)} serious, ${formatCount(totals.problems.medium)} probable, ${formatCount(totals.problems.low)} worth knowing. Every one was counted in the rows, none is a guess from the name.`}
    </p>
    ${severities.map((severity) =>
      severityGroup(
        severity,
        files,
        problems.filter(({ problem }) => problem.severity === severity),
      ),
    )}
  </section>`
}

function severityGroup(
  severity: Problem['severity'],
  files: readonly ReportedFile[],
  problems: readonly { readonly file: ReportedFile; readonly problem: Problem }[],
): Markup | undefined {
  if (problems.length === 0) return undefined
  const table = html`<div class="scroll">
    <table class="problems">
      <thead>
        <tr>
          <th scope="col">Problem</th>
          <th scope="col">Where</th>
          <th scope="col">What</th>
          <th scope="col" class="wide">For example</th>
        </tr>
      </thead>
      <tbody>
        ${problems.map(
          ({ file, problem }) =>
            html`<tr>
              <td class="nowrap"><span class="sev ${severity}">${problemNames[problem.code]}</span></td>
              <td class="name">${link(files, file)}${placeOf(problem, file.tables.length > 1)}</td>
              <td>${problem.text}</td>
              <td class="wide">${examplesOf(problem)}</td>
            </tr>`,
        )}
      </tbody>
    </table>
  </div>`
  return html`<details ${severity !== 'low' && 'open'}>
    <summary><b class="${severity}">${formatCount(problems.length)} ${severityNames[severity]}</b></summary>
    ${table}
  </details>`
}

/** One problem in one line. */
export function problemLine(problem: Problem, isPlaced: boolean): Markup {
  const place = isPlaced ? html`<b>${problem.table}</b> ` : undefined
  return html`<span class="sev ${problem.severity}">${problemNames[problem.code]}</span> ${place}${columnsOf(problem)}
    ${problem.text}${problem.examples.length > 0 && html`<div class="values">${examplesOf(problem)}</div>`}`
}

function columnsOf({ columns }: Problem): Markup | undefined {
  if (columns.length === 0) return undefined
  return html`<code
      >${columns.slice(0, 3).join(', ')}${columns.length > 3 && ` and ${String(columns.length - 3)} more`}</code
    >:`
}

function placeOf(problem: Problem, isNamed: boolean): Markup {
  const columns = columnsOf(problem)
  return html`${isNamed && html`<br /><span class="soft">${problem.table}</span>`}${columns && html`<br /><code>${problem.columns.slice(0, 3).join(', ')}${problem.columns.length > 3 && ` and ${String(problem.columns.length - 3)} more`}</code>`}`
}

function examplesOf({ examples }: Problem): Markup {
  return html`<span class="values"
    >${examples.map((example) => html`<span class="pill">${example.length > 60 ? `${example.slice(0, 58)}…` : example}</span>`)}</span
  >`
}

/** How many problems of each severity, for a cell of a list. */
export function severityCounts(problems: readonly Problem[]): Markup | undefined {
  const counted = severities.map((severity) => ({
    severity,
    count: problems.filter((problem) => problem.severity === severity).length,
  }))
  if (problems.length === 0) return undefined
  const shown = counted.map(({ severity, count }) => {
    const label = `${String(count)} ${severityNames[severity]}`
    return (
      count > 0 && html`<span class="sev ${severity}" role="img" title="${label}" aria-label="${label}">${count}</span>`
    )
  })
  return html`<span class="counts">${shown}</span>`
}

function link(files: readonly ReportedFile[], file: ReportedFile): Markup {
  return html`<a href="#file-${files.indexOf(file)}">${file.name}</a>`
}
