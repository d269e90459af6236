// Strict schemas: what servers take, and nothing of an answer lost on the way there and back.
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { strictSchema } from '../../src/models/json/strictSchema.ts'
import { faultsOf } from '../support/strictSubset.ts'
import { withoutAddedNulls } from '../../src/models/json/withoutAddedNulls.ts'
import { isJsonObject, type Json, type JsonObject } from '../../src/plan/json.ts'
import { checkSchema } from '../../src/plan/jsonSchemaCheck.ts'
import '../support/seed.ts'

/** A schema, and values that it takes. */
interface Sample {
  readonly schema: JsonObject
  readonly value: Json
}

const constrained = fc.oneof<fc.Arbitrary<Sample>[]>(
  fc.string({ maxLength: 5 }).map((value) => ({ schema: { type: 'string', maxLength: 20, title: 'a text' }, value })),
  fc.integer({ min: 0, max: 9 }).map((value) => ({ schema: { type: 'integer', minimum: 0, default: 1 }, value })),
  fc.boolean().map((value) => ({ schema: { type: ['boolean', 'null'] }, value })),
  fc.constantFrom('a', 'b').map((value) => ({ schema: { enum: ['a', 'b'] }, value })),
  fc.constant({ schema: { const: 'fixed' }, value: 'fixed' }),
  fc.constant({ schema: { type: 'null' }, value: null }),
  fc.constant({ schema: { $ref: '#/$defs/node' }, value: { name: 'n', next: { name: 'm' } } }),
)

const node = {
  type: 'object',
  properties: { name: { type: 'string' }, next: { $ref: '#/$defs/node' } },
  required: ['name'],
}

const names = fc.constantFrom('id', 'why', 'a/b', '~', 'item', '__proto__x')

const { sample } = fc.letrec<{ sample: Sample; object: Sample }>((tie) => ({
  sample: fc.oneof(
    { maxDepth: 3, withCrossShrink: true },
    constrained,
    tie('object'),
    fc.tuple(tie('sample'), fc.integer({ min: 0, max: 3 })).map(([{ schema, value }, length]) => ({
      schema: { type: 'array', items: schema, uniqueItems: false },
      value: Array.from({ length }, () => value),
    })),
    fc.tuple(tie('object'), tie('object'), fc.boolean()).map(([a, b, isFirst]) => ({
      schema: { anyOf: [tagged(a, 'one').schema, tagged(b, 'two').schema] },
      value: isFirst ? tagged(a, 'one').value : tagged(b, 'two').value,
    })),
  ),
  object: fc
    .uniqueArray(fc.tuple(names, tie('sample'), fc.constantFrom('required', 'there', 'left out')), {
      selector: ([name]) => name,
      maxLength: 4,
    })
    .map((properties) => ({
      schema: {
        type: 'object',
        properties: Object.fromEntries(properties.map(([name, { schema }]) => [name, schema])),
        required: properties.filter(([, , presence]) => presence === 'required').map(([name]) => name),
        additionalProperties: false,
      },
      value: Object.fromEntries(
        properties.filter(([, , presence]) => presence !== 'left out').map(([name, { value }]) => [name, value]),
      ),
    })),
}))

function tagged({ schema, value }: Sample, tag: string): Sample {
  const { properties, required } = schema as { properties: JsonObject; required: string[] }
  return {
    schema: { ...schema, properties: { ...properties, tag: { const: tag } }, required: [...required, 'tag'] },
    value: { ...(value as JsonObject), tag },
  }
}

const wholes = fc.tuple(sample, fc.boolean()).map(([{ schema, value }, isThere]): Sample => ({
  schema: { type: 'object', properties: { part: schema }, required: isThere ? ['part'] : [], $defs: { node } },
  value: isThere ? { part: value } : {},
}))

/** The answer of a strict server that means this value: what is left out is null. */
function asStrict(strict: Json | undefined, value: Json, root: JsonObject): Json {
  if (!isJsonObject(strict)) return value
  if (typeof strict['$ref'] === 'string')
    return asStrict((root['$defs'] as JsonObject)[strict['$ref'].split('/')[2]!], value, root)
  if (Array.isArray(strict['anyOf'])) {
    const forms = (strict['anyOf'] as readonly Json[]).map((each) => asStrict(each, value, root))
    return forms.find((form, index) => fits((strict['anyOf'] as readonly Json[])[index], form, root)) ?? value
  }
  if (Array.isArray(value)) return (value as readonly Json[]).map((item) => asStrict(strict['items'], item, root))
  if (!isJsonObject(value) || !isJsonObject(strict['properties'])) return value
  const { properties } = strict
  return Object.fromEntries(
    Object.keys(properties).map((name) => [
      name,
      Object.hasOwn(value, name) ? asStrict(properties[name], value[name]!, root) : null,
    ]),
  )
}

