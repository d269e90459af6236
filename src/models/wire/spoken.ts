// What a model has said so far, whichever API it comes by: text, a refusal, calls of tools, and what the server tells of itself.
import type { AnswerEnd } from '../model.ts'
import type { TokenCount } from '../usage.ts'
import { CallList, type CallPiece } from './callList.ts'
import { textIn, type Gathered, type Pieces } from './gathered.ts'

export class Spoken {
  readonly calls = new CallList()
  usage: TokenCount | undefined
  readonly #pieces: Pieces
  readonly #text: string[] = []
  readonly #refusal: string[] = []
  #model: string | undefined

  constructor(pieces: Pieces) {
    this.#pieces = pieces
  }

  /** All of it, for the bill of an answer that breaks off. */
  get written(): string {
    return [...this.#text, ...this.#refusal, this.calls.written].join('')
  }

  say(text: string): void {
    if (text === '') return
    this.#text.push(text)
    this.#pieces.onText(text)
  }

  refuse(words: unknown): void {
    this.#refusal.push(textIn(words))
  }

  /** A piece of a call, which may be its first one. */
  call(piece: CallPiece): void {
    const name = this.calls.add(piece)
    if (piece.arguments !== '') this.#pieces.onArguments(name, piece.arguments)
  }

  /** A call as it is told at its end: what of it has come in pieces is not taken twice. */
  endCall(whole: CallPiece): void {
    this.call(this.calls.complete(whole))
  }

  get isSilent(): boolean {
    return this.#text.length === 0 && this.#refusal.join('') === '' && this.calls.count === 0
  }

  /** The model, as the server names it. */
  nameModel(name: unknown): void {
    this.#model = textIn(name) || this.#model
  }

  /** @param end how the server says that it ended; nothing where it came to its end */
  gathered(end: AnswerEnd | undefined): Gathered {
    const calls = this.calls.finished()
    const refusal = this.#refusal.join('')
    return {
      end: refusal === '' ? (end ?? (calls.length > 0 ? 'calls' : 'stop')) : 'refused',
      text: this.#text.join(''),
      calls,
      refusal: refusal === '' ? undefined : refusal,
      model: this.#model,
      usage: this.usage,
    }
  }
}
