// Long texts for a model: the beginning of each, and a note of how to get more.
import { fence } from '../../fence.ts'
import { names } from './builtins.ts'

/** Characters of all texts together that are kept for more of them to be read. */
const mostKept = 20_000_000

export class ShownTexts {
  readonly #characters: number
  /** Only those that were cut, the oldest first. */
  readonly #kept = new Map<string, string>()
  #size = 0

  constructor(characters: number) {
    this.#characters = characters
  }

  /** Encloses a text as data, cut where it is long.
   * @param label under which more of it can be read: a word of ours. */
  show(label: string, text: string): string {
    if (text.length <= this.#characters) return fence(label, text)
    this.#keep(label, text)
    return this.#part(label, text, 0)
  }

  /** More of a text that was cut; `undefined` where there is none of that name. */
  more(label: string, from: number): string | undefined {
    const text = this.#kept.get(label)
    return text === undefined ? undefined : this.#part(label, text, Math.min(from, text.length))
  }

  #part(label: string, text: string, from: number): string {
    const to = endOfPart(text, from + this.#characters)
    const shown = fence(label, text.slice(from, to))
    const which = `Characters ${String(from)} to ${String(to)} of ${String(text.length)}.`
    if (to === text.length) return `${shown}\n${which}`
    return `${shown}\n${which} For more: ${names.more} with ${JSON.stringify({ of: label, from: to })}.`
  }

  #keep(label: string, text: string): void {
    this.#kept.set(label, text)
    this.#size += text.length
    for (const [oldest, { length }] of this.#kept) {
      if (this.#size <= mostKept || oldest === label) break
      this.#kept.delete(oldest)
      this.#size -= length
    }
  }
}

/** Not between the halves of a pair. */
function endOfPart(text: string, end: number): number {
  if (end >= text.length) return text.length
  const isHalf = (text.charCodeAt(end - 1) & 0xfc00) === 0xd800
  return isHalf ? end - 1 : end
}
