// Tool calls that come in pieces: put together by index and, where servers number wrongly or not at all, by id.
import { AnswerFault, type GatheredCall } from './gathered.ts'

interface OpenCall {
  readonly key: number | undefined
  id: string
  name: string
  readonly pieces: string[]
}

export interface CallPiece {
  readonly index: number | undefined
  readonly id: string
  readonly name: string
  readonly arguments: string
}

export class CallList {
  readonly #calls: OpenCall[] = []
  readonly #byIndex = new Map<number, OpenCall>()

  /** @returns the name of the call that the piece belongs to, as far as it is known. */
  add({ index, id, name, arguments: piece }: CallPiece): string {
    const call = this.#find(index, id) ?? this.#begin(index)
    if (id !== '') call.id = id
    if (call.name === '') call.name = name
    if (piece !== '') call.pieces.push(piece)
    return call.name
  }

  get count(): number {
    return this.#calls.length
  }

  /** Names and arguments as far as they were written. */
  get written(): string {
    return this.#calls.map(({ name, pieces }) => `${name}${pieces.join('')}`).join('')
  }

  finished(): GatheredCall[] {
    const taken = new Set<string>()
    return this.#calls.map(({ id, name, pieces }, index) => {
      if (name === '') throw new AnswerFault('a tool call without a name')
      let own = id === '' ? `call_${index}` : id
      while (taken.has(own)) own = `${own}_${index}` // results are matched by id
      taken.add(own)
      return { id: own, name, arguments: pieces.join('') }
    })
  }

  #find(index: number | undefined, id: string): OpenCall | undefined {
    const call = index === undefined ? this.#calls.at(-1) : this.#byIndex.get(index)
    const isAnother = id !== '' && call !== undefined && call.id !== '' && call.id !== id
    return isAnother ? this.#calls.find((other) => other.id === id && other.key === index) : call
  }

  #begin(index: number | undefined): OpenCall {
    const call: OpenCall = { key: index, id: '', name: '', pieces: [] }
    this.#calls.push(call)
    if (index !== undefined) this.#byIndex.set(index, call)
    return call
  }
}
