// The list of files, and below everything else what is known of each.
import { drawBars, drawHistogram, drawPlaces, drawSeries } from './svg.ts'
import { formatNames } from '../formats.ts'
import type { AuditReport, ReportedFile, ReportedTable } from './auditReport.ts'
import { html, type Markup } from './markup.ts'
import { formatBytes, formatCount, formatNumber, formatPercent, formatSeconds } from './numbers.ts'
import { problemLine, severityCounts } from './problemsSection.ts'

export function filesSection({ files, aside }: AuditReport): Markup {
  return html`<section id="files">
    <h2>Files</h2>
    <p class="soft">What each file is by its content. A name that promises something else is marked.</p>
    <div class="field" hidden>
      <label for="filter" class="soft">Show only</label
      ><input id="filter" type="search" placeholder="name, format, column …" autocomplete="off" /><span
        id="filtered"
        class="soft"
        role="status"
      ></span>
    </div>
    <div class="scroll">
      <table>
        <thead>
          <tr>
            <th scope="col">File</th>
            <th scope="col">Content</th>
            <th scope="col" class="num narrow-off">Size</th>
            <th scope="col" class="num">Rows</th>
            <th scope="col" class="num wide">Columns</th>
            <th scope="col">Problems</th>
            <th scope="col" class="wide">Note</th>
          </tr>
        </thead>
        <tbody>
          ${files.map(fileRow)}
        </tbody>
      </table>
    </div>
    ${aside.length > 0 && html`<p class="soft">Left aside: ${aside.map(({ name, because }, index) => html`${index > 0 && '; '}<code>${name}</code> (${because})`)}.</p>`}
  </section>`
}

function fileRow(file: ReportedFile, index: number): Markup {
  const rows = sum(file.tables, (table) => table.sampledFrom ?? table.rows)
  const columns = sum(file.tables, (table) => table.columns.length)
  return html`<tr data-file="${index}" data-words="${wordsOf(file)}">
    <td class="name"><a href="#file-${index}">${file.name}</a></td>
    <td>
      <span class="${file.status === 'unread' ? 'high' : ''}"
        >${file.format === undefined ? 'not looked at' : formatNames[file.format]}</span
      >
    </td>
    <td class="num narrow-off">${formatBytes(file.sizeBytes)}</td>
    <td class="num">${file.tables.length > 0 ? formatCount(rows) : ''}</td>
    <td class="num wide">${file.tables.length > 0 ? formatCount(columns) : ''}</td>
    <td>${severityCounts(file.problems)}</td>
    <td class="wide soft">${noteOf(file)}</td>
  </tr>`
}

/** What a reader should know before going on. */
function noteOf(file: ReportedFile): string {
  const notes: string[] = []
  if (file.status === 'unread') notes.push('not read')
  if (file.image !== undefined) notes.push(`${String(file.image.width)} × ${String(file.image.height)} pixels`)
  if (file.asNamed === false && file.status !== 'unread') notes.push('not what its name promises')
  const sampled = file.tables.find(({ sampledFrom }) => sampledFrom !== undefined)
  if (sampled !== undefined) notes.push(`sample of ${formatCount(sampled.rows)} rows`)
  if (file.status === 'tables' && file.tables.length === 0) notes.push('holds no rows')
  if (file.tables.length > 1) notes.push(`${String(file.tables.length)} tables`)
  return notes.join(', ')
}

export function detailsSection({ files }: AuditReport): Markup {
  return html`<section id="details">
    <h2>Details</h2>
    <p class="soft">
      Each file with its columns. Distributions are drawn on a square-root scale, so that rare values stay visible.
    </p>
    ${files.map(fileDetails)}
  </section>`
}

function fileDetails(file: ReportedFile, index: number): Markup {
  const rows = sum(file.tables, (table) => table.rows)
  return html`<details id="file-${index}" data-file="${index}" data-words="${wordsOf(file)}">
    <summary>
      <b>${file.name}</b
      ><span class="soft"
        >${file.format === undefined ? 'not looked at' : formatNames[file.format]}${rows > 0 && `, ${formatCount(rows)} rows`}</span
      >${severityCounts(file.problems)}
    </summary>
    <div class="inner">
      ${factsOf(file)} ${stepsOf(file)}
      ${
        file.problems.length > 0 &&
        html`<ul class="plain">
          ${file.problems.map((problem) => html`<li>${problemLine(problem, file.tables.length > 1)}</li>`)}
        </ul>`
      }
      ${file.thumbnail !== undefined && isPicture(file.thumbnail) && html`<p><img class="shot" src="${file.thumbnail}" alt="The image itself" /></p>`}
      ${file.tables.map((table) => tableDetails(table, file.tables.length > 1))}
    </div>
  </details>`
}

function factsOf(file: ReportedFile): Markup {
  const { image } = file
  return html`<p class="soft">
    ${file.because !== undefined && html`Recognised by its content: ${file.because}. `}${file.encoding !== undefined && file.encoding !== 'binary' && (file.encoding === 'gzip' ? 'Packed with gzip. ' : `Encoding ${file.encoding}. `)}${file.status === 'unread' && html`<span class="high">Not read: ${file.unread ?? ''}</span>`}
    ${image !== undefined && html`${image.width} × ${image.height} pixels, ${image.colour}, ${image.bitDepth} bits a channel${image.interlaced && ', interlaced'}${image.dpi !== undefined && `, ${String(image.dpi)} dpi`}; a plain bitmap would be ${formatNumber(image.compression)} times as large. Parts: ${image.chunks.map(({ type, count }) => (count > 1 ? `${type} ×${String(count)}` : type)).join(', ')}.`}
  </p>`
}

