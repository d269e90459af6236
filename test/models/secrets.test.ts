// Keys in what a model says: in no piece, however it is cut, and in no answer.
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { secretsOf } from '../../src/models/secrets.ts'
import { openModelServer } from '../support/modelServer.ts'
import { hello, modelAt, never } from './calls.ts'
import '../support/seed.ts'

function inPieces(secrets: readonly string[], pieces: readonly string[]): readonly string[] {
  const told: string[] = []
  const stream = secretsOf(secrets).takeOutOf((piece) => void told.push(piece))
  for (const piece of pieces) stream.piece(piece)
  stream.end()
  return told
}

describe('a text in pieces', () => {
  /** Few letters: keys repeat within themselves and in each other. */
  const letters = (minLength: number) =>
    fc.string({ unit: fc.constantFrom('a', 'b', '1', '-'), minLength, maxLength: 12 })

  it('is told without keys, and otherwise as it is, however it is cut (K1)', () => {
    const text = fc.array(fc.oneof(letters(0), fc.constant('KEY'), fc.constant(' ')), { maxLength: 8 })
    fc.assert(
      fc.property(
        fc.array(letters(8), { minLength: 1, maxLength: 3 }),
        text,
        fc.array(fc.nat(9)),
        (keys, parts, cuts) => {
          const whole = parts.map((part) => (part === 'KEY' ? keys[0] : part)).join('')
          const pieces: string[] = []
          let at = 0
          for (const cut of cuts) pieces.push(whole.slice(at, (at += cut)))
          pieces.push(whole.slice(at))
          const told = inPieces(keys, pieces).join('')
          for (const key of keys) expect(told).not.toContain(key)
          if (!keys.some((key) => whole.includes(key))) expect(told).toBe(whole)
        },
      ),
    )
  })

  it('comes without delay where no key can begin', () => {
    expect(inPieces(['k3y-0123'], ['One ', 'two, k', 'ind', ' of k3', 'y-01', '23.'])).toEqual([
      'One ',
      'two, ',
      'kind',
      ' of ',
      '[redacted].',
    ])
  })
})

describe('a short key', () => {
  it('is taken out where it stands alone, unless it is a word that stands for none (K2)', () => {
    const { takeOut } = secretsOf(['a1b2', 'ollama', 'none', 'x'])
    expect(takeOut('a1b2, xa1b2, a1b23, (a1b2)')).toBe('[redacted], xa1b2, a1b23, ([redacted])')
    expect(takeOut('ollama has none of x')).toBe('ollama has none of x')
    expect(inPieces(['a1b2'], ['a1b', '2', '3 a1b2'])).toEqual(['a1b23 ', '[redacted]'])
  })
})

describe('an answer', () => {
  const key = 'k3y-of-somebody-0123'
  it.each(['chat', 'responses'] as const)('by %s holds no key, nor do its pieces and calls', async (api) => {
    const calls = [{ name: 'send', arguments: { to: key } }]
    await using server = await openModelServer([
      { text: `It is ${key}, you know.`, pieceLength: 3 },
      { text: `It is ${key}.`, whole: true },
      { calls, pieceLength: 5 },
      { refusal: `not with ${key}` },
    ])
    const model = modelAt(server.url, { api, apiKey: key, headers: { 'x-title': 'It is a title' } })
    const pieces: string[] = []
    const tools = [{ name: 'send', description: 'Sends.', input: { type: 'object' } }]
    const answers = []
    for (let call = 0; call < 4; call++)
      answers.push(
        await model.complete({ ...hello, tools }, { signal: never, onText: (piece) => void pieces.push(piece) }),
      )
    expect(JSON.stringify([answers, pieces, pieces.join('')])).not.toContain(key)
    expect(answers[0]?.text).toBe('It is [redacted], you know.')
    expect(pieces.join('')).toBe('It is [redacted], you know.It is [redacted].')
    expect(answers[2]?.calls[0]?.arguments).toBe('{"to":"[redacted]"}')
    expect(answers[3]?.refusal).toBe('not with [redacted]')
  })

  it.each(['not-needed', 'lm-studio'])('keeps words that only stand for a key: %s', async (apiKey) => {
    await using server = await openModelServer([{ text: `A key is ${apiKey}.` }])
    const { text } = await modelAt(server.url, { apiKey }).complete(hello, { signal: never })
    expect(text).toBe(`A key is ${apiKey}.`)
  })
})
