import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { findJsonFault } from '../../src/plan/jsonFault.ts'

function isJson(text: string): boolean {
  try {
    JSON.parse(text)
    return true
  } catch {
    return false
  }
}

/** JSON, with something put in or taken out somewhere. */
const damaged = fc
  .tuple(fc.json(), fc.nat(), fc.nat(3), fc.constantFrom('', ',', '"', '}', ']', '{', '[', ':', '\\', '\n', '0', '-', '.', 'e', 'nul', ' ', "'"))
  .map(([text, place, cut, put]) => {
    const at = place % (text.length + 1)
    return text.slice(0, at) + put + text.slice(at + cut)
  }) // prettier-ignore

describe('where a text stops being JSON', () => {
  it('is found in every text that is none, and in no other', () => {
    fc.assert(
      fc.property(damaged, (text) => {
        const fault = findJsonFault(text)
        expect(fault === undefined).toBe(isJson(text))
        if (fault === undefined) return
        expect(fault.at).toBeGreaterThanOrEqual(0)
        expect(fault.at).toBeLessThanOrEqual(text.length)
      }),
      { numRuns: 3000 },
    )
  })

  it.each([
    ['{"a": 1 "b": 2}', 8, 'Expected "," or "}", but a double quote stands there'],
    ['{"a": 1, b: 2}', 9, 'Expected a key in double quotes, but "b" stands there'],
    ["{'a': 1}", 1, 'Expected a key in double quotes or "}", but a single quote stands there'],
    ['{"a": 1,}', 8, 'Expected a key in double quotes, but "}" stands there'],
    ['[1, 2', 5, 'Expected "," or "]", but the text ends'],
    ['{"a": "x\ny"}', 8, 'Expected the closing double quote of a text, but the end of the line stands there'],
    ['["\\x"]', 2, 'In a text in double quotes, "\\\\x" means nothing'],
    ['{} {}', 3, 'Expected the end of the text, but "{" stands there'],
    ['[undefined]', 1, 'Expected a value or "]", but "undefined" stands there'],
    ['', 0, 'Expected a value, but the text ends'],
  ])('is told of %j', (text, at, why) => {
    expect(findJsonFault(text)).toEqual({ at, why })
  })

  it('is found however deep it lies', () => {
    const text = '['.repeat(100_000)
    expect(findJsonFault(text)).toMatchObject({ at: text.length })
  })
})
