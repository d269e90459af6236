// An area at the bottom of a terminal that is drawn again and again, below lines that stay.
//
// D1. Each change is one write, in the terminal's synchronized mode: no half pictures.
// D2. The area's height is counted anew at each draw, since a terminal that was made narrower has wrapped its lines.
// D3. The cursor comes back whatever ends the process.
import { columnsOf } from '../fit.ts'
import { columnsOfTerminal, type TerminalStream } from '../terminal.ts'

export interface Redraw {
  /** Replaces the area. `above`: lines that stay, and scroll up from here on. */
  draw(lines: readonly string[], above?: readonly string[]): void
  /** Takes the area away, and gives the cursor back. */
  close(): void
}

const begin = '\u001b[?2026h'
const end = '\u001b[?2026l'
const hideCursor = '\u001b[?25l'
const showCursor = '\u001b[?25h'

export function createRedraw(stream: TerminalStream): Redraw {
  let drawn: readonly number[] = []
  let isHidden = false

  const erase = (): string => {
    const columns = columnsOfTerminal(stream)
    const rows = drawn.reduce((sum, width) => sum + Math.max(1, Math.ceil(width / columns)), 0)
    return rows === 0 ? '' : `\u001b[${rows}A\r\u001b[J`
  }
  const giveBack = (): void => {
    stream.write(showCursor)
  }

  return {
    draw(lines, above = []) {
      const text = [...above, ...lines].map((line) => `${line}\n`).join('')
      if (!isHidden) process.once('exit', giveBack) // D3
      stream.write(`${begin}${isHidden ? '' : hideCursor}${erase()}${text}${end}`)
      isHidden = true
      drawn = lines.map(columnsOf)
    },
    close() {
      if (!isHidden) return
      stream.write(`${begin}${erase()}${showCursor}${end}`)
      process.off('exit', giveBack)
      isHidden = false
      drawn = []
    },
  }
}
