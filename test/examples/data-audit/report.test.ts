import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import fc from 'fast-check'
import { parsePlan } from 'planloom/plan'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { AuditFile } from '../../../examples/data-audit/audit.ts'
import { auditReportSchema, composeReport, type Findings } from '../../../examples/data-audit/report/auditReport.ts'
import { familiesOf } from '../../../examples/data-audit/report/families.ts'
import { historyOf } from '../../../examples/data-audit/report/history.ts'
import { escapeText, html, Markup } from '../../../examples/data-audit/report/markup.ts'
import { formatBytes, formatNumber, formatPercent } from '../../../examples/data-audit/report/numbers.ts'
import { renderPage } from '../../../examples/data-audit/report/page.ts'
import { writeReport } from '../../../examples/data-audit/report/writeReport.ts'
import type { Join } from 'planloom/tools'

const hostile = `<img src=x onerror=alert(1)>"'&<script>alert(2)</script>`

function fileNamed(name: string, number = 0): AuditFile {
  return { number, path: `/data/${name}`, name, table: name, extension: '.csv', sizeBytes: 10 }
}
const nothing: Findings = {
  folder: 'data',
  files: [],
  aside: [],
  recognitions: [],
  profiles: [],
  problems: [],
  charts: [],
  joins: null,
  history: undefined,
  now: Date.UTC(2026, 0, 2, 3, 4),
}

/** A finding of every kind, with the same text wherever a text can stand. */
function everything(text: string): Findings {
  const [table, image, lost] = [`${text}.t`, `${text}.i`, `${text}.l`]
  const side = { table: text, column: text, distinct: 3, found: 1, unique: true, missing: [text] }
  const column = {
    name: text,
    type: 'VARCHAR',
    kind: 'text' as const,
    values: 30,
    nulls: 0,
    distinct: 3,
    top: [
      { value: text, count: 20 },
      { value: 'b', count: 10 },
    ],
    text: {
      shortest: 1,
      longest: 9,
      meanLength: 3,
      empty: 0,
      padded: 0,
      numbers: 0,
      dates: 0,
      patterns: [{ pattern: text, count: 30, example: text }],
    },
  }
  const problem = {
    code: 'spellings' as const,
    table: text,
    columns: [text],
    count: 1,
    share: 0.1,
    text,
    examples: [text],
  }
  return {
    ...nothing,
    folder: text,
    files: [fileNamed(table), fileNamed(image, 1), fileNamed(lost, 2)],
    aside: [{ name: text, because: text }],
    recognitions: [
      { file: table, format: 'csv', encoding: 'utf-8', because: text, asNamed: true },
      { file: image, format: 'png', encoding: 'binary', because: text, asNamed: true },
      { file: lost, format: 'arrow', encoding: 'binary', because: text, asNamed: false, damage: text },
    ],
    profiles: [
      {
        kind: 'tables',
        file: table,
        tables: [
          {
            table: text,
            rows: 30,
            sampledFrom: 90,
            columns: [column, { ...column, name: 'n', kind: 'number', min: 1, max: 9, quantiles: [1, 2, 3, 4, 5] }],
          },
        ],
      },
      {
        kind: 'image',
        file: image,
        image: {
          width: 1,
          height: 1,
          bitDepth: 8,
          colour: text,
          interlaced: true,
          compression: 2,
          chunks: [{ type: text, count: 2, bytes: 3 }],
          dpi: 72,
          damage: [],
        },
        thumbnail: `data:image/png;base64,AAAA" onload="alert(3)`,
      },
      null,
    ],
    problems: [
      { file: image, problems: [] },
      { file: table, problems: (['high', 'medium', 'low'] as const).map((severity) => ({ ...problem, severity })) },
    ],
    charts: [
      {
        file: table,
        charts: [
          { kind: 'bars', table: text, column: text, bars: [{ label: text, count: 2 }], others: 1 },
          { kind: 'histogram', table: text, column: 'n', from: 1, to: text, bins: [1, 0, 2] },
          { kind: 'series', table: text, over: text, column: text, from: text, to: text, points: [[0, 1], [1, 2]] }, // prettier-ignore
          {
            kind: 'places',
            table: text,
            west: -1,
            south: -1,
            east: 1,
            north: 1,
            columns: 2,
            rows: 2,
            cells: [[0, 0, 3]],
          },
        ],
      },
      null,
    ],
    joins: [
      {
        left: side,
        right: { ...side, column: 'other' },
        kind: 'text',
        shared: 3,
        examples: [text],
        cardinality: '1:1',
        names: 1,
        chance: -9,
        strength: 'strong',
        because: text,
      },
    ],
    history: {
      revisions: [
        {
          revision: 1,
          by: text,
          type: 'first',
          because: text,
          steps: 1,
          inserted: [text],
          removed: [],
          replaced: [],
          abandoned: [],
          reordered: [],
        },
        {
          revision: 2,
          by: text,
          type: 'trouble',
          because: text,
          steps: 1,
          inserted: Array.from({ length: 9 }, () => text),
          removed: [text],
          replaced: [text],
          abandoned: [{ id: text, because: text }],
          reordered: [text],
        },
      ],
      steps: [
        {
          id: text,
          tool: text,
          item: 2,
          status: 'failed',
          seconds: 1,
          failure: { code: 'X', message: text },
          abandoned: undefined,
          replaced: false,
        },
      ],
    },
  }
}

