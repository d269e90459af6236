import { describe, expect, it } from 'vitest'
import { createRedraw } from '../../src/cli/progress/redraw.ts'

/** A terminal as far as the redraw uses one: lines that wrap at its width, moving up, and clearing from there down. */
function fakeTerminal(columns: number) {
  let rows = ['']
  const raw: string[] = []
  const escape = '\u001b['
  const obey = (part: string): void => {
    const up = part.startsWith(escape) ? /(\d+)A/.exec(part)?.[1] : undefined
    if (up !== undefined) rows = [...rows.slice(0, rows.length - 1 - Number(up)), '']
    else if (part === '\n') rows.push('')
    else if (!part.startsWith(escape) && part !== '\r') {
      for (const character of part) {
        if (rows.at(-1)!.length === columns) rows.push('')
        rows[rows.length - 1] = rows.at(-1)! + character
      }
    }
  }
  return {
    columns,
    raw,
    write(text: string) {
      raw.push(text)
      // eslint-disable-next-line no-control-regex -- a terminal's commands begin with one
      for (const part of text.match(/\u001b\[(?:\?\d+[hl]|\d+A|J)|\r|\n|[^\u001b\r\n]+/g) ?? []) obey(part)
    },
    get shown() {
      return rows
    },
    get hidesCursor() {
      return raw.join('').lastIndexOf('\u001b[?25l') > raw.join('').lastIndexOf('\u001b[?25h')
    },
  }
}

describe('the redrawn area', () => {
  it('replaces itself, whether it grows or shrinks, below lines that stay', () => {
    const terminal = fakeTerminal(20)
    const redraw = createRedraw(terminal)
    redraw.draw(['a', 'b'])
    redraw.draw(['c', 'd', 'e'], ['stays'])
    expect(terminal.shown).toEqual(['stays', 'c', 'd', 'e', ''])
    redraw.draw(['f'])
    expect(terminal.shown).toEqual(['stays', 'f', ''])
    redraw.close()
    expect(terminal.shown).toEqual(['stays', ''])
  })

  it('counts lines that the terminal has wrapped since it was made narrower', () => {
    const terminal = fakeTerminal(5)
    const redraw = createRedraw(terminal)
    redraw.draw(['twelve chars'])
    expect(terminal.shown).toEqual(['twelv', 'e cha', 'rs', ''])
    redraw.draw(['x'])
    expect(terminal.shown).toEqual(['x', ''])
  })

  it('takes a terminal that says its width is 0 for one of the usual width', () => {
    const terminal = { ...fakeTerminal(80), columns: 0 }
    const redraw = createRedraw(terminal)
    redraw.draw(['twelve chars'])
    redraw.draw(['x'])
    expect(terminal.raw.join('')).toContain('\u001b[1A')
    expect(terminal.raw.join('')).not.toContain('Infinity')
  })

  it('hides the cursor while it draws, gives it back, and leaves no listener', () => {
    const listeners = process.listenerCount('exit')
    const terminal = fakeTerminal(20)
    const redraw = createRedraw(terminal)
    redraw.draw(['a'])
    redraw.draw(['b'])
    expect(terminal.hidesCursor).toBe(true)
    expect(process.listenerCount('exit')).toBe(listeners + 1)
    redraw.close()
    redraw.close()
    expect(terminal.hidesCursor).toBe(false)
    expect(process.listenerCount('exit')).toBe(listeners)
  })

  it('writes each change at once', () => {
    const terminal = fakeTerminal(20)
    createRedraw(terminal).draw(['a', 'b', 'c'], ['d'])
    expect(terminal.raw).toHaveLength(1)
    expect(terminal.raw[0]!.startsWith('\u001b[?2026h') && terminal.raw[0]!.endsWith('\u001b[?2026l')).toBe(true)
  })
})
