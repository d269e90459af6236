import { describe, expect, it } from 'vitest'
import {
  checkSchema,
  deepFreeze,
  schemaProblems,
  type Json,
  type JsonObject,
  type JsonSchema,
} from '../../src/plan/index.ts'
import { findPatternProblem, longestText } from '../../src/plan/patternSafety.ts'

describe('checkSchema', () => {
  it('gives every problem with its place, in words', () => {
    const schema: JsonSchema = {
      type: 'object',
      properties: {
        a: { type: ['number', 'string'] },
        b: { enum: ['x', 'y'] },
        c: { $ref: '#/$defs/n' },
        'd/e f': { type: 'null' },
      },
      required: ['gone'],
      additionalProperties: false,
      $defs: { n: { type: 'integer', minimum: 3 } },
    }
    expect(checkSchema(schema, { a: true, b: 'z', c: 2, 'd/e f': [], more: 1 })).toEqual([
      { path: '', message: 'the property "gone" is missing', keyword: 'required' },
      { path: '/a', message: 'expected number or string, got true', keyword: 'type' },
      { path: '/b', message: 'expected ["x","y"], got "z"', keyword: 'enum' },
      { path: '/c', message: '2 is less than 3', keyword: 'minimum' },
      { path: '/d~1e f', message: 'expected null, got an array', keyword: 'type' },
      { path: '/more', message: 'there is no property "more" here', keyword: 'additionalProperties' },
    ])
  })

  it.each<[JsonSchema, Json, boolean]>([
    [true, 1, true],
    [false, 1, false],
    [{}, null, true],
    [{ const: 'a' }, 'a', true],
    [{ const: 'a' }, 'b', false],
    [{ const: [1] }, [1], true],
    [{ enum: [1, 'a'] }, 'a', true],
    [{ enum: [1, 'a'] }, '1', false],
    [{ anyOf: [{ type: 'string' }, { type: 'null' }] }, null, true],
    [{ prefixItems: [{ type: 'string' }], items: false }, ['a', 1], false],
    [{ if: { required: ['a'] }, then: { required: ['b'] } }, { a: 1 }, false],
    [{ type: 'array', contains: { const: 3 } }, [1, 3], true],
    [{ not: { type: 'string' } }, 'a', false],
    [{ format: 'date' }, '2024-02-30', false],
    [{ $defs: { list: { type: 'array', items: { $ref: '#/$defs/list' } } }, $ref: '#/$defs/list' }, [[], [[1]]], false],
  ])('judges %j on %j', (schema, value, fits) => {
    expect(checkSchema(schema, value).length === 0).toBe(fits)
  })

  it('J3: leaves the schema as it is, frozen or not', () => {
    const schema = deepFreeze({
      type: 'object',
      properties: { a: { $ref: '#/$defs/a' } },
      $defs: { a: { type: 'string' } },
    }) as JsonObject
    const text = JSON.stringify(schema)
    expect(checkSchema(schema, { a: 1 })).toHaveLength(1)
    expect(JSON.stringify(schema)).toBe(text)
  })

  it.each<[string, JsonSchema, RegExp]>([
    ['an unknown type', { type: 'strnig' }, /"strnig" is not a JSON Schema type/],
    ['a list in place of a schema', { properties: { a: [] } }, /is an object, true or false/],
    ['a reference into the network', { $ref: 'https://example.com/schema.json' }, /leads out of the schema/],
    ['a reference into nothing', { $ref: '#/$defs/gone' }, /leads nowhere/],
    ['a broken pattern', { pattern: '(' }, /not a regular expression/],
    ['a pattern without end', { patternProperties: { '(a+)+$': true } }, /for ever/],
    ['names that are numbers', { required: [1] }, /array of names/],
    ['no alternatives', { anyOf: [] }, /at least one schema/],
  ])('J1: reports %s as a problem', (_, schema, message) => {
    expect(checkSchema(schema, {})).toEqual([{ path: '', message: expect.stringMatching(message) as string }])
    expect(schemaProblems(schema)[0]?.message).toMatch(message)
  })

  it('J1: takes anything for a schema without throwing', () => {
    for (const schema of [
      null,
      1,
      'x',
      [],
      { properties: null },
      { $ref: 1 },
      { items: 'x' },
      { enum: 3 },
      { allOf: {} },
    ]) {
      expect(() => checkSchema(schema as JsonSchema, { a: 1 })).not.toThrow()
    }
    let deep: JsonSchema = {}
    for (let i = 0; i < 500; i++) deep = { not: deep }
    expect(checkSchema(deep, 1)).toHaveLength(1)
  })

  it('is not fooled by names that objects inherit', () => {
    const schema: JsonSchema = {
      type: 'object',
      properties: { toString: { type: 'string' } },
      required: ['constructor'],
    }
    expect(checkSchema(schema, {}).map(({ keyword }) => keyword)).toEqual(['required'])
    const polluting = JSON.parse(
      '{"type":"object","properties":{"__proto__":{"type":"number"}},"additionalProperties":false}',
    ) as JsonSchema
    expect(checkSchema(polluting, JSON.parse('{"__proto__":"x"}') as Json).length).toBeGreaterThan(0)
    expect(({} as Record<string, unknown>)['type']).toBeUndefined()
  })
})

