import { readFileSync } from 'node:fs'
import { expect, it } from 'vitest'
import { chartsPage } from '../../scripts/drawCharts.ts'

it('docs/chart.md shows the charts as they are', () => {
  const page = readFileSync(new URL('../../docs/chart.md', import.meta.url), 'utf8')
  expect(page, 'run `npm run docs:charts`').toBe(chartsPage())
})
