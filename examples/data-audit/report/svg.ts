// Charts as inline SVG: they scale with the page, print, and need no script.
import type { Chart } from '../charts/chart.ts'
import { html, type Markup } from './markup.ts'
import { formatCount, formatNumber } from './numbers.ts'

type Of<K extends Chart['kind']> = Extract<Chart, { kind: K }>

/** Numbers in attributes: short, and never anything but a number. */
function at(value: number): string {
  return String(Number((Number.isFinite(value) ? value : 0).toFixed(2)))
}

/** A distribution, small enough for a table cell. Heights grow with the square root, so that rare values stay visible. */
export function drawHistogram({ bins, from, to, column }: Of<'histogram'>): Markup {
  const [width, height] = [168, 30]
  const most = Math.max(1, ...bins)
  const step = width / bins.length
  const bars = bins.map((count, index) => {
    const size = count === 0 ? 0 : Math.max(1.5, Math.sqrt(count / most) * height)
    return `M${at(index * step + 0.5)} ${at(height)}v-${at(size)}h${at(Math.max(0.5, step - 1))}v${at(size)}z`
  })
  const label = `${column}: from ${show(from)} to ${show(to)}; fullest bin ${formatCount(most)}`
  return html`<svg class="hist" viewBox="0 0 ${width} ${height}" role="img" aria-label="${label}">
    <path d="${bars.join('')}" />
  </svg>`
}

/** The commonest values as one bar cut into parts. */
export function drawBars({ bars, others, column }: Of<'bars'>): Markup {
  const [width, height] = [168, 14]
  const total = Math.max(1, bars.reduce((sum, { count }) => sum + count, 0) + others)
  let x = 0
  const parts = bars.map(({ label, count }, index) => {
    const size = (count / total) * width
    const part = html`<rect
      x="${at(x)}"
      width="${at(Math.max(0.4, size - 0.8))}"
      height="${height}"
      fill-opacity="${at(0.95 - (0.75 * index) / Math.max(5, bars.length))}"
      ><title>${label}: ${formatCount(count)}</title></rect
    >`
    x += size
    return part
  })
  const label = `${column}: ${bars.map((bar) => `${bar.label} ${formatCount(bar.count)}`).join(', ')}; others ${formatCount(others)}`
  return html`<svg class="parts" viewBox="0 0 ${width} ${height}" role="img" aria-label="${label}">
    <rect class="others" width="${width}" height="${height}" />
    ${parts}
  </svg>`
}

/** A mean over time. The drawing stretches with the page; its labels stand beside it, so that they stay readable. */
export function drawSeries({ points, column, over, from, to }: Of<'series'>): Markup {
  const [width, height] = [600, 100]
  const values = points.map(([, y]) => y)
  const [low, high] = [Math.min(...values), Math.max(...values)]
  const y = (value: number) => 2 + (1 - (value - low) / (high - low || 1)) * (height - 4)
  const line = points.map(([share, value], index) => `${index === 0 ? 'M' : 'L'}${at(share * width)} ${at(y(value))}`)
  const label = `Mean of ${column} over ${over}, from ${from} to ${to}: between ${formatNumber(low)} and ${formatNumber(high)}`
  return html`<figure class="over-time">
    <figcaption>Mean of <b>${column}</b> over <b>${over}</b></figcaption>
    <div class="plot">
      <span>${formatNumber(high)}</span>
      <span>${formatNumber(low)}</span>
      <svg viewBox="0 0 ${width} ${height}" preserveAspectRatio="none" role="img" aria-label="${label}">
        <path class="grid" d="M0 2H${width}M0 ${height / 2}H${width}M0 ${height - 2}H${width}" />
        <path class="line" d="${line.join('')}" />
      </svg>
      <span>${from}</span>
      <span>${to}</span>
    </div>
  </figure>`
}

/** Where the rows lie; darker cells hold more of them. */
export function drawPlaces({ columns, rows, cells, west, south, east, north }: Of<'places'>): Markup {
  const most = Math.max(1, ...cells.map(([, , count]) => count))
  const steps = 5
  const layers = Array.from({ length: steps }, (_, layer) => {
    const path = cells
      .filter(
        ([, , count]) => Math.min(steps - 1, Math.floor((Math.log1p(count) / Math.log1p(most)) * steps)) === layer,
      )
      .map(([column, row]) => `M${at(column)} ${at(row)}h1v1h-1z`)
      .join('')
    return path === ''
      ? undefined
      : html`<path d="${path}" fill-opacity="${at(0.25 + (0.75 * layer) / (steps - 1))}" />`
  })
  const degrees = (value: number, [plus, minus]: readonly [string, string]) =>
    `${Math.abs(value).toFixed(1)}° ${value < 0 ? minus : plus}`
  const range = `${degrees(south, ['N', 'S'])} to ${degrees(north, ['N', 'S'])}, ${degrees(west, ['E', 'W'])} to ${degrees(east, ['E', 'W'])}`
  return html`<figure>
    <figcaption>Places: ${range}</figcaption>
    <svg class="places" viewBox="0 0 ${columns} ${rows}" role="img" aria-label="Map of the rows: ${range}">
      ${layers}
    </svg>
  </figure>`
}

function show(value: string | number): string {
  return typeof value === 'number' ? formatNumber(value) : value
}
