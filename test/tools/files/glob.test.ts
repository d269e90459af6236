import { describe, expect, it } from 'vitest'
import { compileGlob } from '../../../src/tools/files/glob.ts'

describe('a pattern', () => {
  it.each([
    ['*.csv', ['a.csv', 'x/b.csv'], ['a.tsv', 'a.csv/b', 'csv']],
    ['x/*.csv', ['x/a.csv', 'x/.csv'], ['a.csv', 'x/y/a.csv', 'y/x/a.csv']],
    ['**/a', ['a', 'x/a', 'x/y/a'], ['x/ab', 'a/b']],
    ['x/**', ['x/a', 'x/y/z'], ['y/a']],
    ['x/**/z', ['x/z', 'x/y/z', 'x/y/y/z'], ['x/zz', 'z']],
    ['a?c/*', ['abc/x', 'a😀c/x'], ['ac/x', 'abbc/x']],
    ['*a*b*', ['ab', 'xaybz', 'aab'], ['ba', 'x']],
    ['{a,b{c,d}}.txt', ['a.txt', 'bc.txt', 'bd.txt'], ['b.txt', 'c.txt']],
    ['x/{a,b}/*', ['x/a/1', 'x/b/2'], ['x/c/1']],
    ['a.c', ['a.c'], ['abc']],
    ['(a+)+$', ['(a+)+$'], ['aa']],
  ])('%j fits what it should, and nothing else', (pattern, fits, others) => {
    const matches = compileGlob(pattern)
    expect(fits.filter((path) => !matches(path))).toEqual([])
    expect(others.filter(matches)).toEqual([])
  })

  it('takes no time to speak of, however it is made', () => {
    const matches = compileGlob(`${'*a'.repeat(100)}b`)
    const deep = compileGlob(`${'**/a/'.repeat(50)}b`)
    expect(matches('a'.repeat(250))).toBe(false)
    expect(deep('a/'.repeat(500) + 'c')).toBe(false)
  })

  it.each(['{a', 'a}', '{a,{b}', '{a,b}'.repeat(8)])('is refused when it is wrong: %j', (pattern) => {
    expect(() => compileGlob(pattern)).toThrow(expect.objectContaining({ code: 'PATTERN_INVALID' }))
  })
})
