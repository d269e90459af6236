// Which columns of different files belong together, with the evidence for it.
import type { Join } from 'planloom/tools'
import type { AuditReport } from './auditReport.ts'
import { familiesOf, type Family } from './families.ts'
import { html, type Markup } from './markup.ts'
import { formatCount, formatPercent } from './numbers.ts'

export function joinsSection({ joins, totals }: AuditReport): Markup {
  const shown = joins.filter(({ strength }) => strength !== 'weak')
  const weak = joins.filter(({ strength }) => strength === 'weak')
  return html`<section id="relations">
    <h2>Relations</h2>
    <p class="soft">
      ${shown.length === 0 ? 'No columns of different files share their values.' : html`Columns of different files that hold the same values, found by the values and not only by the names; ${formatCount(totals.joins.strong)} with strong evidence, ${formatCount(totals.joins.likely)} likely. “By accident” is the probability that two random columns of this kind agree as well.`}
    </p>
    ${familiesOf(shown).map(familyDetails)}
    ${
      weak.length > 0 &&
      html`<details>
        <summary>
          <b>${formatCount(weak.length)} weak</b
          ><span class="soft">they agree, but numbers and dates as dense as these often do</span>
        </summary>
        <div class="inner">${relationTable(weak)}</div>
      </details>`
    }
  </section>`
}

function familyDetails(family: Family): Markup {
  const keys = family.columns.filter(({ unique }) => unique)
  const names = (keys.length > 0 ? keys : family.columns).slice(0, 2)
  const kind = family.kind === 'date' ? 'days' : family.kind === 'integer' ? 'numbers' : 'values'
  return html`<details>
    <summary>
      <b>${family.columns.length} columns</b> <span>share ${kind} like ${family.examples.slice(0, 3).join(', ')}</span
      ><span class="soft"
        >${keys.length > 0 ? 'looked up in' : 'among them'}
        ${names.map(({ table, column }) => `${table}.${column}`).join(', ')}</span
      >
    </summary>
    <div class="inner">
      <div class="values">
        ${family.columns.map(({ table, column, distinct, unique }) => html`<span class="pill ${unique && 'mark'}" title="${formatCount(distinct)} different values${unique && ', each once'}">${table}.${column}${unique && ' (key)'}</span>`)}
      </div>
      ${relationTable(family.joins)}
    </div>
  </details>`
}

function relationTable(joins: readonly Join[]): Markup {
  return html`<div class="scroll">
    <table>
      <thead>
        <tr>
          <th scope="col">Column</th>
          <th scope="col">is found in</th>
          <th scope="col" class="num">Shared</th>
          <th scope="col" class="num">Found</th>
          <th scope="col">Rows</th>
          <th scope="col">By accident</th>
          <th scope="col" class="wide">Not found</th>
        </tr>
      </thead>
      <tbody>
        ${joins.map(relationRow)}
      </tbody>
    </table>
  </div>`
}

function relationRow({ left, right, shared, cardinality, chance, strength }: Join): Markup {
  return html`<tr>
    <td class="name">${left.table}.<b>${left.column}</b></td>
    <td class="name">${right.table}.<b>${right.column}</b></td>
    <td class="num">${formatCount(shared)}</td>
    <td class="num">${formatPercent(left.found)}</td>
    <td class="nowrap">${cardinality}</td>
    <td class="nowrap"><span class="${strength === 'strong' ? 'good' : 'soft'}">${odds(chance)}</span></td>
    <td class="wide soft">${left.missing.slice(0, 3).join(', ')}</td>
  </tr>`
}

function odds(chance: number): Markup | string {
  if (chance <= -6) return html`10<sup>−${Math.min(9999, Math.floor(-chance))}</sup>`
  return chance < -0.5 ? `1 in ${formatCount(Math.round(10 ** -chance))}` : 'no evidence'
}
