// Tool calls that come in pieces: put together by index and, where servers number wrongly or not at all, by id and by name.
//
// L1. What was written for one call never goes to another: a name begins a call where the open one has a name already, unless both
//     tell the same id and the same name, as servers do that repeat them with each piece.
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
    const call = this.#find({ index, id, name }) ?? this.#begin(index)
    if (id !== '') call.id = id
    if (call.name === '') call.name = name
    if (piece !== '') call.pieces.push(piece)
    return call.name
  }

  /** What a call comes to, as it is told at its end. @returns the piece that had not come before */
  complete(whole: CallPiece): CallPiece {
    const { index, id } = whole
    const told = index === undefined ? this.#calls.find((call) => call.id === id) : this.#byIndex.get(index)
    const rest = { ...whole, ...(told !== undefined && { name: '', id: '' }) }
    return told === undefined || told.pieces.length === 0 ? rest : { ...rest, arguments: '' }
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

  #find({ index, id, name }: Omit<CallPiece, 'arguments'>): OpenCall | undefined {
    const call = index === undefined ? this.#calls.at(-1) : this.#byIndex.get(index)
    if (call === undefined) return undefined
    if (id !== '' && call.id !== '' && call.id !== id)
      return this.#calls.find((other) => other.id === id && other.key === index && (name === '' || other.name === name))
    if (name === '' || call.name === '') return call
    return id !== '' && call.id === id && call.name === name ? call : undefined // L1
  }

  #begin(index: number | undefined): OpenCall {
    const call: OpenCall = { key: index, id: '', name: '', pieces: [] }
    this.#calls.push(call)
    if (index !== undefined) this.#byIndex.set(index, call)
    return call
  }
}