/** Tags and attributes of a page, read by a strict little tokenizer: it fails on anything that is not well formed. */
function tagsOf(page: string): { readonly name: string; readonly attributes: Readonly<Record<string, string>> }[] {
  const body = page.replace(/<style>[\s\S]*?<\/style>/, '').replace(/<script>[\s\S]*?<\/script>/, '<script></script>')
  const tag = /<(\/?)([a-z][a-z0-9]*|!doctype)((?:\s+[a-zA-Z-]+(?:="[^"<>]*")?)*)\s*\/?\s*>/g
  const found: { name: string; attributes: Record<string, string> }[] = []
  const rest = body.replace(tag, (_, closing: string, name: string, attributes: string) => {
    if (closing === '') {
      const pairs = [...attributes.matchAll(/([a-zA-Z-]+)(?:="([^"]*)")?/g)].map(
        ([, key = '', value = '']) => [key, value] as const,
      )
      found.push({ name, attributes: Object.fromEntries(pairs) })
    }
    return ''
  })
  expect(rest).not.toMatch(/[<>]/)
  return found
}

describe('the page', () => {
  it('shows hostile names and values as text, wherever they stand', () => {
    const page = renderPage(composeReport(everything(hostile)))
    const tags = tagsOf(page)
    expect(tags.filter(({ name }) => name === 'script')).toHaveLength(1)
    expect(tags.filter(({ name }) => name === 'img')).toEqual([])
    expect(tags.flatMap(({ attributes }) => Object.keys(attributes)).filter((key) => /^on/i.test(key))).toEqual([])
    expect(page.split('&lt;img src=x onerror=alert(1)&gt;').length).toBeGreaterThan(30)
  })

  it('stays well formed for any text at all', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary', maxLength: 20 }), (text) => {
        tagsOf(renderPage(composeReport(everything(text))))
      }),
      { numRuns: 60, examples: [['"'], ['-->'], [']]>'], ['${1}'], ['\u202egnp.exe'], ['\ud800'], ['$&']] },
    )
  })

  it('allows itself only its own script, and fetches nothing', () => {
    const page = renderPage(composeReport(everything('a')))
    expect(page).toMatch(/Content-Security-Policy" content="default-src &#39;none&#39;;[^"]*script-src &#39;sha256-/)
    const links = tagsOf(page)
      .flatMap(({ attributes }) => [attributes['src'], attributes['href']])
      .filter((link) => link !== undefined)
    expect(links.filter((link) => !/^#|^data:/.test(link))).toEqual([])
    expect(page).not.toMatch(/https?:\/\/|url\(|@import/)
  })

  it('shows what there is when steps have not been carried out, and nothing at all for an empty folder', () => {
    const file = fileNamed('lost.csv')
    const report = composeReport({ ...nothing, files: [file], recognitions: [null], profiles: [null] })
    expect(report.files[0]).toMatchObject({ status: 'unread', unread: 'It could not be looked at.' })
    expect(renderPage(report)).toContain('0 files could be read, 1 could not.')
    expect(renderPage(composeReport(nothing))).toContain('There were no files.')
  })

  it('is the same for the same findings, and its JSON keeps the schema', () => {
    const report = composeReport(everything('a'))
    expect(renderPage(report)).toBe(renderPage(composeReport(everything('a'))))
    expect(auditReportSchema.parse(JSON.parse(JSON.stringify(report)))).toEqual(report)
    expect(report.totals).toMatchObject({
      files: 3,
      unread: 1,
      images: 1,
      tables: 1,
      rows: 90,
      problems: { high: 2, medium: 1, low: 1 },
    })
  })
})

describe('html', () => {
  it('escapes values once, and leaves markup alone', () => {
    expect(
      html`<b title="${'"'}">${'<&>'}${html`<i>${"'"}</i>`}${[1, html`<br />`]}${false}${undefined}</b>`.text,
    ).toBe('<b title="&quot;">&lt;&amp;&gt;<i>&#39;</i>1<br /></b>')
    expect(html`${new Markup('<hr>')}`.text).toBe('<hr>')
  })

  it('never lets a sign through that could open a tag or close an attribute', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary' }), (text) => {
        expect(escapeText(text)).not.toMatch(/[<>"']|&(?!amp;|lt;|gt;|quot;|#39;)/)
      }),
    )
  })
})

