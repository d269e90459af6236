import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import type { JsonObject } from '../../../src/plan/json.ts'
import { carryOut } from '../../../src/tools/carryOut.ts'
import { templateRenderTool } from '../../../src/tools/template/templateRender.ts'
import { failureOf, outputOf } from '../results.ts'
import { toolContext } from '../toolContext.ts'

const render = (template: string, data: JsonObject = {}, more: JsonObject = {}, options = {}) =>
  carryOut(templateRenderTool(options), { template, data, ...more }, toolContext())
const text = async (...given: Parameters<typeof render>) => outputOf(await render(...given))['text']

describe('template_render', () => {
  it.each<[string, JsonObject, string]>([
    ['Hello {{name}}!', { name: 'Ada' }, 'Hello Ada!'],
    ['{{a.b.c}}', { a: { b: { c: 1.5 } } }, '1.5'],
    ['{{#rows}}{{name}}={{n}};{{/rows}}', { rows: [{ name: 'a', n: 0 }, { name: 'b', n: 2 }] }, 'a=0;b=2;'], // prettier-ignore
    ['{{#rows}}{{.}},{{/rows}}', { rows: [1, 'x', true] }, '1,x,true,'],
    ['{{^rows}}none{{/rows}}', { rows: [] }, 'none'],
    ['{{#on}}yes{{/on}}{{^on}}no{{/on}}', { on: false }, 'no'],
    ['{{#user}}{{name}} of {{team}}{{/user}}', { user: { name: 'Ada' }, team: 'x' }, 'Ada of x'],
    ['{{rows.length}} rows, first {{rows.0}}', { rows: ['a', 'b'] }, '2 rows, first a'],
    ['[{{nothing}}]', { nothing: null }, '[]'],
    ['{{! a comment }}{{=<% %>=}}<% x %>{{x}}', { x: 1 }, '1{{x}}'],
    ['{{zero}}{{empty}}', { zero: 0, empty: '' }, '0'],
    ['<b>{{x}}</b>', { x: '<&"' }, '<b><&"</b>'],
  ])('renders %s', async (template, data, expected) => {
    expect(await text(template, data)).toBe(expected)
  })

  it('escapes for HTML where asked to, except what says otherwise', async () => {
    const data = { x: `<a href="x">'&` }
    expect(await text('{{x}}', data, { escape: 'html' })).toBe('&lt;a href&#x3D;&quot;x&quot;&gt;&#39;&amp;')
    expect(await text('{{{x}}}{{&x}}', data, { escape: 'html' })).toBe(data.x + data.x)
  })

  it('lets no text through as markup, whatever it is', async () => {
    await fc.assert(
      fc.asyncProperty(fc.string({ unit: 'binary' }), async (x) => {
        expect(await text('{{x}}{{#rows}}{{.}}{{/rows}}', { x, rows: [x] }, { escape: 'html' })).not.toMatch(/[<>"']/)
      }),
    )
  })

  it('includes partials', async () => {
    expect(
      await text('{{#rows}}{{> row}}{{/rows}}', { rows: [{ n: 1 }, { n: 2 }] }, { partials: { row: '<{{n}}>' } }),
    ).toBe('<1><2>')
  })

  it.each<[string, JsonObject]>([
    ['{{name}}', {}],
    ['{{user.name}}', { user: {} }],
    ['{{user.name.first}}', { user: { name: 'Ada' } }],
    ['{{#rows}}x{{/rows}}', {}],
    ['{{^rows}}x{{/rows}}', {}],
    ['{{> footer}}', {}],
    ['{{#user}}{{user.nme}}{{/user}}', { user: { name: 'Ada' } }],
    ['{{constructor}}', {}],
    ['{{a.constructor.name}}', { a: {} }],
    ['{{a.toString}}', { a: 'text' }],
    ['{{__proto__}}', {}],
    ['{{> toString}}', {}],
  ])('fails at a name that leads nowhere: %s', async (template, data) => {
    expect(failureOf(await render(template, data))).toMatchObject({ code: 'VALUE_MISSING', retryable: false })
    expect(await text(template, data, { missing: 'empty' })).toMatch(/^x?$/)
  })

  it('names what is missing, and what there is', async () => {
    const failure = failureOf(await render('{{#user}}{{nme}}{{/user}}', { user: { name: 'Ada' }, team: 'x' }))
    expect(failure.message).toContain('"nme"')
    expect(failure.hint).toContain('name, user, team')
  })

  it.each(['{{#a}}', '{{/a}}', '{{#a}}{{/b}}', '{{a', '{{=x}}'])('says that %s is no template', async (template) => {
    expect(failureOf(await render(template, { a: 1 }))).toMatchObject({
      code: 'TEMPLATE_INVALID',
      path: '/template',
      retryable: false,
    })
  })

  it.each(['{{x}}', '{{{x}}}', '{{&x}}'])('does not print "[object Object]" for %s', async (template) => {
    expect(failureOf(await render(template, { x: { a: 1 } }))).toMatchObject({ code: 'VALUE_NOT_TEXT' })
    expect(failureOf(await render(template, { x: [1] }))).toMatchObject({ code: 'VALUE_NOT_TEXT' })
  })

  it('ends, however it includes itself or multiplies', async () => {
    const list = Array.from({ length: 300 }, () => 0)
    expect(failureOf(await render('{{> a}}', {}, { partials: { a: 'x{{> a}}' } }))).toMatchObject({
      code: 'TEXT_TOO_LARGE',
    })
    expect(failureOf(await render('{{#r}}{{#r}}{{#r}}{{#r}}x{{/r}}{{/r}}{{/r}}{{/r}}', { r: list }))).toMatchObject({
      code: 'TEXT_TOO_LARGE',
    })
    expect(failureOf(await render('{{#r}}{{#r}}{{#r}}{{#r}}{{/r}}{{/r}}{{/r}}{{/r}}', { r: list }))).toMatchObject({
      code: 'TEXT_TOO_LARGE',
    })
    expect(failureOf(await render('{{x}}{{x}}', { x: 'x'.repeat(60) }, {}, { maxBytes: 100 }))).toMatchObject({
      code: 'TEXT_TOO_LARGE',
    })
    expect(failureOf(await render('{{#a}}'.repeat(60) + '{{/a}}'.repeat(60), { a: true }))).toMatchObject({
      code: 'TEXT_TOO_LARGE',
    })
  })

  it('keeps no template of an earlier call', async () => {
    expect(await text('{{x}}', { x: 1 })).toBe('1')
    expect(await text('{{x}}', { x: 2 })).toBe('2')
  })
})
