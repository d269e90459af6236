// Whether two columns that share values relate to each other, and how good the evidence is.
import { lnChance } from './chance.ts'
import type { Counted } from './comparePairs.ts'
import type { Join } from './join.ts'
import { nameAffinity } from './nameAffinity.ts'
import type { ColumnSketch } from './sketchColumns.ts'

/** A side whose values occur once each is what the other refers to, even if it has a few values that the other lacks. */
const keyBonus = 0.25

/** One in a million: less likely than this, agreement is no accident. */
const noAccident = -6

interface Evidence {
  readonly kind: Join['kind']
  /** log10 */
  readonly chance: number
  readonly names: number
  /** The better of the two shares. */
  readonly found: number
  /** Share of all values of both sides together. */
  readonly together: number
  /** The side that holds the values of the other has each of its own once. */
  readonly hasKey: boolean
  /** All values of both sides lie between 1000 and 2200. */
  readonly areYears: boolean
  readonly shared: number
}

/** Gives the relation between two counted columns, or nothing where they do not share enough to speak of one. */
export function judgePair(
  a: ColumnSketch,
  b: ColumnSketch,
  counted: Counted,
  least: { readonly contained: number; readonly shared: number },
): Join | undefined {
  const { shared, distinctA, distinctB } = counted
  const inA = shared / Math.max(1, distinctA)
  const inB = shared / Math.max(1, distinctB)
  if (shared < least.shared || Math.max(inA, inB) < least.contained) return undefined
  const names = nameAffinity(a, b)
  const n = Math.max(counted.possible, counted.overlapA, counted.overlapB)
  const chance = lnChance({ n, a: counted.overlapA, b: counted.overlapB, shared }) / Math.LN10
  const uniqueA = distinctA === a.rows
  const uniqueB = distinctB === b.rows
  const bRefers = inB + (uniqueA ? keyBonus : 0) > inA + (uniqueB ? keyBonus : 0)
  const kind = a.kind === b.kind ? a.kind : 'text'
  const together = shared / (distinctA + distinctB - shared)
  const strength = strengthOf({
    kind,
    chance,
    names,
    found: Math.max(inA, inB),
    together,
    hasKey: bRefers ? uniqueA : uniqueB,
    areYears: [a, b].every(({ range }) => range !== undefined && range[0] >= 1000 && range[1] <= 2200),
    shared,
  })
  if (strength === undefined) return undefined
  const sideA = sideOf(a, distinctA, inA, uniqueA, counted.missingA)
  const sideB = sideOf(b, distinctB, inB, uniqueB, counted.missingB)
  const [left, right] = bRefers ? [sideB, sideA] : [sideA, sideB]
  return {
    left,
    right,
    kind,
    shared,
    examples: counted.examples.slice(0, 3),
    cardinality: left.unique ? (right.unique ? '1:1' : '1:n') : right.unique ? 'n:1' : 'n:m',
    names: round(names),
    chance: Math.round(chance * 10) / 10,
    strength,
    because: inWords(left, right, shared, chance, names),
  }
}

/** Values that agree beyond accident speak for themselves; numbers and dates, which often agree, need a name or a key as well. */
function strengthOf({
  kind,
  chance,
  names,
  found,
  together,
  hasKey,
  areYears,
  shared,
}: Evidence): Join['strength'] | undefined {
  const namesAgree = names >= 0.5
  if (together >= 0.98 && names >= 0.8 && shared >= 20) return 'strong'
  if (chance <= noAccident) {
    if (kind === 'text') return found >= 0.9 && shared >= 5 ? 'strong' : found >= 0.8 || namesAgree ? 'likely' : 'weak'
    if (kind === 'integer' && hasKey) return found >= 0.9 ? 'strong' : 'likely'
    if (kind === 'integer') return namesAgree ? (areYears ? 'likely' : 'weak') : undefined
    if (namesAgree) return found >= 0.95 ? 'strong' : 'likely'
    return found >= 0.9 ? 'weak' : undefined
  }
  if (hasKey && names >= 0.6 && found >= 0.95) return 'likely'
  return namesAgree && found >= 0.9 ? 'weak' : undefined
}

function sideOf(
  sketch: ColumnSketch,
  distinct: number,
  found: number,
  unique: boolean,
  missing: readonly string[],
): Join['left'] {
  return { table: sketch.table, column: sketch.column, distinct, found: round(found), unique, missing: [...missing] }
}

function inWords(left: Join['left'], right: Join['right'], shared: number, chance: number, names: number): string {
  const values = `${String(shared)} of ${String(left.distinct)} values of ${left.table}.${left.column} are in ${right.table}.${right.column}`
  return `${values}; ${oddsInWords(chance)}${names >= 0.5 ? '; the names agree' : ''}`
}

function oddsInWords(chance: number): string {
  if (chance <= noAccident) return `by accident less than once in 10^${String(Math.floor(-chance))}`
  if (chance <= -1) return `by accident once in ${String(Math.round(10 ** -chance))}`
  return 'but numbers as dense as these agree by accident'
}

function round(value: number): number {
  return Math.round(value * 1000) / 1000
}
