// Making findings.
import { closest, distance } from 'fastest-levenshtein'
import type { Finding, FindingCode } from '../finding.ts'
import { formatPointer } from '../pointer.ts'

export type Place = readonly (string | number)[]

/** Something that keeps the plan from running.
 *
 * @param below a pointer that goes on from `place`.
 */
export function problem(
  code: FindingCode,
  place: Place,
  stepId: string | undefined,
  message: string,
  hint: string,
  below = '',
): Finding {
  return {
    code,
    severity: 'error',
    path: formatPointer(place) + below,
    ...(stepId !== undefined && { stepId }),
    message,
    hint,
  }
}

/** Something that somebody should look at. */
export function warning(
  code: FindingCode,
  place: Place,
  stepId: string | undefined,
  message: string,
  hint: string,
  below = '',
): Finding {
  return { ...problem(code, place, stepId, message, hint, below), severity: 'warning' }
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
    const found = distance(name.toLowerCase(), like.toLowerCase()) <= Math.max(2, name.length / 3) ? like : undefined
    this.#known.set(name, found)
    return found
  }

  /** `Did you mean "x"?`, or else what is given. */
  hint(name: string, otherwise: string): string {
    const like = this.nearest(name)
    return like === undefined ? otherwise : `Did you mean "${like}"?`
  }
}
