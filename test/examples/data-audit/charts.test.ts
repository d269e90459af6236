import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { openDuckDB, profileTable, readTable } from 'planloom/tools'
import { afterAll, describe, expect, it } from 'vitest'
import type { Audit } from '../../../examples/data-audit/audit.ts'
import { chartSchema, type Chart } from '../../../examples/data-audit/charts/chart.ts'
import { chartTable } from '../../../examples/data-audit/charts/chartTable.ts'
import { readArrowTool } from '../../../examples/data-audit/tools/readArrow.ts'
import { realCsv, realFolder, realJson } from '../../tools/duckdb/realFiles.ts'

const work = mkdtempSync(join(tmpdir(), 'planloom-charts-'))
const db = openDuckDB({ roots: [realFolder], workFolder: work })
afterAll(async () => {
  await db.close()
  rmSync(work, { recursive: true })
})

async function chartsOf(path: string): Promise<Chart[]> {
  const table = await readTable(db, { path })
  const charts = await chartTable(db, table, await profileTable(db, table))
  expect(chartSchema.array().parse(charts)).toEqual(charts)
  return charts
}
const sum = (numbers: readonly number[]) => numbers.reduce((total, number) => total + number, 0)

describe('chartTable', () => {
  it('counts every value of a column into one bin', async () => {
    const values = realJson('cars.json').flatMap((row) =>
      typeof row['Horsepower'] === 'number' ? [row['Horsepower']] : [],
    )
    const chart = (await chartsOf('cars.json')).find((one) => one.kind === 'histogram' && one.column === 'Horsepower')
    if (chart?.kind !== 'histogram') throw new Error('no histogram')
    const [from, to] = [Math.min(...values), Math.max(...values)]
    const width = (to - from) / chart.bins.length
    const bins = chart.bins.map(
      (_, bin) =>
        values.filter((value) => Math.min(chart.bins.length - 1, Math.floor((value - from) / width)) === bin).length,
    )
    expect(chart).toMatchObject({ from, to, bins })
  })

  it('gives small whole numbers a bin each', async () => {
    const charts = await chartsOf('cars.json')
    const cylinders = realJson('cars.json').map((row) => row['Cylinders'])
    const bins = [3, 4, 5, 6, 7, 8].map((count) => cylinders.filter((cylinder) => cylinder === count).length)
    expect(charts).toContainEqual({ kind: 'histogram', table: 'cars', column: 'Cylinders', from: 3, to: 8, bins })
  })

  it('counts the commonest texts, and all others together', async () => {
    const charts = await chartsOf('seattle-weather.csv')
    const bars = charts.find((one) => one.kind === 'bars' && one.column === 'weather')
    if (bars?.kind !== 'bars') throw new Error('no bars')
    expect(sum(bars.bars.map(({ count }) => count)) + bars.others).toBe(realCsv('seattle-weather.csv').length)
  })

  it('draws a mean over time, also where dates are texts', async () => {
    const series = (await chartsOf('sp500.csv')).find((one) => one.kind === 'series')
    expect(series).toMatchObject({ over: 'date', column: 'price', from: '2000-01-01', to: '2010-03-01' })
    const prices = realCsv('sp500.csv').map((row) => Number(row['price']))
    expect(series?.kind === 'series' && series.points[0]).toEqual([0, prices[0]])
  })

  it('puts every place into one cell of a map, north up', async () => {
    const places = (await chartsOf('us-state-capitals.json')).find((one) => one.kind === 'places')
    if (places?.kind !== 'places') throw new Error('no map')
    const rows = realJson('us-state-capitals.json')
    expect(sum(places.cells.map(([, , count]) => count))).toBe(rows.length)
    expect(places.north).toBe(Math.max(...rows.map((row) => Number(row['lat']))))
    expect(places.cells.find(([, row]) => row === 0)?.[0]).toBeLessThan(places.columns / 2) // Juneau, in the north-west
  })

  it('draws nothing of what has no shape', async () => {
    expect(
      (await chartsOf('lookup_groups.csv')).filter((one) => one.kind === 'places' || one.kind === 'series'),
    ).toEqual([])
  })
})

describe('read_arrow', () => {
  it('says what to install when nothing reads Arrow files', async () => {
    const audit: Audit = { db, folder: realFolder, out: work }
    const tool = readArrowTool(audit, () => Promise.reject(new Error('no such package')))
    const file = {
      number: 0,
      path: join(realFolder, 'flights-200k.arrow'),
      name: 'flights-200k.arrow',
      table: 'flights',
      extension: '.arrow',
      sizeBytes: 1,
    }
    const context = {
      signal: new AbortController().signal,
      runId: 'run',
      stepId: 'step',
      attempt: 1,
      idempotencyKey: 'key',
      progress: () => undefined,
      heartbeat: () => undefined,
      log: () => undefined,
      now: () => 0,
    }
    await expect(tool.run({ file }, context)).rejects.toMatchObject({
      code: 'ARROW_MISSING',
      retryable: false,
      hint: expect.stringContaining('npm install apache-arrow'),
    })
  })
})