describe('numbers', () => {
  it.each([
    [0, '0'],
    [1234, '1234'],
    [-1234567, '−1.23 m'],
    [2.5e9, '2.5 bn'],
    [0.123456, '0.1235'],
    [123456.7, '123,457'],
    [1e-9, '1.00e-9'],
    [100, '100'],
  ])('shows %d as %s', (value, text) => {
    expect(formatNumber(value)).toBe(text)
  })

  it('shows shares and sizes', () => {
    expect([0, 0.001, 0.5, 0.999, 1].map(formatPercent)).toEqual(['0 %', '<1 %', '50 %', '>99 %', '100 %'])
    expect([999, 1234, 2_500_000].map(formatBytes)).toEqual(['999 B', '1 kB', '2.5 MB'])
  })
})

describe('familiesOf', () => {
  const join = (left: string, right: string): Join => {
    const side = (name: string) => ({
      table: name,
      column: 'c',
      distinct: 5,
      found: 1,
      unique: name === 'key',
      missing: [],
    })
    return {
      left: side(left),
      right: side(right),
      kind: 'text',
      shared: 5,
      examples: [],
      cardinality: 'n:1',
      names: 1,
      chance: -9,
      strength: 'strong',
      because: '',
    }
  }

  it('puts columns together that are connected, the key first', () => {
    const families = familiesOf([
      join('a', 'key'),
      join('x', 'y'),
      join('b', 'a'),
      join('z', 'y'),
      join('b', 'key'),
      join('d', 'key'),
    ])
    expect(families.map(({ columns }) => columns.map(({ table }) => table))).toEqual([
      ['key', 'a', 'b', 'd'],
      ['x', 'y', 'z'],
    ])
    expect(families[0]?.joins).toHaveLength(4)
  })
})

describe('historyOf', () => {
  it('tells for each revision what was inserted, abandoned and moved, and how steps ended', () => {
    const first = parsePlan({
      id: 'r',
      goal: { text: 'go' },
      steps: [
        { id: 'a[0]', tool: 'a', item: '0' },
        { id: 'b', tool: 'b' },
        { id: 'c', tool: 'c' },
      ],
    })
    const [a, b, c] = first.steps
    const second = parsePlan({
      ...first,
      revision: 2,
      parent: 1,
      by: { planner: 'goal' },
      because: { type: 'trouble', text: 'a failed' },
      steps: [c, b, { ...a, abandoned: 'nobody can' }, { id: 'd', tool: 'd' }],
    })
    const ledger = [
      { id: 'a[0]', status: 'failed', failure: { code: 'X', message: 'no' }, startedAt: 1000, endedAt: 3500 },
    ]
    const { revisions, steps } = historyOf({ revisions: [first, second], ledger: () => ledger })
    expect(revisions[1]).toMatchObject({
      revision: 2,
      by: 'goal',
      because: 'a failed',
      inserted: ['d'],
      abandoned: [{ id: 'a[0]', because: 'nobody can' }],
    })
    expect(revisions[1]?.reordered.length).toBeGreaterThan(0)
    expect(steps).toEqual([
      {
        id: 'a[0]',
        tool: 'a',
        item: 0,
        status: 'failed',
        seconds: 2.5,
        failure: { code: 'X', message: 'no' },
        abandoned: 'nobody can',
        replaced: false,
      },
    ])
  })
})

describe('writeReport', () => {
  let folder: string
  beforeAll(() => {
    folder = mkdtempSync(join(tmpdir(), 'planloom-report-'))
  })
  afterAll(() => {
    rmSync(folder, { recursive: true })
  })

  it('writes both files, and leaves nothing else behind', async () => {
    const out = join(folder, 'new', 'deep')
    await writeReport(out, composeReport(everything('a')))
    expect(readdirSync(out).sort()).toEqual(['report.html', 'report.json'])
    expect(auditReportSchema.safeParse(JSON.parse(readFileSync(join(out, 'report.json'), 'utf8'))).success).toBe(true)
  })

  it('says clearly that it cannot write', async () => {
    writeFileSync(join(folder, 'file'), 'in the way')
    await expect(writeReport(join(folder, 'file', 'out'), composeReport(nothing))).rejects.toMatchObject({
      code: 'REPORT_UNWRITABLE',
      message: expect.stringContaining('something in the path is a file'),
    })
  })

  it.runIf(existsSync('/dev/full'))('says that the disk is full, and keeps the report that was there', async () => {
    const out = join(folder, 'full')
    await writeReport(out, composeReport(everything('before')))
    const before = readFileSync(join(out, 'report.html'), 'utf8')
    symlinkSync('/dev/full', join(out, 'report.json.draft')) // a file that cannot take a single byte
    await expect(writeReport(out, composeReport(everything('after')))).rejects.toMatchObject({
      code: 'REPORT_UNWRITABLE',
      message: expect.stringContaining('the disk is full'),
    })
    expect(readFileSync(join(out, 'report.html'), 'utf8')).toBe(before)
    expect(readdirSync(out).sort()).toEqual(['report.html', 'report.json'])
  })
})
