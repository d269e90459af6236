import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import type { Json, JsonObject } from '../../../src/plan/json.ts'
import { getPointer } from '../../../src/plan/pointer.ts'
import { carryOut } from '../../../src/tools/carryOut.ts'
import { jsonQueryTool } from '../../../src/tools/json/jsonQuery.ts'
import { queryCost } from '../../../src/tools/json/queryCost.ts'
import { failureOf, outputOf } from '../results.ts'
import { toolContext } from '../toolContext.ts'

const ask = (input: JsonObject, options = {}) => carryOut(jsonQueryTool(options), input, toolContext())
const shop = {
  books: [
    { title: 'Sayings', price: 8, tags: ['old'] },
    { title: 'Sword', price: 12, isbn: 'x/1~2' },
    { title: 'Rings', price: 22, tags: [] },
  ],
  'a/b': { '~': 1 },
}

describe('json_query', () => {
  it('finds the one value at a pointer', async () => {
    expect(outputOf(await ask({ value: shop, pointer: '/books/1/title' }))).toEqual({
      value: 'Sword',
      values: ['Sword'],
      pointers: ['/books/1/title'],
    })
    expect(outputOf(await ask({ value: shop, pointer: '/a~1b/~0' }))['value']).toBe(1)
    expect(outputOf(await ask({ value: null, pointer: '' }))['value']).toBe(null)
  })

  it('says what there is where a pointer leads nowhere', async () => {
    const failure = failureOf(await ask({ value: shop, pointer: '/books/1/author/name' }))
    expect(failure).toMatchObject({ code: 'VALUE_MISSING', path: '/books/1/author/name', retryable: false })
    expect(failure.hint).toContain('at "/books/1": an object with "title", "price", "isbn"')
    expect(failureOf(await ask({ value: 3, pointer: '/x' })).hint).toContain('a number')
    expect(failureOf(await ask({ value: {}, pointer: '/constructor' })).code).toBe('VALUE_MISSING')
    expect(failureOf(await ask({ value: shop, pointer: 'books' })).code).toBe('QUERY_INVALID')
  })

  it.each([
    ['$.books[*].title', ['Sayings', 'Sword', 'Rings']],
    ['$.books[?@.price > 10].title', ['Sword', 'Rings']],
    ['$..price', [8, 12, 22]],
    ['$.books[-1].title', ['Rings']],
    ['$.books[0:2].price', [8, 12]],
    ['$.books[?length(@.tags) == 0].title', ['Rings']],
    ["$['a/b']['~']", [1]],
    ['$.books[?@.title == "Sword" && @.isbn].price', [12]],
    ['$.nothing[*]', []],
    ['$.constructor', []],
    ['$.__proto__', []],
  ])('finds all that %s asks for, with where it stands', async (query, values) => {
    const output = outputOf(await ask({ value: shop, query }))
    expect(output['values']).toEqual(values)
    expect(output['value']).toEqual(values[0] ?? null)
    expect((output['pointers'] as string[]).map((pointer) => getPointer(shop as unknown as Json, pointer))).toEqual(
      values,
    )
  })

  it('finds every value by "$..*", each at its pointer', async () => {
    await fc.assert(
      fc.asyncProperty(fc.jsonValue({ maxDepth: 4 }), async (value) => {
        const json = JSON.parse(JSON.stringify(value)) as Json
        const { values, pointers } = outputOf(await ask({ value: json, query: '$..*' }))
        expect((pointers as string[]).map((pointer) => getPointer(json, pointer))).toEqual(values)
        expect(new Set(pointers as string[]).size).toBe(countBelow(json))
      }),
    )
  })

  it.each([
    'books',
    '$.',
    '$[',
    '$.books[?match(@.title, "(a+)+$")]',
    '$.books[?search(@.title, "S")]',
    '$[?@.a = 1]',
    "$['",
  ])('refuses what is no query, or has a pattern: %s', async (query) => {
    expect(failureOf(await ask({ value: shop, query }))).toMatchObject({
      code: 'QUERY_INVALID',
      path: '/query',
      retryable: false,
    })
  })

  it('refuses more matches than it may give', async () => {
    expect(failureOf(await ask({ value: Array(11).fill(0) as Json, query: '$[*]' }, { maxMatches: 10 }))).toMatchObject(
      { code: 'TOO_MANY_MATCHES' },
    )
    expect(
      outputOf(await ask({ value: Array(10).fill(0) as Json, query: '$[*]' }, { maxMatches: 10 }))['values'],
    ).toHaveLength(10)
  })

  it.each(['$..*..*', '$[?count($..a) > @.a]', `$${'[*,*]'.repeat(30)}.x`])(
    'refuses %s on a large value before it starts',
    async (query) => {
      const value = Array.from({ length: 10_000 }, (_, a) => ({ a }))
      expect(failureOf(await ask({ value, query }))).toMatchObject({ code: 'QUERY_TOO_COSTLY', retryable: false })
    },
  )

  it('needs a pointer or a query, and not both', async () => {
    expect(failureOf(await ask({ value: 1 })).code).toBe('INPUT_INVALID')
    expect(failureOf(await ask({ value: 1, pointer: '', query: '$' })).code).toBe('INPUT_INVALID')
  })
})

describe('the cost of a query', () => {
  it('does not count what stands in quotes', () => {
    expect(queryCost(`$['..', "$$,'"].a`, 10)).toBe(20)
    expect(queryCost(String.raw`$['it\'s ..']`, 10)).toBe(10)
  })
})

function countBelow(value: Json): number {
  if (typeof value !== 'object' || value === null) return 0
  return Object.values(value).reduce((sum: number, inner) => sum + 1 + countBelow(inner), 0)
}
