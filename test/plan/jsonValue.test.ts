import { runInNewContext } from 'node:vm'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { readJsonValue, toJsonValue } from '../../src/plan/jsonValue.ts'

const bytesOf = (value: unknown): number => Buffer.byteLength(JSON.stringify(value))
const failureOf = (value: unknown, limits = {}) => {
  const reading = readJsonValue(value, limits)
  return 'failure' in reading ? reading.failure : undefined
}
const nested = (depth: number): unknown => {
  let value: unknown = 1
  for (let level = 0; level < depth; level++) value = level % 2 === 0 ? [value] : { a: value }
  return value
}
const cyclic = (): unknown => {
  const value: Record<string, unknown> = { rows: [1, { deep: {} }] }
  ;(value['rows'] as { deep: { top?: unknown } }[])[1]!.deep.top = value
  return value
}

/** Numbers other than integers are counted roundly. */
const hasFraction = (value: unknown): boolean =>
  typeof value === 'number'
    ? !Number.isInteger(value) || Math.abs(value) >= 1e15
    : typeof value === 'object' && value !== null && Object.values(value).some(hasFraction)

describe('what is JSON', () => {
  it('comes out equal, as JSON.stringify would write it', () => {
    fc.assert(
      fc.property(fc.jsonValue({ maxDepth: 6 }), (value) => {
        expect(JSON.stringify(toJsonValue(value))).toBe(JSON.stringify(value))
      }),
    )
  })

  it('is deeply frozen and shares nothing with what came', () => {
    fc.assert(
      fc.property(fc.jsonValue({ maxDepth: 5 }), (value) => {
        const walk = (copy: unknown, source: unknown): void => {
          if (typeof copy !== 'object' || copy === null) return
          expect(Object.isFrozen(copy)).toBe(true)
          expect(copy).not.toBe(source)
          for (const key of Object.keys(copy)) walk((copy as never)[key], (source as never)[key])
        }
        walk(toJsonValue(value), value)
      }),
    )
  })

  it('is left as it was, and may be frozen itself', () => {
    const value = Object.freeze({ a: Object.freeze([1]), b: undefined })
    expect(toJsonValue(value)).toEqual({ a: [1] })
    expect(Object.keys(value)).toEqual(['a', 'b'])
  })

  it.each([
    ['properties that are undefined are dropped', { a: undefined, b: 1 }, { b: 1 }],
    ['-0 is 0, as it would be after a journal', [-0], [0]],
    ['an object without a prototype is one', Object.assign(Object.create(null) as object, { a: 1 }), { a: 1 }],
    ['an object from another realm is one', runInNewContext('({ a: [{ b: 1 }] })'), { a: [{ b: 1 }] }],
    ['a list that is a class of its own is a list', class Rows extends Array {}.from([1, 2]), [1, 2]],
    ['the same object twice is no cycle', ((one) => [one, one])({ a: 1 }), [{ a: 1 }, { a: 1 }]],
    ['symbol keys are not seen', { [Symbol('a')]: 1 }, {}],
  ])('%s', (_, value, expected) => {
    expect(toJsonValue(value)).toStrictEqual(expected)
  })

  it('keeps a key __proto__ as a property and pollutes nothing', () => {
    const copy = toJsonValue(
      JSON.parse('{"a":{"__proto__":{"polluted":true},"constructor":{"prototype":{"polluted":1}}}}'),
    ) as {
      readonly a: object
    }
    expect(JSON.stringify(copy)).toBe(
      '{"a":{"__proto__":{"polluted":true},"constructor":{"prototype":{"polluted":1}}}}',
    )
    expect(Object.getPrototypeOf(copy.a)).toBe(Object.prototype)
    expect({}).not.toHaveProperty('polluted')
  })
})