function fits(schema: Json | undefined, value: Json, root: JsonObject): boolean {
  return checkSchema({ ...(schema as JsonObject), $defs: root['$defs'] ?? {} }, value).length === 0
}

describe('a strict schema', () => {
  it('keeps to what servers take (T1), takes every value in its form, and gives it back (T2)', () => {
    fc.assert(
      fc.property(wholes, ({ schema, value }) => {
        expect(checkSchema(schema, value)).toEqual([])
        const strict = strictSchema(schema)
        if (!strict.isStrict) throw new Error(`${strict.path}: ${strict.why}`)
        expect(faultsOf(strict.schema)).toEqual([])
        const answer = asStrict(strict.schema, value, strict.schema)
        expect(checkSchema(strict.schema, answer)).toEqual([])
        const back = withoutAddedNulls(schema, answer)
        expect(checkSchema(schema, back)).toEqual([])
        // A property that may be null by itself and was left out comes back as null: the answer does not tell.
        expect(withoutNulls(back)).toEqual(withoutNulls(value))
        expect(withoutAddedNulls(schema, back)).toEqual(back)
      }),
    )
  })

  it('says in words what it cannot say otherwise', () => {
    const schema = {
      type: 'object',
      properties: { name: { type: 'string', description: 'A name.', minLength: 1, format: 'uri' } },
      required: ['name'],
    }
    expect(strictSchema(schema)).toMatchObject({
      isStrict: true,
      schema: { properties: { name: { type: 'string', description: 'A name. (minLength 1, format uri)' } } },
    })
  })

  it.each<[string, Json, string]>([
    ['any value', {}, '/properties/a'],
    ['a record', { type: 'object', additionalProperties: { type: 'string' } }, '/properties/a'],
    ['an object of which nothing is known', { type: 'object' }, '/properties/a'],
    ['several schemas at once', { allOf: [{ type: 'string' }, { minLength: 1 }] }, '/properties/a/allOf'],
    ['a tuple', { type: 'array', prefixItems: [{ type: 'string' }] }, '/properties/a/prefixItems'],
    ['a list of anything', { type: 'array' }, '/properties/a/items'],
  ])('cannot say %s, and says where (T3)', (_what, part, path) => {
    expect(strictSchema({ type: 'object', properties: { a: part } })).toMatchObject({ isStrict: false, path })
  })

  it('has to be an object as a whole', () => {
    expect(strictSchema({ type: 'array', items: { type: 'string' } })).toMatchObject({ isStrict: false, path: '' })
    expect(strictSchema(true)).toMatchObject({ isStrict: false })
  })

  it('leaves every null that the schema asks for (N1)', () => {
    const schema = {
      type: 'object',
      properties: { a: { type: ['string', 'null'] }, b: { type: 'string' }, c: {} },
      required: ['b'],
    }
    expect(withoutAddedNulls(schema, { a: null, b: null, c: null, d: null })).toEqual({
      a: null,
      b: null,
      c: null,
      d: null,
    })
    expect(withoutAddedNulls(schema, [{ b: null }])).toEqual([{ b: null }])
  })

  it('takes nulls out wherever the schema leads: by references, and beside what stands for a fixed value', () => {
    const part = { type: 'object', properties: { mode: { enum: ['r', 'w'] }, why: { type: 'string' } } }
    const schema = { type: 'object', properties: { part: { $ref: '#/$defs/a%20part' } }, $defs: { 'a part': part } }
    expect(withoutAddedNulls(schema, { part: { mode: 'r', why: null } })).toEqual({ part: { mode: 'r' } })
    const mode = { $from: 'step', path: '/mode' }
    expect(withoutAddedNulls(schema, { part: { mode, why: null } })).toEqual({ part: { mode } })
    expect(withoutAddedNulls(schema, { part: { mode: 'x', why: null } })).toEqual({ part: { mode: 'x', why: null } })
  })
})

function withoutNulls(value: Json): Json {
  if (Array.isArray(value)) return (value as readonly Json[]).map(withoutNulls)
  if (!isJsonObject(value)) return value
  return Object.fromEntries(
    Object.entries(value).flatMap(([name, part]) => (part === null ? [] : [[name, withoutNulls(part)]])),
  )
}
