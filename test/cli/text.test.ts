import fc from 'fast-check'
import { answerCommand } from '../../src/cli/waitingLines.ts'
import { describe, expect, it } from 'vitest'
import { coloursFor } from '../../src/cli/colours.ts'
import { duration, durationRange, roughDuration } from '../../src/cli/duration.ts'
import { printable, printableLines } from '../../src/cli/escape.ts'
import { columnsOf, fill, fit } from '../../src/cli/fit.ts'
import { wrap } from '../../src/cli/wrap.ts'

describe('printable', () => {
  it('shows what a terminal would obey, instead of letting it', () => {
    expect(printable('\u001b[2Jgone\u0007')).toBe('\\x1b[2Jgone\\x07')
    expect(printable('a\r\nb\nc\td')).toBe('a⏎b⏎c d')
    expect(printable('\u009b31m')).toBe('\\x9b31m')
    expect(printable('user\u202etxt.exe')).toBe('user\\u202etxt.exe')
    expect(printable('half \ud800 pair')).toBe('half \\ud800 pair')
  })

  it('leaves words of any script, and emoji, as they are', () => {
    for (const text of ['Übergrößenträger', '東京の気温', 'עברית', '👩‍🚀 🏳️‍🌈', 'é (two code points)'])
      expect(printable(text)).toBe(text)
  })

  it('lets nothing through that moves a cursor, whatever comes in', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary' }), (text) => {
        // eslint-disable-next-line no-control-regex -- control characters are what it looks for
        expect(printable(text)).not.toMatch(/[\u0000-\u001f\u007f-\u009f\u2028\u2029\u202a-\u202e\u2066-\u2069]/)
        expect(() => encodeURIComponent(printable(text))).not.toThrow() // no half pairs
      }),
    )
  })

  it('keeps lines apart where they are wanted', () => {
    expect(printableLines('one\ntwo\u001b')).toEqual(['one', 'two\\x1b'])
  })
})

describe('fit and fill', () => {
  it('count columns as a terminal does', () => {
    expect(fit('temperature', 6)).toBe('tempe…')
    expect(fit('東京の気温', 6)).toBe('東京…')
    expect(columnsOf(fill('東京の気温', 6))).toBe(6)
    expect(fit('👩‍🚀👩‍🚀👩‍🚀', 5)).toBe('👩‍🚀👩‍🚀…')
    expect(fit('short', 10)).toBe('short')
    expect(fit('any', 0)).toBe('')
  })

  it('never give more columns than there are, and `fill` never fewer', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'grapheme' }).map(printable), fc.nat(40), (text, columns) => {
        expect(columnsOf(fit(text, columns))).toBeLessThanOrEqual(columns)
        expect(columnsOf(fill(text, columns))).toBe(columns)
      }),
    )
  })
})

describe('lengths of time', () => {
  it.each([
    [0, '0.0 s'],
    [1234, '1.2 s'],
    [9949, '9.9 s'],
    [9951, '10 s'],
    [59_499, '59 s'],
    [59_600, '1 min'],
    [200_000, '3 min 20 s'],
    [3_600_000, '1 h'],
    [7_500_000, '2 h 5 min'],
    [-5, '0.0 s'],
  ])('%d ms are %s', (ms, words) => {
    expect(duration(ms)).toBe(words)
  })

  it('tells an age in one unit', () => {
    expect([0, 59_999, 60_000, 18 * 60_000 + 6_000, 3_599_999, 30 * 3_600_000].map(roughDuration)).toEqual([
      '0 s',
      '59 s',
      '1 min',
      '18 min',
      '59 min',
      '30 h',
    ])
  })

  it.each([
    [100, 300, 'under 1 s'],
    [100, 4000, 'up to 4 s'],
    [7600, 8300, 'about 8 s'],
    [18_000, 41_000, '20–40 s'],
    [70_000, 200_000, '1–3 min'],
    [2_000_000, 8_000_000, '1–2 h'],
  ])('from %d to %d ms are %s', (low, high, words) => {
    expect(durationRange(low, high)).toBe(words)
  })
})

describe('colours', () => {
  const isColoured = (isTTY: boolean, environment: Record<string, string>): boolean =>
    coloursFor({ isTTY }, environment).isColorSupported

  it('are for terminals, unless the environment says otherwise', () => {
    expect(isColoured(true, {})).toBe(true)
    expect(isColoured(false, {})).toBe(false)
    expect(isColoured(true, { TERM: 'dumb' })).toBe(false)
    expect(isColoured(true, { NO_COLOR: '1' })).toBe(false)
    expect(isColoured(true, { NO_COLOR: '' })).toBe(true)
    expect(isColoured(false, { FORCE_COLOR: '1' })).toBe(true)
    expect(isColoured(true, { FORCE_COLOR: '0' })).toBe(false)
    expect(isColoured(true, { NO_COLOR: '1', FORCE_COLOR: '1' })).toBe(false)
  })
})

describe('wrap', () => {
  it('breaks a line between words, and indents what follows', () => {
    expect(wrap('  ✗ one two three four', 12)).toEqual(['  ✗ one two', '    three', '    four'])
    expect(wrap('short', 12)).toEqual(['short'])
    expect(wrap('', 12)).toEqual([''])
  })

  // Only blanks: `trim` takes wide and fixed blanks as well, and those are part of a word here.
  const withoutMargin = (piece: string): string => piece.replace(/^ +/, '')

  it('loses no word, and is never wider than the terminal, but for a word that is', () => {
    const word = fc.string({ unit: 'grapheme', minLength: 1 }).map((text) => printable(text).replaceAll(' ', '_'))
    fc.assert(
      fc.property(
        fc.array(word, { minLength: 1 }),
        fc.nat(6),
        fc.integer({ min: 10, max: 60 }),
        (words, margin, columns) => {
          const line = ' '.repeat(margin) + words.join(' ')
          const pieces = wrap(line, columns)
          expect(pieces.map(withoutMargin).join(' ')).toBe(words.join(' '))
          for (const piece of pieces)
            if (withoutMargin(piece).includes(' ')) expect(columnsOf(piece)).toBeLessThanOrEqual(columns)
        },
      ),
    )
  })
})

describe('commands that are printed', () => {
  it('quote what a shell would take for something else', () => {
    const of = (stepId: string): string => answerCommand('run-1', { kind: 'approval', stepId })
    expect(of('pay')).toBe('planloom approve run-1 --step pay   (or reject run-1 <because> --step pay)')
    expect(of('read[3]')).toContain("--step 'read[3]'")
    expect(of("it's \u001b[31m")).toContain("'it'\\''s \\x1b[31m'")
  })
})
