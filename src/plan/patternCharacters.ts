// Which characters a character, an escape or a class of a regular expression matches: as ranges of code points.

/** Ranges [from, to], not in any order. */
export type CharSet = readonly (readonly [number, number])[]

const last = 0x10ffff
export const anyCharacter: CharSet = [[0, last]]

export function overlap(one: CharSet, two: CharSet): boolean {
  return one.some(([from, to]) => two.some(([start, end]) => from <= end && start <= to))
}

/** Reads the character, escape or class that begins at `at`, in a pattern that is valid with the flag `u`. */
export function charactersOf(pattern: string, at: number): { readonly set: CharSet; readonly end: number } {
  const sign = pattern[at]
  if (sign === '.') return { set: anyCharacter, end: at + 1 }
  if (sign === '[') return classAt(pattern, at)
  return singleAt(pattern, at)
}

function classAt(pattern: string, start: number): { readonly set: CharSet; readonly end: number } {
  const isNegated = pattern[start + 1] === '^'
  let at = start + (isNegated ? 2 : 1)
  const ranges: (readonly [number, number])[] = []
  while (at < pattern.length && pattern[at] !== ']') {
    const from = singleAt(pattern, at)
    at = from.end
    if (pattern[at] === '-' && pattern[at + 1] !== ']' && at + 1 < pattern.length) {
      const to = singleAt(pattern, at + 1)
      at = to.end
      ranges.push([from.set[0]?.[0] ?? 0, to.set[0]?.[1] ?? last])
    } else ranges.push(...from.set)
  }
  return { set: isNegated ? complement(ranges) : ranges, end: at + 1 }
}

const digits: CharSet = [[0x30, 0x39]]
const words: CharSet = [...digits, [0x41, 0x5a], [0x5f, 0x5f], [0x61, 0x7a]]
const spaces: CharSet = [[0x09, 0x0d], [0x20, 0x20], [0xa0, 0xa0], [0x1680, 0x1680], [0x2000, 0x200a], [0x2028, 0x2029], [0x202f, 0x202f], [0x205f, 0x205f], [0x3000, 0x3000], [0xfeff, 0xfeff]] // prettier-ignore
const classes: Readonly<Record<string, CharSet>> = {
  d: digits,
  w: words,
  s: spaces,
  D: complement(digits),
  W: complement(words),
  S: complement(spaces),
}
const controls: Readonly<Record<string, number>> = { t: 9, n: 10, v: 11, f: 12, r: 13, b: 8, '0': 0 }

function singleAt(pattern: string, at: number): { readonly set: CharSet; readonly end: number } {
  if (pattern[at] !== '\\') {
    const point = pattern.codePointAt(at) ?? 0
    return { set: [[point, point]], end: at + (point > 0xffff ? 2 : 1) }
  }
  const rest = pattern.slice(at + 1, at + 80)
  const name = rest[0] ?? ''
  const known = classes[name]
  if (known !== undefined) return { set: known, end: at + 2 }
  const property = /^[pP]\{[^}]*\}/.exec(rest)?.[0]
  if (property !== undefined) return { set: propertySet(property), end: at + 1 + property.length }
  const coded =
    /^(?:x([\da-fA-F]{2})|u\{([\da-fA-F]+)\}|u([dD][89abAB][\da-fA-F]{2})\\u([dD][c-fC-F][\da-fA-F]{2})|u([\da-fA-F]{4}))/.exec(
      rest,
    )
  if (coded !== null) {
    const [whole, byte, point, high, low, unit] = coded
    const pair =
      high === undefined ? undefined : String.fromCharCode(parseInt(high, 16), parseInt(low ?? '', 16)).codePointAt(0)
    const value = pair ?? parseInt(byte ?? point ?? unit ?? '0', 16)
    return { set: [[value, value]], end: at + 1 + whole.length }
  }
  if (name === 'c') {
    const value = (rest.codePointAt(1) ?? 0) % 32
    return { set: [[value, value]], end: at + 3 }
  }
  const value = controls[name] ?? rest.codePointAt(0) ?? 0
  return { set: [[value, value]], end: at + 1 + (value > 0xffff ? 2 : 1) }
}

/** Exact for Latin; of all further characters it is taken to match any. */
function propertySet(property: string): CharSet {
  const matcher = new RegExp(`^\\${property}$`, 'u')
  const ranges: (readonly [number, number])[] = [[latin, last]]
  for (let point = 0; point < latin; point++) if (matcher.test(String.fromCodePoint(point))) ranges.push([point, point])
  return ranges
}

const latin = 0x250

function complement(ranges: CharSet): CharSet {
  const gaps: (readonly [number, number])[] = []
  let next = 0
  for (const [from, to] of [...ranges].sort(([one], [two]) => one - two)) {
    if (from > next) gaps.push([next, from - 1])
    next = Math.max(next, to + 1)
  }
  if (next <= last) gaps.push([next, last])
  return gaps
}
