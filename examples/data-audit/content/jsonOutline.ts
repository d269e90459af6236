// The outline of a JSON text, from its beginning: enough to see what kind of thing it is without reading all of it.
//
// O1. A text that breaks off gives the outline of what was there.
// O2. No value of the text becomes a property of an object: keys like "__proto__" are only texts here.

export type Outline =
  | { readonly type: 'object'; readonly fields: ReadonlyMap<string, Outline> }
  | { readonly type: 'array'; readonly items: readonly Outline[] }
  | { readonly type: 'scalar'; readonly of: 'string' | 'number' | 'boolean' | 'null'; readonly text: string }

export interface OutlineResult {
  readonly outline: Outline | undefined
  /** `broken`: not JSON from place `at` on. `cut`: it breaks off there. `lines`: one value per line. */
  readonly state: 'whole' | 'cut' | 'broken' | 'lines'
  readonly at: number
}

const lineEnd = /^[ \t]*\r?\n/
const deepest = 100
/** Items of one array that are looked at; the rest is only passed over. */
const itemsKept = 300

class Stop extends Error {
  readonly reason: 'cut' | 'broken'
  constructor(reason: 'cut' | 'broken') {
    super(reason)
    this.reason = reason
  }
}

/** Reads the outline of a text that may be only the beginning of a file. */
export function outlineOf(text: string): OutlineResult {
  let at = 0
  let root: Outline | undefined

  const blank = /[ \t\r\n]*/y
  function skipBlanks(): void {
    blank.lastIndex = at
    blank.test(text)
    at = blank.lastIndex
    if (at >= text.length) throw new Stop('cut')
  }
  const stringAt = /"[^"\\]*(?:\\.[^"\\]*)*"/sy
  function string(): string {
    stringAt.lastIndex = at
    const [found] = stringAt.exec(text) ?? []
    if (found === undefined) throw new Stop(text[at] === '"' ? 'cut' : 'broken')
    at += found.length
    return found.slice(1, -1)
  }
  const scalarAt = /-?\d+(?:\.\d+)?(?:[eE][-+]?\d+)?|true|false|null/y
  function scalar(): Outline {
    if (text[at] === '"') return { type: 'scalar', of: 'string', text: string() }
    scalarAt.lastIndex = at
    const [found] = scalarAt.exec(text) ?? []
    if (found === undefined) throw new Stop(text.length - at < 5 && /^[-\dtfn]/.test(text.slice(at)) ? 'cut' : 'broken')
    at += found.length
    if (root !== undefined && text.length - at < 5 && /^[-+.eE\d]*$/.test(text.slice(at))) throw new Stop('cut') // the number may go on
    const of = found === 'null' ? 'null' : found === 'true' || found === 'false' ? 'boolean' : 'number'
    return { type: 'scalar', of, text: found }
  }
  function value(depth: number, keep: (outline: Outline) => void): void {
    if (depth > deepest) throw new Stop('broken')
    skipBlanks()
    if (text[at] === '{') object(depth, keep)
    else if (text[at] === '[') array(depth, keep)
    else keep(scalar())
  }
  function object(depth: number, keep: (outline: Outline) => void): void {
    const fields = new Map<string, Outline>()
    keep({ type: 'object', fields }) // before its fields are read: O1
    at += 1
    skipBlanks()
    if (text[at] === '}') {
      at += 1
      return
    }
    for (;;) {
      skipBlanks()
      const key = string()
      expect(':')
      value(depth + 1, (outline) => fields.set(key, outline))
      if (expect(',}') === '}') return
    }
  }
  function array(depth: number, keep: (outline: Outline) => void): void {
    const items: Outline[] = []
    keep({ type: 'array', items })
    at += 1
    skipBlanks()
    if (text[at] === ']') {
      at += 1
      return
    }
    for (;;) {
      value(depth + 1, (outline) => {
        if (items.length < itemsKept) items.push(outline)
      })
      if (expect(',]') === ']') return
    }
  }
  function expect(signs: string): string {
    skipBlanks()
    const sign = text[at] ?? ''
    if (!signs.includes(sign)) throw new Stop('broken')
    at += 1
    return sign
  }

  try {
    value(0, (outline) => {
      root = outline
    })
    const rest = text.slice(at).trimStart()
    if (rest === '') return { outline: root, state: 'whole', at }
    return {
      outline: root,
      state: /^[{[]/.test(rest) && lineEnd.test(text.slice(at, at + 20)) ? 'lines' : 'broken',
      at,
    }
  } catch (error) {
    if (!(error instanceof Stop)) throw error
    return { outline: root, state: error.reason, at }
  }
}
