// Makes an SVG picture of what stands in a terminal: reads text with ANSI colours from standard input.
//
//   tmux capture-pane -e -p | tsx scripts/terminalPicture.ts > docs/run.svg
import { text } from 'node:stream/consumers'

const escape = String.fromCharCode(27)
const colourCode = new RegExp(`(${escape}\\[[\\d;]*m)`)
const wholeColourCode = new RegExp(`^${escape}\\[([\\d;]*)m$`)
const cell = { width: 8.4, height: 18 }
const margin = 14
const colours: Readonly<Record<number, string>> = {
  30: '#6b7280',
  31: '#f87171',
  32: '#4ade80',
  33: '#fbbf24',
  34: '#60a5fa',
  35: '#c084fc',
  36: '#22d3ee',
  37: '#e5e7eb',
  90: '#8b949e',
}

interface Style {
  readonly colour: string
  readonly weight: number
  readonly opacity: number
}

const plain: Style = { colour: '#e5e7eb', weight: 400, opacity: 1 }

function picture(screen: string): string {
  const lines = screen.replace(/\s+$/, '').split('\n')
  const columns = Math.max(60, ...lines.map((line) => stripped(line).length))
  const width = Math.ceil(columns * cell.width + 2 * margin)
  const height = lines.length * cell.height + 2 * margin
  let style = plain
  const rows = lines.map((line, row) => {
    const spans: string[] = []
    let column = 0
    for (const part of line.split(colourCode)) {
      const code = wholeColourCode.exec(part)?.[1]
      if (code !== undefined) style = styleAfter(style, code)
      else if (part !== '') {
        const x = (margin + column * cell.width).toFixed(1)
        const y = margin + row * cell.height + 13
        const look = `fill="${style.colour}"${style.weight > 400 ? ' font-weight="700"' : ''}${style.opacity < 1 ? ' opacity=".6"' : ''}`
        if (part.trim() !== '')
          spans.push(`<text x="${x}" y="${String(y)}" ${look}>${escaped(part).replaceAll(' ', '\u00a0')}</text>`)
        column += part.length
      }
    }
    return spans.join('')
  })
  return [
    `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${String(width)} ${String(height)}" role="img" aria-label="A run in a terminal" font-family="ui-monospace, Menlo, Consolas, monospace" font-size="14" xml:space="preserve">`,
    `<rect width="100%" height="100%" rx="8" fill="#111418"/>`,
    ...rows,
    '</svg>',
    '',
  ].join('\n')
}

function styleAfter(style: Style, codes: string): Style {
  let next = style
  for (const code of (codes === '' ? '0' : codes).split(';').map(Number)) {
    if (code === 0) next = plain
    else if (code === 1) next = { ...next, weight: 700 }
    else if (code === 2) next = { ...next, opacity: 0.6 }
    else if (code === 22) next = { ...next, weight: 400, opacity: 1 }
    else if (code === 39) next = { ...next, colour: plain.colour }
    else next = { ...next, colour: colours[code] ?? next.colour }
  }
  return next
}

function stripped(line: string): string {
  return line.replace(new RegExp(colourCode, 'g'), '')
}

function escaped(part: string): string {
  return part.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;')
}

process.stdout.write(picture(await text(process.stdin)))
