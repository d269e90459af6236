import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { formatPointer, getPointer, isPointer, parsePointer, type Json } from '../../src/plan/index.ts'

describe('JSON Pointers', () => {
  // The document and the pointers of RFC 6901, section 5.
  const document = {
    foo: ['bar', 'baz'],
    '': 0,
    'a/b': 1,
    'c%d': 2,
    'e^f': 3,
    'g|h': 4,
    'i\\j': 5,
    'k"l': 6,
    ' ': 7,
    'm~n': 8,
  }
  it.each([
    ['', document],
    ['/foo', ['bar', 'baz']],
    ['/foo/0', 'bar'],
    ['/', 0],
    ['/a~1b', 1],
    ['/c%d', 2],
    ['/e^f', 3],
    ['/g|h', 4],
    ['/i\\j', 5],
    ['/k"l', 6],
    ['/ ', 7],
    ['/m~0n', 8],
  ] as const)('finds %j as RFC 6901 says', (pointer, value) => {
    expect(getPointer(document, pointer)).toEqual(value)
  })

  it.each(['/foo/2', '/foo/-', '/foo/01', '/foo/1e0', '/foo/length', '/no', '/foo/0/0', 'foo', '/m~n', '/m~2n'])(
    'finds nothing at %j',
    (pointer) => {
      expect(getPointer(document, pointer)).toBeUndefined()
    },
  )

  it.each(['/__proto__', '/constructor', '/constructor/prototype', '/toString', '/foo/constructor'])(
    'never reaches a prototype by %j',
    (pointer) => {
      expect(getPointer(document, pointer)).toBeUndefined()
    },
  )

  it('finds an own property, whatever it is called', () => {
    expect(getPointer(JSON.parse('{"__proto__":{"x":1}}') as Json, '/__proto__/x')).toBe(1)
  })

  it.each(['foo', '/m~', '/~2'])('refuses to parse %j', (pointer) => {
    expect(isPointer(pointer)).toBe(false)
    expect(() => parsePointer(pointer)).toThrow(expect.objectContaining({ code: 'POINTER_INVALID' }))
  })

  it('parses what it formats', () => {
    fc.assert(
      fc.property(fc.array(fc.string()), (parts) => {
        expect(parsePointer(formatPointer(parts))).toEqual(parts)
      }),
    )
  })

  it('finds what stands at any path of any value', () => {
    fc.assert(
      fc.property(fc.jsonValue(), fc.infiniteStream(fc.nat()), (value, picks) => {
        let at = value as Json
        const parts: (string | number)[] = []
        while (typeof at === 'object' && at !== null && Object.keys(at).length > 0) {
          const keys = Object.keys(at)
          const key = keys[picks.next().value % keys.length]!
          parts.push(Array.isArray(at) ? Number(key) : key)
          at = (at as Record<string, Json>)[key]!
        }
        expect(getPointer(value as Json, formatPointer(parts))).toBe(at)
      }),
    )
  })
})
