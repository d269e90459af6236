// Pieces of an answer as they are told on: without keys, which servers and models repeat.
import type { Secrets } from '../secrets.ts'
import type { Pieces } from './gathered.ts'

export function withoutKeys({ onText, onArguments }: Pieces, keys: Secrets): Pieces & { readonly end: () => void } {
  const text = keys.takeOutOf(onText)
  const byName = new Map<string, ReturnType<Secrets['takeOutOf']>>()
  return {
    onText: text.piece,
    onArguments: (name, piece) => {
      let stream = byName.get(name)
      if (stream === undefined) {
        stream = keys.takeOutOf((safe) => {
          onArguments(name, safe)
        })
        byName.set(name, stream)
      }
      stream.piece(piece)
    },
    end: () => {
      text.end()
      for (const stream of byName.values()) stream.end()
    },
  }
}
