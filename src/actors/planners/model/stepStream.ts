// Steps out of a plan that is still being written: each as its last brace closes.
//
// T1. Only an answer that begins as JSON (or as JSON in a fence) is read so; any other is read when it is whole.
// T2. Text may come in pieces of any kind, split within a character or an escape.
// T3. Of an answer that comes in one piece it is told that it does: what it goes on with may take back what it began with.
// T4. It says nothing of what is wrong: whoever reads the whole does. Time grows with the text, not faster.
import { JSONParser } from '@streamparser/json'
import type { Json } from '../../../plan/json.ts'

/** @param isWhole the answer is there already, and nothing is gained by not reading all of it first */
type OnStep = (step: Json, isWhole: boolean) => void

export class StepStream {
  readonly #onStep: OnStep
  readonly #parser = new JSONParser({ paths: ['$.steps.*'], keepStack: false })
  /** Text before it is known whether it begins as JSON; undefined afterwards. */
  #beginning: string | undefined = ''
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
    if (this.#isOver) return
    if (this.#beginning === undefined) {
      this.#feed(piece)
      return
    }
    this.#beginning += piece
    const start = beginOf(this.#beginning)
    if (start === 'unknown') return
    const text = this.#beginning
    this.#beginning = undefined
    if (start === 'words') this.#isOver = true
    else this.#begin(text.slice(start))
  }

  /** Steps of the first piece are told once it is known whether it was all (T3). */
  #begin(text: string): void {
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

const longestBeginning = 200

/** Where the JSON begins. */
function beginOf(text: string): number | 'unknown' | 'words' {
  const blank = /^[\s\ufeff]*(?:```[a-zA-Z]{0,10}[ \t]*\r?\n\s*)?/.exec(text)?.[0].length ?? 0
  const sign = text[blank]
  if (sign === '{') return blank
  if (sign === undefined) return 'unknown'
  const couldBeFence = /^`{1,3}[a-zA-Z]{0,10}[ \t]*\r?$/.test(text.trimStart())
  return couldBeFence && text.length < longestBeginning ? 'unknown' : 'words'
}
