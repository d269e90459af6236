// Bytes that something has happened to on their way: changed, cut off, left out, doubled, put in between; and how they are cut.
import fc from 'fast-check'

export type Mutation =
  | { readonly type: 'set'; readonly at: number; readonly byte: number }
  | { readonly type: 'cut'; readonly at: number }
  | { readonly type: 'drop' | 'double'; readonly at: number; readonly length: number }
  | { readonly type: 'insert'; readonly at: number; readonly text: string }

const place = fc.double({ min: 0, max: 1, noNaN: true })
export const mutation = fc.oneof<fc.Arbitrary<Mutation>[]>(
  fc.record({ type: fc.constant('set' as const), at: place, byte: fc.integer({ min: 0, max: 255 }) }),
  fc.record({ type: fc.constant('cut' as const), at: place }),
  fc.record({
    type: fc.constantFrom('drop' as const, 'double' as const),
    at: place,
    length: fc.integer({ min: 1, max: 80 }),
  }),
  fc.record({
    type: fc.constant('insert' as const),
    at: place,
    text: fc.constantFrom(
      '\n\n',
      'data: ',
      '{',
      '"',
      'null',
      '\u0000',
      'data: null\n\n',
      'data: {"choices": [null]}\n\n',
      'data: {"choices": [{"delta": {"tool_calls": [null, {"function": 7}]}}]}\n\n',
      'data: {"type": "response.completed", "response": null}\n\n',
      'data: {"error": {}}\n\n',
      'data: [DONE]\n\n',
    ),
  }),
)

export function mutate(bytes: Buffer, mutations: readonly Mutation[]): Buffer {
  return mutations.reduce((mutated, change) => {
    const at = Math.floor(change.at * mutated.length)
    const [before, after] = [mutated.subarray(0, at), mutated.subarray(at)]
    switch (change.type) {
      case 'set':
        return Buffer.concat([before, Buffer.from([change.byte]), after.subarray(1)])
      case 'cut':
        return before
      case 'drop':
        return Buffer.concat([before, after.subarray(change.length)])
      case 'double':
        return Buffer.concat([before, after.subarray(0, change.length), after])
      case 'insert':
        return Buffer.concat([before, Buffer.from(change.text), after])
    }
  }, bytes)
}

export const cuts = fc.array(fc.integer({ min: 1, max: 200 }), { minLength: 1, maxLength: 6 })
