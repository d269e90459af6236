// Values for a prompt: as much of them as has room, with what was left out named, so that a model can ask for it.
//
// H1. What is shown of a value is JSON, and never longer than asked for by much; time grows with what is shown, not with the value.
// H2. Whatever was left out is said at its place.
import { isJsonObject, type Json } from '../../../plan/json.ts'

export interface Shown {
  readonly text: string
  readonly isShortened: boolean
}

/** Smallest room that a part inside is given; below that it is only described. */
const leastRoom = 24

/** Writes a JSON value in about so many characters. */
export function shorten(value: unknown, room: number): Shown {
  const writer = new Writer()
  const text = writer.write(value as Json, Math.max(room, leastRoom), 0)
  return { text, isShortened: writer.isShortened }
}

const mostLevels = 40

class Writer {
  isShortened = false

  write(value: Json, room: number, level: number): string {
    if (typeof value === 'string') return this.#text(value, room)
    if (typeof value !== 'object' || value === null) return JSON.stringify(value)
    if (room < leastRoom || level > mostLevels) return this.#described(value)
    return Array.isArray(value)
      ? this.#list(value as readonly Json[], room, level)
      : this.#object(value as Readonly<Record<string, Json>>, room, level)
  }

  #text(value: string, room: number): string {
    const most = Math.max(room, leastRoom)
    if (value.length <= most) return JSON.stringify(value)
    this.isShortened = true
    const isSplit = /[\ud800-\udbff]/.test(value.charAt(most - 1)) // no half of a character
    return JSON.stringify(
      `${value.slice(0, isSplit ? most - 1 : most)}… (${String(value.length - most)} more characters)`,
    )
  }

  #list(items: readonly Json[], room: number, level: number): string {
    const parts: string[] = []
    let left = room
    for (const [index, item] of items.entries()) {
      if (left < leastRoom && index > 0) {
        this.isShortened = true
        parts.push(JSON.stringify(`… (${String(items.length - index)} more items)`))
        break
      }
      const part = this.write(item, this.#share(left, items.length - index), level + 1)
      left -= part.length + 1
      parts.push(part)
    }
    return `[${parts.join(',')}]`
  }

  #object(object: Readonly<Record<string, Json>>, room: number, level: number): string {
    const keys = Object.keys(object)
    const parts: string[] = []
    let left = room
    for (const [index, key] of keys.entries()) {
      if (left < leastRoom && index > 0) {
        this.isShortened = true
        parts.push(`"…":${JSON.stringify(`${String(keys.length - index)} more properties`)}`)
        break
      }
      const name = this.#text(key, 200)
      const part = this.write(object[key] as Json, this.#share(left - name.length, keys.length - index), level + 1)
      left -= name.length + part.length + 2
      parts.push(`${name}:${part}`)
    }
    return `{${parts.join(',')}}`
  }

  /** What one of several may take: the first of a long list more than its even share, so that something is seen whole. */
  #share(left: number, among: number): number {
    return Math.max(left / Math.min(among, 4), leastRoom - 1)
  }

  #described(value: object): string {
    const size = Array.isArray(value) ? value.length : Object.keys(value).length
    if (size === 0) return Array.isArray(value) ? '[]' : '{}'
    this.isShortened = true
    const what = isJsonObject(value) ? 'an object with' : 'a list of'
    return JSON.stringify(`… (${what} ${String(size)})`)
  }
}
