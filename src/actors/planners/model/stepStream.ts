// Steps out of a plan that is still being written: each as its last brace closes.
//
// T1. Only an answer that begins as JSON (or as JSON in a fence, or after thoughts) is read so; any other is read when it is whole.
// T2. Text may come in pieces of any kind, split within a character or an escape.
// T3. Of an answer that comes in one piece it is told that it does: what it goes on with may take back what it began with.
// T4. It says nothing of what is wrong: whoever reads the whole does. Time grows with the text, not faster.
import { JSONParser } from '@streamparser/json'
import { jsonPieces } from '../../../models/json/jsonPieces.ts'
import type { Json } from '../../../plan/json.ts'

/** @param isWhole the answer is there already, and nothing is gained by not reading all of it first */
type OnStep = (step: Json, isWhole: boolean) => void

export class StepStream {
  readonly #onStep: OnStep
  readonly #parser = new JSONParser({ paths: ['$.steps.*'], keepStack: false })
  readonly #pass = jsonPieces((piece) => {
    if (this.#hasBegun) this.#feed(piece)
    else this.#begin(piece)
  })
  #hasBegun = false
  /** Steps that come with the beginning. */
  #first: Json[] | undefined
  /** What has come since the last brace that may have closed a step: feeding costs more than the signs do. */
  #waiting: string[] = []
  #isOver = false

  /** @param onStep told each step as it stands in the text, once, in order. */
  constructor(onStep: OnStep) {
    this.#onStep = onStep
    this.#parser.onValue = ({ value, stack }) => {
      if (stack.length !== 2 || this.#isOver) return
      if (this.#first === undefined) this.#onStep(value as Json, false)
      else this.#first.push(value as Json)
    }
    this.#parser.onError = () => {
      this.#isOver = true
    }
    this.#parser.onEnd = () => {
      this.#isOver = true
    }
  }

  write(piece: string): void {
    if (!this.#isOver) this.#pass(piece)
  }

  /** Steps of the first piece are told once it is known whether it was all (T3). */
  #begin(text: string): void {
    this.#hasBegun = true
    const first: Json[] = []
    this.#first = first
    this.#feed(text)
    this.#first = undefined
    for (const step of first) this.#onStep(step, this.#isOver)
  }

  #feed(piece: string): void {
    const end = piece.lastIndexOf('}') + 1
    if (end === 0) {
      this.#waiting.push(piece)
      return
    }
    const text = this.#waiting.join('') + piece.slice(0, end)
    this.#waiting = end < piece.length ? [piece.slice(end)] : []
    try {
      this.#parser.write(text) // it ends with a brace, and so within no character (T2)
    } catch {
      this.#isOver = true // T4
    }
  }
}