describe('J2: patterns', () => {
  it.each([
    '(a+)+b',
    '(a|a)*',
    '(\\w+\\s?)*$',
    '(a*)*',
    '(a?b?)*c',
    '^(([a-z])+.)+[A-Z]([a-z])+$',
    '(x+x+)+y',
    '^(a|ab|b)*$',
    '^\\s*(\\S+\\s*)*$',
    '(?:(?:a|b)+)+c',
    '^(?=(a+)+$)',
    '(.{1,20})*x',
  ])('S1: refuses %s, which could take for ever', (pattern) => {
    expect(findPatternProblem(pattern)).toMatch(/for ever/)
  })

  it.each(['(a)\\1', '(?<n>a)\\k<n>', '(a?){30}b'])('refuses %s, which cannot be judged', (pattern) => {
    expect(findPatternProblem(pattern)).toMatch(/not accepted/)
  })

  it.each([
    '^(/[^/]+)+\\.csv$',
    '^\\d{4}-\\d\\d-\\d\\dT\\d\\d:\\d\\d(:\\d\\d(\\.\\d+)?)?(Z|[+-]\\d\\d:\\d\\d)$',
    '^([a-z0-9]+(-[a-z0-9]+)*\\.)+[a-z]{2,}$',
    '^[A-Za-z0-9][\\w\\-.:/[\\]]*$',
    '^(?=.*\\d)(?=.*[a-z]).{8,}$',
    '^(\\p{L}+ )*\\p{L}+$',
    '^([^,]*,){11}P',
    '^(ab|cd|ef)*$',
    '^\\u{1F600}+\\x41$',
    '[\\]\\-^]+',
    '^(\\d{1,3}\\.){3}(x{0,3},)*\\d{1,3}$',
    '',
  ])('S3: takes %s', (pattern) => {
    expect(findPatternProblem(pattern)).toBeUndefined()
  })

  it('S2: knows how long a text each can be tried on', () => {
    expect(longestText('^[a-z]+$')).toBe(Infinity)
    expect(longestText('^\\d+\\.\\d+\\.\\d+$')).toBe(Infinity)
    expect(longestText('\\d+$')).toBeLessThan(100_000)
    expect(longestText('^.*x.*y$')).toBeLessThan(100_000)
    expect(longestText('a*a*a*b')).toBeLessThan(1_000)
  })

  it('reports a text that is too long for its pattern, and leaves others alone', () => {
    const schema: JsonSchema = { properties: { a: { pattern: 'a*a*a*b' }, c: { type: 'string' } } }
    const long = 'a'.repeat(100_000)
    expect(checkSchema(schema, { a: long, c: long })).toEqual([
      { path: '/a', message: 'string is too long (100000 > 56)', keyword: 'maxLength' },
    ])
    expect(checkSchema(schema, { a: 'aab', c: long })).toEqual([])
    expect(checkSchema(schema, { a: 'aaa' })).toEqual([
      { path: '/a', message: 'string does not match pattern', keyword: 'pattern' },
    ])
  })

  it('finds a pattern that stands where no keyword leads, but a reference', () => {
    expect(schemaProblems({ $ref: '#/hidden/one', hidden: { one: { pattern: '(a+)+$' } } })[0]?.message).toMatch(
      /for ever/,
    )
  })

  it('takes properties for what they are, whatever they are called', () => {
    const schema: JsonSchema = {
      properties: { uniqueItems: true, pattern: { pattern: '.*a.*b' }, const: { pattern: '.*a.*b' } },
      additionalProperties: false,
    }
    expect(checkSchema(schema, { uniqueItems: [1, 1], pattern: 'xaxb' })).toEqual([])
    expect(checkSchema(schema, { pattern: 'b', const: 'b' })).toHaveLength(2)
    expect(checkSchema(schema, { const: 'a'.repeat(100_000) })).toEqual([
      expect.objectContaining({ keyword: 'maxLength' }),
    ])
  })

  it('does not try the formats whose own expressions could take for ever', () => {
    expect(checkSchema({ format: 'url' }, `http://${'a'.repeat(100)}!`)).toEqual([])
    expect(checkSchema({ format: 'email' }, 'a'.repeat(100_000))).toHaveLength(1)
    expect(checkSchema({ format: 'uuid' }, 'x')).toHaveLength(1)
  })

  it('is not caught in a reference that goes round', () => {
    expect(checkSchema({ $ref: '#' }, 1)).toHaveLength(1)
    expect(
      checkSchema({ $defs: { a: { $ref: '#/$defs/b' }, b: { $ref: '#/$defs/a' } }, $ref: '#/$defs/a' }, 1),
    ).toHaveLength(1)
  })

  it('does not compare the pairs of a very long list', () => {
    const list = Array.from({ length: 200_000 }, (_, i) => i)
    expect(checkSchema({ uniqueItems: true }, list)).toEqual([expect.objectContaining({ keyword: 'maxItems' })])
    expect(checkSchema({ uniqueItems: true }, [1, 2, 1])).toHaveLength(1)
  })
})
