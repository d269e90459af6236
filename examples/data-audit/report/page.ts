// The report as one HTML page that needs nothing else: no network, no script to read it.
//
// P1. The page allows itself nothing but its own style and the one script it was made with: whatever a file's name or
//     content says, the browser runs none of it.
import { createHash } from 'node:crypto'
import type { AuditReport } from './auditReport.ts'
import { html } from './markup.ts'
import { filesSection, detailsSection } from './filesSection.ts'
import { historySection } from './historySection.ts'
import { joinsSection } from './joinsSection.ts'
import { highlightsSection, problemsSection } from './problemsSection.ts'
import { formatBytes, formatCount } from './numbers.ts'
import { Markup } from './markup.ts'
import { script, style } from './style.ts'

/** Renders the report. The same report is the same page, byte for byte. */
export function renderPage(report: AuditReport): string {
  const { totals } = report
  const scriptHash = createHash('sha256').update(script).digest('base64')
  const policy = `default-src 'none'; style-src 'unsafe-inline'; img-src data:; script-src 'sha256-${scriptHash}'; base-uri 'none'; form-action 'none'`
  const read = totals.files - totals.unread
  const page = html`<!doctype html>
    <html lang="en">
      <head>
        <meta charset="utf-8" />
        <meta http-equiv="Content-Security-Policy" content="${policy}" />
        <meta name="viewport" content="width=device-width, initial-scale=1" />
        <meta name="generator" content="Planloom data audit" />
        <title>Data audit: ${report.folder}</title>
        ${new Markup(`<style>${style}</style>`)}
      </head>
      <body>
        <header class="top">
          <p class="kicker">Data audit</p>
          <h1>${report.folder}</h1>
          <p class="soft">
            ${verdict(read, totals.unread)} Made on
            <time datetime="${report.madeAt}">${dateInWords(report.madeAt)}</time>.
          </p>
          <dl class="figures">
            <div>
              <dt>Files</dt>
              <dd>${formatCount(totals.files)}<small>${formatBytes(totals.sizeBytes)}</small></dd>
            </div>
            <div>
              <dt>Read</dt>
              <dd>
                ${formatCount(read)}<small
                  >${totals.images > 0 && `${formatCount(totals.images)} as images`}${totals.images > 0 && totals.unread > 0 && ', '}${totals.unread > 0 && `${formatCount(totals.unread)} not`}</small
                >
              </dd>
            </div>
            <div>
              <dt>Tables</dt>
              <dd>${formatCount(totals.tables)}<small>${formatCount(totals.columns)} columns</small></dd>
            </div>
            <div>
              <dt>Rows</dt>
              <dd>${formatCount(totals.rows)}<small>&#8203;</small></dd>
            </div>
            <div>
              <dt>Problems</dt>
              <dd>
                ${formatCount(totals.problems.high + totals.problems.medium + totals.problems.low)}<small
                  >${formatCount(totals.problems.high)} serious, ${formatCount(totals.problems.medium)} probable</small
                >
              </dd>
            </div>
            <div>
              <dt>Relations</dt>
              <dd>
                ${formatCount(totals.joins.strong + totals.joins.likely)}<small
                  >${formatCount(totals.joins.strong)} with strong evidence</small
                >
              </dd>
            </div>
          </dl>
        </header>
        <nav aria-label="Sections">
          <ul>
            <li><a href="#stands-out">What stands out</a></li>
            <li><a href="#files">Files</a></li>
            <li><a href="#problems">Problems</a></li>
            <li><a href="#relations">Relations</a></li>
            ${report.revisions.length > 0 && html`<li><a href="#plan">How the plan changed</a></li>`}
            <li><a href="#details">Details</a></li>
          </ul>
        </nav>
        <main>
          ${highlightsSection(report)} ${filesSection(report)} ${problemsSection(report)} ${joinsSection(report)}
          ${historySection(report)} ${detailsSection(report)}
        </main>
        <footer>
          Made by Planloom from the content of the files; nothing was sent anywhere. The same findings stand in
          <code>report.json</code>.
        </footer>
        ${new Markup(`<script>${script}</script>`)}
      </body>
    </html> `
  return page.text
}

function verdict(read: number, unread: number): string {
  const files = (count: number) => `${formatCount(count)} ${count === 1 ? 'file' : 'files'}`
  if (read + unread === 0) return 'There were no files.'
  if (unread === 0) return `All ${files(read)} could be read.`
  return `${files(read)} could be read, ${formatCount(unread)} could not.`
}

function dateInWords(iso: string): string {
  return `${new Date(iso).toLocaleString('en-GB', { dateStyle: 'long', timeStyle: 'short', timeZone: 'UTC' })} UTC`
}
