// How the plan changed while it was carried out: each revision, by whom, why, and what was done to the steps.
import type { AuditReport } from './auditReport.ts'
import { html, type Markup } from './markup.ts'
import { formatCount } from './numbers.ts'

type Revision = AuditReport['revisions'][number]

export function historySection({ revisions, files }: AuditReport): Markup | undefined {
  const [first] = revisions
  const last = revisions.at(-1)
  if (first === undefined || last === undefined) return undefined
  const amended = revisions.slice(1)
  const count = (of: (revision: Revision) => number) =>
    formatCount(amended.reduce((sum, revision) => sum + of(revision), 0))
  const names = new Map(files.map((file, index) => [String(index), file.name]))
  return html`<section id="plan">
    <h2>How the plan changed</h2>
    <p class="soft">
      The first plan had ${formatCount(first.steps)} steps, made before a single file had been looked at.
      ${amended.length === 0 ? 'It was carried out as it was.' : html`It was amended ${formatCount(amended.length)} times: ${count(({ inserted }) => inserted.length)} steps were inserted, ${count(({ abandoned }) => abandoned.length)} abandoned, ${count(({ reordered }) => reordered.length)} moved to another place, ${count(({ removed }) => removed.length)} removed. The last revision has ${formatCount(last.steps)} steps.`}
    </p>
    <ol class="revisions">
      ${revisions.map((revision, index) => revisionItem(revision, index === 0, names))}
    </ol>
  </section>`
}

function revisionItem(revision: Revision, isFirst: boolean, names: ReadonlyMap<string, string>): Markup {
  const groups = isFirst ? [] : groupsOf(revision)
  return html`<li class="${revision.type === 'trouble' && 'amended'}">
    <div>
      <b>Revision ${revision.revision}</b>
      <span class="soft"
        >by ${revision.by === 'coordinator' ? 'the coordinator' : `the ${revision.by} planner`},
        ${reasonOf(revision)}</span
      >
    </div>
    ${!isFirst && html`<p>${withNames(revision.because, names)}${isElaborated(revision) && ': what follows is planned for each of them'}</p>`}
    ${isFirst ? html`<div class="tags">${revision.inserted.map((id) => html`<span class="pill code">${id}</span>`)}</div>` : groups.map(({ name, ids }) => changeDetails(name, ids, names))}
    ${
      revision.abandoned.length > 0 &&
      html`<ul class="plain">
        ${[...new Set(revision.abandoned.map(({ because }) => because))].slice(0, 4).map((because) => html`<li class="soft">${shorten(withNames(because, names))}</li>`)}
      </ul>`
    }
  </li>`
}

/** The coordinator makes a step for each item of a list; a planner then adds what follows from them. */
function isElaborated({ by, type }: Revision): boolean {
  return type === 'expanded' && by !== 'coordinator'
}

function reasonOf(revision: Revision): string {
  const { type } = revision
  if (isElaborated(revision)) return 'for single items, now that the list is known'
  return reasons[type] ?? type
}

const reasons: Readonly<Record<string, string>> = {
  first: 'the first plan',
  trouble: 'because something did not go as planned',
  expanded: 'because a list became known',
  edited: 'by hand',
  streamed: 'while it was being written',
  forked: 'forked',
}

interface Group {
  readonly name: string
  readonly ids: readonly string[]
}

function groupsOf(revision: Revision): Group[] {
  return [
    { name: 'inserted', ids: revision.inserted },
    { name: 'abandoned', ids: revision.abandoned.map(({ id }) => id) },
    { name: 'moved', ids: revision.reordered },
    { name: 'changed', ids: revision.replaced },
    { name: 'removed', ids: revision.removed },
  ].filter(({ ids }) => ids.length > 0)
}

/** Few steps are named; many are counted by what they do, and named on demand. */
function changeDetails(name: string, ids: readonly string[], names: ReadonlyMap<string, string>): Markup {
  const shown = (id: string) => html`<span class="pill code">${inWords(id, names)}</span>`
  const title = html`<span class="pill mark">${formatCount(ids.length)} ${name}</span>`
  if (ids.length <= 6) return html`<div class="tags">${title}${ids.map(shown)}</div>`
  const kinds = new Map<string, number>()
  for (const id of ids) kinds.set(id.replace(/\[.*$/, ''), (kinds.get(id.replace(/\[.*$/, '')) ?? 0) + 1)
  const summary = [...kinds]
    .sort((a, b) => b[1] - a[1])
    .slice(0, 6)
    .map(([kind, count]) => (count > 1 ? `${kind} ×${String(count)}` : kind))
  return html`<details>
    <summary>${title}<span class="soft">${summary.join(', ')}${kinds.size > 6 && ', …'}</span></summary>
    <div class="tags">${ids.slice(0, 600).map(shown)}</div>
  </details>`
}

/** `format[2]` in a text becomes `format of annual-precip.json`. */
function withNames(text: string, names: ReadonlyMap<string, string>): string {
  return text.replaceAll(/\b(\w+)\[(\d+)\]/g, (whole, fact: string, item: string) => {
    const file = names.get(item)
    return file === undefined ? whole : `${fact} of ${file}`
  })
}

function shorten(text: string): string {
  return text.length > 220 ? `${text.slice(0, 218)}…` : text
}

/** `read_csv[12]` becomes `read_csv · airports.csv`. */
function inWords(id: string, names: ReadonlyMap<string, string>): string {
  const [, kind = id, item = ''] = /^(.*?)\[(\d+)\](?:.*)$/.exec(id) ?? []
  const file = names.get(item)
  return file === undefined ? id : `${kind} · ${file}`
}