describe('what is not JSON', () => {
  class Row {
    id = 1
  }
  it.each([
    ['undefined', undefined, '', /undefined/],
    ['undefined in a list', { a: [1, undefined] }, '/a/1', /undefined/],
    ['a hole in a list', [1, , 2], '/1', /undefined/], // eslint-disable-line no-sparse-arrays
    ['NaN', [NaN], '/0', /NaN/],
    ['Infinity', { 'a/b': { '~': -Infinity } }, '/a~1b/~0', /-Infinity/],
    ['a bigint', { n: 1n }, '/n', /bigint/],
    ['a function', { f: () => 1 }, '/f', /function/],
    ['a symbol', [Symbol('s')], '/0', /symbol/],
    ['a Date', { at: new Date(0) }, '/at', /a Date/],
    ['a Map', [[new Map()]], '/0/0', /a Map/],
    ['a Set', { s: new Set() }, '/s', /a Set/],
    ['a Promise', Promise.resolve(1), '', /a Promise/],
    ['a buffer', { bytes: Buffer.from('a') }, '/bytes', /binary data/],
    ['an Error', { e: new Error('x') }, '/e', /instance of Error/],
    ['a class instance', { row: new Row() }, '/row', /instance of Row/],
    ['an object with a strange prototype', Object.create({ a: 1 }) as object, '', /instance of Object/],
    ['a getter that throws', { a: { get b() { throw new Error('no') } } }, '/a/b', /threw "no"/], // prettier-ignore
    ['a cycle', cyclic(), '/rows/1/deep/top', /same as "": it holds itself/],
  ])('%s is refused with its place', (_, value, path, message) => {
    const failure = failureOf(value)
    expect(failure).toMatchObject({ code: 'OUTPUT_NOT_JSON', path })
    expect(failure?.message).toMatch(message)
    expect(failure?.hint).not.toBe('')
  })

  it('is found anywhere, by its place', () => {
    const bad = fc.constantFrom<unknown>(1n, NaN, () => 1, new Map(), Symbol('x'))
    const parts = fc.array(fc.oneof(fc.string(), fc.nat(3)), { maxLength: 8 })
    fc.assert(
      fc.property(bad, parts, (leaf, path) => {
        const value = path.reduceRight<unknown>(
          (inner, part) =>
            typeof part === 'number'
              ? [...Array.from({ length: part }, () => 0), inner]
              : Object.fromEntries([
                  ['~', 0],
                  [part, inner],
                ]),
          leaf,
        )
        const pointer = path.map((part) => `/${String(part).replaceAll('~', '~0').replaceAll('/', '~1')}`).join('')
        expect(failureOf(value)).toMatchObject({ code: 'OUTPUT_NOT_JSON', path: pointer })
      }),
    )
  })

  it('does not run in circles when a cycle is wide', () => {
    const value: Record<string, unknown> = {}
    for (let index = 0; index < 1000; index++) value[`key${String(index)}`] = value
    expect(failureOf(value)).toMatchObject({ code: 'OUTPUT_NOT_JSON', path: '/key0' })
    expect(failureOf({ big: 'x'.repeat(1000), value }, { maxBytes: 1500 })).toMatchObject({ code: 'OUTPUT_NOT_JSON' })
  })

  it('throws the same with its place', () => {
    expect(() => toJsonValue({ a: 1n })).toThrow(
      expect.objectContaining({ code: 'OUTPUT_NOT_JSON', where: { path: '/a' } }),
    )
  })
})

describe('the limits', () => {
  it('count bytes as JSON in UTF-8', () => {
    const value = fc.jsonValue({ maxDepth: 5, stringUnit: 'binary' }).filter((one) => !hasFraction(one))
    fc.assert(
      fc.property(value, (one) => {
        const bytes = bytesOf(one)
        expect(failureOf(one, { maxBytes: bytes })).toBeUndefined()
        expect(failureOf(one, { maxBytes: bytes - 1 })).toMatchObject({ code: 'OUTPUT_TOO_LARGE' })
      }),
    )
  })

  it.each(['plain', 'ümläut', '日本', '😀', '\ud83d alone', 'a"b\\c\n\u0001'])(
    'measure the text %j exactly',
    (text) => {
      expect(failureOf(text, { maxBytes: bytesOf(text) })).toBeUndefined()
      expect(failureOf(text, { maxBytes: bytesOf(text) - 1 })).toMatchObject({ code: 'OUTPUT_TOO_LARGE' })
    },
  )

  it('name the size that is allowed, and stop long before the end of what is too large', () => {
    let looked = 0
    const rows = new Proxy(
      Array.from({ length: 100_000 }, () => 'x'.repeat(100)),
      {
        get: (target, key, receiver) => {
          looked++
          return Reflect.get(target, key, receiver) as unknown
        },
      },
    )
    expect(failureOf({ rows }, { maxBytes: 10_000 })?.message).toMatch(/10000 bytes/)
    expect(looked).toBeLessThan(200)
  })

  it('refuse 100 MB without copying it', () => {
    expect(failureOf('x'.repeat(100_000_000))).toMatchObject({ code: 'OUTPUT_TOO_LARGE', path: '' })
  })

  it('refuse what is shared so often that it would fill the memory', () => {
    let value: unknown = 'ha'
    for (let level = 0; level < 60; level++) value = [value, value]
    expect(failureOf(value, { maxBytes: 100_000 })).toMatchObject({ code: 'OUTPUT_TOO_LARGE' })
  })

  it('allow a depth of 200 and no more', () => {
    expect(failureOf(nested(200))).toBeUndefined()
    expect(failureOf(nested(201))).toMatchObject({
      code: 'OUTPUT_TOO_DEEP',
      message: expect.stringContaining('200') as string,
    })
  })

  it('hold for a depth that would overflow the stack', () => {
    expect(failureOf(nested(1_000_000))).toMatchObject({ code: 'OUTPUT_TOO_DEEP' })
    expect(failureOf(nested(100_000), { maxDepth: 1_000_000 })).toBeUndefined()
  })
})
