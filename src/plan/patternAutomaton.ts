// A regular expression as an automaton of positions (Glushkov): each character of the pattern is a position, each edge a way
// from one to the next. Two equal edges are two ways for a backtracking matcher, so they are counted.
import { anyCharacter, charactersOf, type CharSet } from './patternCharacters.ts'

/** What can be said of a part of a pattern. */
interface Part {
  readonly first: readonly number[]
  readonly last: readonly number[]
  readonly isNullable: boolean
}

export interface Automaton {
  /** What each position matches. */
  readonly characters: readonly CharSet[]
  /** For each position, where it can go on to and in how many ways. */
  readonly edges: readonly ReadonlyMap<number, number>[]
  /** Where it can begin; a position as often as there are ways to it. */
  readonly first: readonly number[]
}

/** Why a pattern is not turned into an automaton. */
export class PatternRefused extends Error {
  override readonly name = 'PatternRefused'
}

/** Reads a pattern that is known to be a valid regular expression with the flag `u`. A search may begin anywhere in the
 * text, so a pattern that does not begin with `^` gets a loop over everything in front.
 *
 * @throws PatternRefused for what cannot be matched in time (back references) or is too large to be judged.
 */
export function automatonOf(pattern: string): Automaton {
  return new Reader(pattern).read()
}

const positionLimit = 2_000
/** A repetition with a larger bound is taken as one without. */
const copyLimit = 8
const empty: Part = { first: [], last: [], isNullable: true }

class Reader {
  readonly #pattern: string
  readonly #characters: CharSet[] = []
  readonly #edges: Map<number, number>[] = []
  #at = 0
  #depth = 0
  /** Whether there are alternatives outside all groups. */
  #hasWays = false

  constructor(pattern: string) {
    this.#pattern = pattern
  }

  read(): Automaton {
    const part = this.#alternatives()
    // In `^a|b`, only one of the ways is held to the beginning.
    const isAnchored = this.#pattern.startsWith('^') && !this.#hasWays
    const before = isAnchored ? empty : this.#loop(this.#position(anyCharacter))
    this.#join(before, part)
    return { characters: this.#characters, edges: this.#edges, first: [...before.first, ...part.first] }
  }

  #alternatives(): Part {
    this.#depth += 1
    if (this.#depth > 50) throw new PatternRefused('its groups are nested too deeply')
    let part = this.#sequence()
    while (this.#take('|')) {
      if (this.#depth === 1) this.#hasWays = true
      part = either(part, this.#sequence())
    }
    this.#depth -= 1
    return part
  }

  #sequence(): Part {
    let part = empty
    while (this.#at < this.#pattern.length && !this.#sees('|') && !this.#sees(')'))
      part = this.#join(part, this.#repeated())
    return part
  }

  #repeated(): Part {
    const from = this.#at
    const part = this.#atom()
    const to = this.#at
    const bounds = this.#quantifier()
    if (bounds === undefined) return part
    this.#take('?') // lazy or not: the same ways
    const [least, most] = bounds
    if (most === 0) return empty
    if (most > copyLimit && most !== Infinity && part.isNullable) {
      throw new PatternRefused(`it repeats up to ${most} times what may be empty`)
    }
    const after = this.#at
    const parts = [most > copyLimit ? this.#loop(part) : part]
    // Of what may be empty, `a+` is `a*a`: a round that must be may be the empty one, which the others never are.
    const rounds = part.isNullable && least > 0 ? least + 1 : least
    for (const copies = most > copyLimit ? Math.min(rounds, copyLimit) : most; parts.length < copies;) {
      this.#at = from
      parts.push(this.#atom())
      if (this.#at !== to) throw new PatternRefused('it cannot be read')
    }
    this.#at = after
    // a{1,3} is a(a(a)?)?: not aa?a?, which would match "aa" in two ways.
    return parts.reduceRight<Part>((rest, copy, index) => {
      const whole = this.#join(copy, rest)
      return index >= least ? { ...whole, isNullable: true } : whole
    }, empty)
  }

  #quantifier(): readonly [number, number] | undefined {
    if (this.#take('*')) return [0, Infinity]
    if (this.#take('+')) return [1, Infinity]
    if (this.#take('?')) return [0, 1]
    const found = /^\{(\d+)(,)?(\d+)?\}/.exec(this.#pattern.slice(this.#at, this.#at + 40))
    if (found === null) return undefined
    this.#at += found[0].length
    const least = Number(found[1])
    return [least, found[3] !== undefined ? Number(found[3]) : found[2] === undefined ? least : Infinity]
  }

  #atom(): Part {
    if (this.#take('^') || this.#take('$')) return empty
    if (this.#take('(')) return this.#group()
    if (this.#sees('\\')) {
      const next = this.#pattern[this.#at + 1] ?? ''
      if (next === 'b' || next === 'B') {
        this.#at += 2
        return empty
      }
      if (/[1-9k]/.test(next)) throw new PatternRefused('it refers back to a group')
    }
    const { set, end } = charactersOf(this.#pattern, this.#at)
    this.#at = end
    return this.#position(set)
  }

  #group(): Part {
    const kind = /^\?(?::|[=!]|<[=!]|<[^>]*>)/.exec(this.#pattern.slice(this.#at, this.#at + 300))?.[0]
    if (kind === undefined && this.#sees('?')) throw new PatternRefused('it sets flags for a group')
    this.#at += kind?.length ?? 0
    const part = this.#alternatives()
    this.#take(')')
    // A look around matches nothing itself; how long it takes to look is judged all the same, as its edges are there.
    return kind !== undefined && /[=!]$/.test(kind) ? empty : part
  }

  #position(set: CharSet): Part {
    if (this.#characters.length >= positionLimit) throw new PatternRefused('it is too large')
    const position = this.#characters.push(set) - 1
    this.#edges.push(new Map())
    return { first: [position], last: [position], isNullable: false }
  }

  #loop(part: Part): Part {
    this.#connect(part.last, part.first)
    return part
  }

  #join(one: Part, two: Part): Part {
    this.#connect(one.last, two.first)
    return {
      first: one.isNullable ? [...one.first, ...two.first] : one.first,
      last: two.isNullable ? [...one.last, ...two.last] : two.last,
      isNullable: one.isNullable && two.isNullable,
    }
  }

  #connect(from: readonly number[], to: readonly number[]): void {
    for (const one of from) {
      const edges = this.#edges[one]
      for (const two of to) edges?.set(two, (edges.get(two) ?? 0) + 1)
    }
  }

  #sees(sign: string): boolean {
    return this.#pattern[this.#at] === sign
  }

  #take(sign: string): boolean {
    if (!this.#sees(sign)) return false
    this.#at += 1
    return true
  }
}

function either(one: Part, two: Part): Part {
  return {
    first: [...one.first, ...two.first],
    last: [...one.last, ...two.last],
    isNullable: one.isNullable || two.isNullable,
  }
}
