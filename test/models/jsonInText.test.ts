// Finding the JSON in what a model wrote.
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { jsonInText, readObject } from '../../src/models/json/jsonInText.ts'
import { jsonPieces } from '../../src/models/json/jsonPieces.ts'
import '../support/seed.ts'

describe('JSON in a text', () => {
  it.each<[string, unknown]>([
    ['{"a": 1}', { a: 1 }],
    ['  42 ', 42],
    ['null', null],
    ['```json\n{"a": 1}\n```', { a: 1 }],
    ['Sure! ```\n[1, {"b": "```"}]\n``` Done.', [1, { b: '```' }]],
    ['Here [1] it is, {as} you asked: {"a": "}"} (see [2]).', { a: '}' }],
    ['As in [1, 2 of it: {"a": [1]}', { a: [1] }],
    ['<think>{"a": 0} or not</think>\n{"a": 1}', { a: 1 }],
    ['Maybe {"a": 0}. No.</think>\n{"a": 1}', { a: 1 }],
    ['{"a": "</think>"} is it', { a: '</think>' }],
    ['{"a": 1}\nAgain:\n{"a": 1}', { a: 1 }],
  ])('%j is %j', (text, value) => {
    expect(jsonInText(text)).toEqual(value)
  })

  it.each([
    ['', 'JSON_MISSING'],
    ['I cannot do that.', 'JSON_MISSING'],
    ['{"a": 1', 'JSON_CUT_SHORT'],
    ['Here: {"a": "b', 'JSON_CUT_SHORT'],
    ["{'a': 1}", 'JSON_MISSING'],
    ['{"a": 1,}', 'JSON_BROKEN'],
    ['{"a": oops}', 'JSON_BROKEN'],
    ['By [1 2]: {"a": 1', 'JSON_CUT_SHORT'],
    ['{"a": 1} {"a": 2}', 'JSON_SEVERAL'],
    ['<think>{"a": 1}', 'JSON_MISSING'],
  ])('%j is %s, and nothing is guessed', (text, code) => {
    expect(() => jsonInText(text)).toThrow(expect.objectContaining({ code }))
  })

  it.each<[string, unknown]>([
    ['With {"an": "example"} in mind: {"steps": []}', { value: { steps: [] } }],
    ['{"an": "example"}', { value: { an: 'example' } }],
    ['<think>{"steps": [1]}?</think> {"steps": []}', { value: { steps: [] } }],
    ['{"steps": []} or {"steps": [1]}', { problem: expect.stringContaining('2 JSON values') }],
    ['{"steps": []} or {"steps": [', { problem: expect.stringContaining('before it is complete') }],
    ['[{"steps": []}]', { problem: 'It is a list, and must be an object.' }],
    ['', { problem: expect.stringContaining('empty') }],
  ])('of %j, "steps" says which object is the answer (J3)', (text, read) => {
    expect(readObject(text, ['steps', 'giveUp'])).toEqual(read)
  })

  it('is found whatever object it is and whatever words without brackets are around it', () => {
    const words = fc.string().map((text) => text.replace(/[{[<]/g, ''))
    fc.assert(
      fc.property(fc.dictionary(fc.string(), fc.jsonValue()), words, words, (object, before, after) => {
        const text = JSON.stringify(object)
        expect(JSON.stringify(jsonInText(`${before} ${text} ${after}`))).toBe(JSON.stringify(JSON.parse(text)))
      }),
    )
  })

  it('comes in pieces as it comes whole, wherever it is cut', () => {
    const beginnings = fc.constantFrom(
      '',
      '\n ',
      '```json\n',
      '\ufeff```\r\n\n',
      '<think>{"no": 1}</think>',
      '<thinking>`{</thinking>\n```\n',
    )
    const sizes = fc.array(fc.integer({ min: 1, max: 9 }), { minLength: 1 })
    fc.assert(
      fc.property(
        fc.dictionary(fc.string(), fc.jsonValue()),
        beginnings,
        fc.string(),
        sizes,
        (object, before, after, cuts) => {
          const json = JSON.stringify(object)
          const text = `${before}${json}${after}`
          const told: string[] = []
          const take = jsonPieces((piece) => void told.push(piece))
          for (let at = 0, turn = 0; at < text.length; turn++) {
            const size = cuts[turn % cuts.length]!
            take(text.slice(at, at + size))
            at += size
          }
          expect(told.join('')).toBe(json)
        },
      ),
    )
  })

  it.each(['Maybe {"a": 1}', 'It is no </think> {"a": 1}', '``x {"a": 1}', '[{"a": 1}]', '<b>{"a": 1}'])(
    'comes in no pieces where the answer begins otherwise: %s',
    (text) => {
      const told: string[] = []
      const take = jsonPieces((piece) => void told.push(piece))
      for (const sign of text) take(sign)
      expect(told).toEqual([])
    },
  )
})
