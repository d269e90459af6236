// The JSON of an answer while it is being written: a fence or thoughts before it, and what comes after it, are left out.
//
// P1. What is told is one value from its first sign to its last, in pieces that do not depend on the cut of those that came.
//     (Their texts together do not.)
// P2. Each sign is looked at once.
// P3. It is the answer's beginning, or nothing is told: of a draft among words nobody knows that it is one until all has been read.

/** Follows objects, lists and texts to where the value that began with the first sign ends. */
class Nesting {
  #depth = 0
  #isInString = false
  #isEscaped = false

  /** @returns the place after the end, where the value ends in this text */
  follow(text: string, from: number): number | undefined {
    for (let at = from; at < text.length; at++) {
      const code = text.charCodeAt(at)
      if (this.#isEscaped) this.#isEscaped = false
      else if (this.#isInString) {
        if (code === backslash) this.#isEscaped = true
        else if (code === quote) this.#isInString = false
      } else if (code === quote) this.#isInString = true
      else if (code === openBrace || code === openBracket) this.#depth += 1
      else if (code === closeBrace || code === closeBracket) {
        this.#depth -= 1
        if (this.#depth <= 0) return at + 1
      }
    }
    return undefined
  }
}

const quote = 34
const backslash = 92
const openBracket = 91
const closeBracket = 93
const openBrace = 123
const closeBrace = 125

/** The place after the object or list that begins at `start`; `undefined` where it does not end. */
export function endOfJson(text: string, start: number): number | undefined {
  return new Nesting().follow(text, start)
}

/** Passes on the JSON object that an answer begins with: after white space, an opening fence, or thoughts that were closed (P3).
 *
 * @returns what takes the pieces
 */
export function jsonPieces(onPiece: (piece: string) => void): (piece: string) => void {
  /** What cannot be judged yet. */
  let held = ''
  let state: 'before' | 'thinking' | 'fenced' | 'within' | 'after' = 'before'
  let mayThink = true
  const nesting = new Nesting()
  const pass = (text: string): void => {
    const end = nesting.follow(text, 0)
    onPiece(end === undefined ? text : text.slice(0, end))
    if (end !== undefined) state = 'after'
  }
  return (piece) => {
    if (state === 'within') pass(piece)
    if (state === 'within' || state === 'after') return
    held += piece
    if (state === 'before' && mayThink) {
      held = held.trimStart()
      if ('<thinking>'.startsWith(held) || held === '<think') return
      if (/^<think(?:ing)?>/.test(held)) state = 'thinking'
      mayThink = false
    }
    if (state === 'thinking') {
      const end = /<\/think(?:ing)?>/.exec(held)
      held = end === null ? held.slice(-longestEnd) : held.slice(end.index + end[0].length)
      if (end === null) return
      state = 'before'
    }
    held = held.trimStart()
    const fence = state === 'before' ? /^```[a-zA-Z]{0,10}[ \t]{0,10}\r?\n/.exec(held) : null
    if (fence !== null) {
      state = 'fenced'
      held = held.slice(fence[0].length).trimStart()
    }
    if (held === '' || (state === 'before' && /^`{1,3}(?:$|(?<=```)[a-zA-Z]{0,10}[ \t]{0,10}\r?$)/.test(held))) return
    if (!held.startsWith('{')) {
      state = 'after' // P3
      held = ''
      return
    }
    state = 'within'
    const text = held
    held = ''
    pass(text)
  }
}

const longestEnd = '</thinking>'.length
