// Making findings: what they say is bounded, whatever the plan holds.
import { closest, distance } from 'fastest-levenshtein'
import type { Finding, FindingCode } from '../finding.ts'
import { boundPointer, formatPointer } from '../pointer.ts'
import { planLimits } from '../schema.ts'

export type Place = readonly (string | number)[]

/** Makes a finding; `below` is a pointer that goes on from `place`. */
type Report = (
  code: FindingCode,
  place: Place,
  stepId: string | undefined,
  message: string,
  hint: string,
  below?: string,
) => Finding

function reporter(severity: Finding['severity']): Report {
  return (code, place, stepId, message, hint, below = '') => ({
    code,
    severity,
    path: boundPointer(formatPointer(place) + below),
    ...(stepId !== undefined && { stepId: stepId.slice(0, planLimits.idLength) }),
    message: clip(message, longestText),
    hint: clip(hint, longestText),
  })
}

/** Something that keeps the plan from running. */
export const problem = reporter('error')

/** Something that somebody should look at. */
export const warning = reporter('warning')

const longestText = 1_000

/** A text that others wrote, in quotation marks, and shortened where it is long. */
export function quoted(text: string): string {
  return `"${clip(text, 80)}"`
}

function clip(text: string, most: number): string {
  return text.length <= most ? text : `${text.slice(0, most - 1)}…`
}

/** Suggests the name that was probably meant, if there is one like it. */
export class Suggestions {
  readonly #names: readonly string[]
  readonly #known = new Map<string, string | undefined>()
  /** Searching costs as much as there are names: past this many different ones, hints are left out. */
  #left = 200

  constructor(names: Iterable<string>) {
    this.#names = [...names]
  }

  nearest(name: string): string | undefined {
    if (this.#known.has(name)) return this.#known.get(name)
    if (this.#left === 0 || this.#names.length === 0 || name.length > 100) return undefined
    this.#left -= 1
    const like = closest(name, this.#names)
    const found = isLike(name, like) ? like : undefined
    this.#known.set(name, found)
    return found
  }

  /** `Did you mean "x"?`, or else what is given.
   * @param never what is not meant, however near it is */
  hint(name: string, otherwise: string, never?: string): string {
    const like = this.nearest(name)
    return like === undefined || like === never ? otherwise : `Did you mean ${quoted(like)}?`
  }
}

/** Two slips are enough for a match, or a third of a long name; in a very short name, half of it. */
function isLike(name: string, other: string): boolean {
  const shorter = Math.min(name.length, other.length)
  const slips = Math.max(1, Math.min(2, Math.floor(shorter / 2)), Math.floor(name.length / 3))
  return distance(name.toLowerCase(), other.toLowerCase()) <= slips
}