/** Steps that went as planned need no colour. */
function toneOf(status: string): string {
  if (status === 'succeeded' || status === 'running' || status === 'planned') return ''
  return status === 'replaced' ? 'soft' : 'high'
}

/** What was done with the file, one step after another; what failed says why. */
function stepsOf({ steps }: ReportedFile): Markup | undefined {
  if (steps.length === 0) return undefined
  const failed = steps.filter(({ failure }) => failure !== undefined)
  return html`<ol class="way" aria-label="Steps">
      ${steps.map(({ tool, status, seconds }) => html`<li><span class="${toneOf(status)}" title="${status}${seconds !== undefined && `, ${formatSeconds(seconds)}`}">${tool}${toneOf(status) !== '' && html` <span class="pill">${status}</span>`}</span></li>`)}
    </ol>
    ${
      failed.length > 0 &&
      html`<ul class="plain">
        ${[...new Map(failed.map((step) => [step.failure, step])).values()].map(({ tool, failure }) => html`<li><span class="soft">${tool}:</span> ${failure ?? ''}</li>`)}
      </ul>`
    }`
}

function tableDetails(table: ReportedTable, isNamed: boolean): Markup {
  const large = table.charts.filter((chart) => chart.kind === 'places' || chart.kind === 'series')
  const small = new Map(
    table.charts.flatMap((chart) =>
      chart.kind === 'histogram' || chart.kind === 'bars' ? [[chart.column, chart] as const] : [],
    ),
  )
  return html`${isNamed && html`<h3>${table.name} <span class="soft">${formatCount(table.rows)} rows</span></h3>`}
    ${table.sampledFrom !== undefined && html`<p class="soft">A sample of ${formatCount(table.rows)} of ${formatCount(table.sampledFrom)} rows, the same each time.</p>`}
    ${large.length > 0 && html`<div class="charts">${large.map((chart) => (chart.kind === 'places' ? drawPlaces(chart) : drawSeries(chart)))}</div>`}
    <div class="scroll">
      <table class="columns">
        <thead>
          <tr>
            <th scope="col">Column</th>
            <th scope="col">Type</th>
            <th scope="col">Filled</th>
            <th scope="col" class="num">Different</th>
            <th scope="col">Values</th>
            <th scope="col">Distribution</th>
          </tr>
        </thead>
        <tbody>
          ${table.columns.map((column) => {
            const chart = small.get(column.name)
            return html`<tr>
              <td class="name">${column.name}</td>
              <td class="soft">${column.kind}</td>
              <td class="nowrap">${filled(column.values, table.rows)}</td>
              <td class="num">
                ${formatCount(column.distinct)}${column.distinct === column.values && column.values > 1 && html`<br /><span class="faint">unique</span>`}
              </td>
              <td>${valuesOf(column)}</td>
              <td>${chart?.kind === 'histogram' ? drawHistogram(chart) : chart?.kind === 'bars' && drawBars(chart)}</td>
            </tr>`
          })}
        </tbody>
      </table>
    </div>`
}

function filled(values: number, rows: number): Markup {
  const share = rows === 0 ? 0 : values / rows
  return html`<span class="filled" aria-hidden="true"><i style="width:${Math.round(share * 100)}%"></i></span
    >${formatPercent(share)}`
}

/** The range of numbers and dates; the commonest values and shapes of texts. */
function valuesOf(column: ReportedTable['columns'][number]): Markup | undefined {
  const show = (value: string | number | undefined) =>
    typeof value === 'number' ? formatNumber(value) : (value ?? '').slice(0, 19)
  if (column.min !== undefined && column.max !== undefined) {
    const [low, , middle, , high] = column.quantiles ?? []
    return html`${show(column.min)} –
    ${show(column.max)}${column.distinct > 2 && middle !== undefined && html`<br /><span class="faint">5 % ${show(low)}, median ${show(middle)}, 95 % ${show(high)}</span>`}`
  }
  const [pattern] = column.text?.patterns ?? []
  const top = column.top.slice(0, 3).map(({ value }) => value)
  const examples = top.length > 0 ? top : (column.text?.patterns.slice(0, 2).map(({ example }) => example) ?? [])
  if (examples.length === 0) return undefined
  const shape =
    pattern !== undefined && pattern.count >= 0.8 * column.values && column.distinct > 3 ? pattern.pattern : undefined
  return html`${examples.map((value, index) => html`${index > 0 && html`<span class="faint"> · </span>`}${shorten(value)}`)}${shape !== undefined && html`<br /><span class="faint">shape <span class="code">${shape}</span></span>`}`
}

function shorten(text: string): string {
  return text.length > 42 ? `${text.slice(0, 40)}…` : text === '' ? '""' : text
}

function wordsOf(file: ReportedFile): string {
  const columns = file.tables.flatMap((table) => table.columns.map(({ name }) => name))
  return [
    file.name,
    file.format ?? '',
    file.format === undefined ? '' : formatNames[file.format],
    file.status,
    ...columns,
  ]
    .join(' ')
    .toLowerCase()
    .slice(0, 2000)
}

/** Only a picture that was embedded is shown; nothing is fetched. */
function isPicture(thumbnail: string): boolean {
  return /^data:image\/png;base64,[A-Za-z0-9+/=]+$/.test(thumbnail)
}

function sum<T>(items: readonly T[], value: (item: T) => number): number {
  return items.reduce((total, item) => total + value(item), 0)
}
