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

const giveUp = 300_000

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
  it('S1, S2: lets no pattern pass whose steps grow faster than it says', () => {
    let judged = 0
    fc.assert(
      fc.property(patterns, (pattern) => {
        const source = `^(?:${write(pattern)})$`
        if (findPatternProblem(source) !== undefined) return
        judged += 1
        const longest = longestText(source)
        const power = longest === Infinity ? 1 : Math.round(Math.log(1e9) / Math.log(longest))
        for (const [index, text] of texts(24).entries()) {
          const growth = stepsFor(pattern, text) / stepsFor(pattern, texts(12)[index]!)
          expect(growth).toBeLessThan(2 ** power * 4)
        }
      }),
      { numRuns: 500 },
    )
    expect(judged).toBeGreaterThan(150)
  })

  it('S2: knows the power', () => {
    expect(longestText('^a*$')).toBe(Infinity)
    expect([2, 3, 4].map((power) => longestText(`^${'a*'.repeat(power)}$`))).toEqual([31_622, 999, 177])
  })
})
