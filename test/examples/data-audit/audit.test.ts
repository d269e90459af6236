// The audit of the 73 real files, from the goal to the report. It is run once; each test looks at what came of it.
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { realFolder } from '../../tools/duckdb/realFiles.ts'
import { runAudit, type Audited } from './runAudit.ts'

const out = mkdtempSync(join(tmpdir(), 'planloom-audit-'))
let audited: Audited
beforeAll(async () => {
  audited = await runAudit(realFolder, out)
}, 120_000)
afterAll(() => {
  rmSync(out, { recursive: true })
})
const amended = () => (audited.report?.revisions ?? []).slice(1)
const byPlanner = () => amended().filter(({ by }) => by === 'goal')

describe('the audit of the real files', () => {
  it('ends with a report on every one of them, and says that one could not be read', () => {
    expect(audited.outcome).toMatchObject({ status: 'completed', reason: 'partial' })
    expect(audited.report?.totals).toMatchObject({ files: 73, unread: 1, images: 3 })
    expect(audited.report?.files.filter(({ status }) => status === 'unread').map(({ name }) => name)).toEqual([
      'flights-200k.arrow',
    ])
    expect(audited.report?.totals.rows).toBeGreaterThan(3_000_000)
  })

  it('plans for names first, and inserts other means where the content is something else', () => {
    const inserted = byPlanner().flatMap((revision) => revision.inserted)
    for (const tool of [
      'flatten_json',
      'unroll_grid',
      'read_topology',
      'read_features',
      'sample_parquet',
      'inspect_image',
    ]) {
      expect(
        inserted.filter((id) => id.startsWith(tool)),
        tool,
      ).not.toEqual([])
    }
    expect(
      byPlanner()
        .map(({ because }) => because)
        .join('\n'),
    ).toMatch(/format\[\d+\]/)
  })

  it('abandons what nobody can read, and only that', () => {
    const arrow = audited.report?.files.findIndex(({ name }) => name === 'flights-200k.arrow') ?? -1
    expect(audited.file('flights-200k.arrow')).toMatchObject({
      format: 'arrow',
      because: expect.stringContaining('Arrow'),
      unread: expect.any(String),
    })
    const abandoned = byPlanner().flatMap((revision) => revision.abandoned)
    expect(abandoned.length).toBeGreaterThan(0)
    const steps = audited.run.plan?.steps ?? []
    expect(steps.filter((step) => step.abandoned !== undefined).map(({ item }) => item)).toEqual(
      abandoned.map(() => String(arrow)),
    )
    expect(
      steps
        .filter(({ item, tool }) => item === String(arrow) && tool !== 'recognise')
        .every((step) => step.abandoned !== undefined),
    ).toBe(true)
  })

  it('samples the table that is too large, after reading it whole was refused', () => {
    const { steps, tables } = audited.file('flights-3m.parquet')
    expect(tables[0]).toMatchObject({ sampledFrom: 3_000_000 })
    expect(steps.find(({ tool }) => tool === 'read_parquet')).toMatchObject({
      status: 'failed',
      failure: expect.stringContaining('3,000,000 rows'),
    })
    expect(steps.find(({ tool }) => tool === 'sample_parquet')).toMatchObject({ status: 'succeeded' })
  })

  it('moves steps to another place once it knows how large the files are', () => {
    expect(byPlanner().flatMap((revision) => revision.reordered).length).toBeGreaterThan(0)
  })

  it('makes tables of maps, grids, nested JSON and features', () => {
    expect(audited.file('us-10m.json').tables.map(({ name, rows }) => [name, rows])).toEqual([
      ['us-10m/counties', 3641],
      ['us-10m/states', 53],
      ['us-10m/land', 1],
    ])
    expect(audited.file('volcano.json').tables[0]).toMatchObject({ rows: 5307 })
    expect(audited.file('miserables.json').tables.map(({ rows }) => rows)).toEqual([77, 254])
    expect(audited.file('earthquakes.json').tables[0]).toMatchObject({ rows: 1707 })
    expect(audited.file('gimp.png')).toMatchObject({ status: 'image', image: { width: 100, height: 100, damage: [] } })
  })

  it('finds what is known to be wrong with the files', () => {
    const codes = (name: string) => audited.file(name).problems.map(({ code }) => code)
    expect(codes('movies.json')).toEqual(
      expect.arrayContaining(['mixed_types', 'impossible_dates', 'damaged_text', 'dates_as_text']),
    )
    expect(codes('birdstrikes.csv')).toContain('duplicate_rows')
    expect(codes('co2-concentration.csv')).toContain('gaps')
    expect(codes('world-110m.json')).toContain('duplicate_keys')
    expect(codes('us-10m.json')).toContain('duplicate_keys')
    expect(codes('airports.csv')).toContain('near_constant')
    expect(codes('unemployment.tsv')).toContain('outliers')
  })

  it.each([
    ['londonBoroughs/boroughs.id', 'londonCentroids.name'],
    ['unemployment.id', 'us-10m/counties.id'],
    ['flights-3m.origin', 'airports.iata'],
    ['miserables/links.source', 'miserables/nodes.index'],
    ['lookup_groups.person', 'lookup_people.name'],
  ])('finds that %s and %s belong together', (one, other) => {
    const joins = audited.report?.joins ?? []
    const names = joins.map(({ left, right }) =>
      [`${left.table}.${left.column}`, `${right.table}.${right.column}`].sort().join(' '),
    )
    expect(names).toContain([one, other].sort().join(' '))
  })

  it('shows in the report how the plan changed', () => {
    expect(audited.page).toContain('How the plan changed')
    expect(audited.report?.revisions[0]).toMatchObject({ revision: 1, by: 'goal', type: 'first' })
    expect(amended().some(({ type }) => type === 'expanded')).toBe(true)
    for (const { because } of byPlanner()) expect(because).not.toBe('')
    // Two revisions about the same list do not read alike: one is the coordinator's, the other the planner's.
    expect(audited.page.match(/<p>[^<]*has 73 items[^<]*<\/p>/g)).toEqual([
      expect.stringMatching(/has 73 items<\/p>$/),
      expect.stringMatching(/has 73 items: what follows is planned for each of them<\/p>$/),
    ])
  })
})
