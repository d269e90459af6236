import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { findPatternProblem, longestText } from '../../src/plan/patternSafety.ts'

// Small patterns over two letters, and a backtracking matcher that counts its steps: what the judge says is held against it.
type Pattern =
  | { readonly kind: 'letter'; readonly letter: string }
  | { readonly kind: 'both'; readonly parts: readonly Pattern[] }
  | { readonly kind: 'either'; readonly parts: readonly Pattern[] }
  | { readonly kind: 'repeat'; readonly part: Pattern; readonly least: number; readonly most: number }

const patterns = fc.letrec<{ pattern: Pattern }>((tie) => ({
  pattern: fc.oneof(
    { maxDepth: 4, depthSize: 'small' },
    fc.constantFrom('a', 'b', '[ab]').map((letter): Pattern => ({ kind: 'letter', letter })),
    fc.array(tie('pattern'), { minLength: 2, maxLength: 3 }).map((parts): Pattern => ({ kind: 'both', parts })),
    fc.array(tie('pattern'), { minLength: 2, maxLength: 3 }).map((parts): Pattern => ({ kind: 'either', parts })),
    fc
      .tuple(tie('pattern'), fc.constantFrom([0, Infinity], [1, Infinity], [0, 1], [1, 3]))
      .map(([part, [least, most]]): Pattern => ({ kind: 'repeat', part, least, most })),
  ),
})).pattern

function write(pattern: Pattern): string {
  switch (pattern.kind) {
    case 'letter':
      return pattern.letter
    case 'both':
      return pattern.parts.map((part) => `(?:${write(part)})`).join('')
    case 'either':
      return `(?:${pattern.parts.map(write).join('|')})`
    case 'repeat': {
      const { least, most } = pattern
      const sign = most === Infinity ? (least === 0 ? '*' : '+') : most === 1 ? '?' : `{${least},${most}}`
      return `(?:${write(pattern.part)})${sign}`
    }
  }
}

const giveUp = 3_000_000

/** Steps that a backtracking matcher takes to see that the pattern, from start to end, does not match. */
function stepsFor(pattern: Pattern, text: string): number {
  let steps = 0
  const match = (one: Pattern, at: number, next: (at: number) => boolean): boolean => {
    steps += 1
    if (steps > giveUp) return true
    switch (one.kind) {
      case 'letter':
        return at < text.length && one.letter.includes(text[at]!) && next(at + 1)
      case 'both': {
        const from = (index: number, place: number): boolean => {
          const part = one.parts[index]
          return part === undefined ? next(place) : match(part, place, (after) => from(index + 1, after))
        }
        return from(0, at)
      }
      case 'either':
        return one.parts.some((part) => match(part, at, next))
      case 'repeat': {
        const again = (count: number, place: number): boolean => {
          const more =
            count < one.most &&
            match(one.part, place, (after) => (after > place || count < one.least) && again(count + 1, after))
          return more || (count >= one.least && next(place))
        }
        return again(0, at)
      }
    }
  }
  match(pattern, 0, (at) => at === text.length)
  return steps
}

const texts = (length: number): string[] =>
  ['a', 'b', 'ab', 'aab', 'abb'].map((unit) => `${unit.repeat(length).slice(0, length)}!`)

describe('the judge of patterns', () => {
  it('S1, S2: lets a pattern have no text on which it takes more tries than it may', () => {
    let judged = 0
    const tries = 2_000
    fc.assert(
      fc.property(patterns, (pattern) => {
        const source = `^(?:${write(pattern)})$`
        if (findPatternProblem(source) !== undefined) return
        judged += 1
        // A try is a letter read; on the way to it the matcher takes a step for each part it goes through, and looks in vain.
        const stepsInTry = 4 * write(pattern).length
        for (const text of texts(Math.min(longestText(source, tries), 60))) {
          expect(stepsFor(pattern, text), text).toBeLessThan(tries * stepsInTry)
        }
      }),
      { numRuns: 500 },
    )
    expect(judged).toBeGreaterThan(150)
  })

  it.each([
    '^(?:(?:a|a){1,8}){1,8}$',
    '^(?:(?:ab|ab){1,8}){1,8}$',
    '^(?:(?:abc|a[bx]c){1,8}){1,8}$',
    '^(?:a{1,8}){1,8}(?:a{1,8}){1,8}$',
    '^b|(?:(?:a|a){1,8}){1,8}$',
  ])('M1: keeps the texts of %s short, though it repeats nothing without end', (pattern) => {
    expect(findPatternProblem(pattern)).toBeUndefined()
    expect(longestText(pattern)).toBeLessThan(64)
  })

  it.each(['^(?:a(?:b?)+)*$', '^(?:(?:b?)+)*$', '^(?:a(?:(?:b)?){1,})*$'])(
    'S1: refuses %s, in which a round that must be may be empty',
    (pattern) => {
      expect(findPatternProblem(pattern)).toMatch(/could take for ever/)
    },
  )

  it('S2: knows the power', () => {
    expect(longestText('^a*$')).toBe(Infinity)
    const longest = [2, 3, 4].map((power) => longestText(`^${'a*'.repeat(power)}$`))
    expect(longest.every((length, index) => length > 30 && length <= 1e7 ** (1 / (index + 2)))).toBe(true)
  })
})
