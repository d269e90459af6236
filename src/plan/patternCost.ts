// How many ways a backtracking matcher tries on the texts that cost it most: a power of the length says how tries grow, and
// not how many they are, and `((a|a){1,8}){1,8}` has no power at all and takes for ever on 64 letters.
//
// M1. Ways are counted exactly, for texts of one letter, of two in turn, and for the text that at each place has the letter
//     with the most ways to go on. What costs more only on some other text is judged by its power alone.
// M2. Looking costs a bounded number of operations; a pattern with more than can be looked at is refused.
import { PatternRefused, type Automaton } from './patternAutomaton.ts'
import { overlap } from './patternCharacters.ts'

/** Length up to which ways are counted; beyond it their growth is drawn out. */
const countedLength = 256
const mostLetters = 12
const mostOperations = 20_000_000

/** The longest text, of those that were tried, on which a match takes no more than `tries`.
 *
 * @param degree power of the length by which tries grow at last.
 */
export function longestWithin(automaton: Automaton, degree: number, tries: number): number {
  const letters = lettersOf(automaton)
  let edges = automaton.characters.length
  for (const next of automaton.edges) edges += next.size
  const most = Math.floor(mostOperations / (edges * countedLength))
  if (most < 1) throw new PatternRefused('it is too large')
  const pairs = letters.flatMap((one) => letters.flatMap((two) => (one === two ? [] : [[one, two]])))
  const words = [...letters.map((letter) => [letter]), ...pairs].slice(0, most)
  const readers = new Map(letters.map((letter) => [letter, readersOf(automaton, letter)]))
  const fixed = words.map((word) => word.map((letter) => readers.get(letter) ?? []))
  const choices: readonly Choice[] = [
    ...fixed.map((word): Choice => (length) => [word[length % word.length] ?? []]),
    () => [...readers.values()],
  ]
  return choices.reduce((least, choice) => Math.min(least, longestOf(automaton, choice, degree, tries)), Infinity)
}

/** Which positions read each of the letters that may stand at a place; the one with the most ways is taken. */
type Choice = (at: number) => readonly (readonly boolean[])[]

function readersOf({ characters }: Automaton, letter: number): readonly boolean[] {
  return characters.map((set) => overlap(set, [[letter, letter]]))
}

function longestOf({ characters, edges, first }: Automaton, choice: Choice, degree: number, tries: number): number {
  let open = new Float64Array(characters.length)
  for (const position of first) open[position] = (open[position] ?? 0) + 1
  let sum = 0
  let sumAtHalf = 0
  let added = 0
  for (let length = 1; length <= countedLength; length++) {
    let ways: Float64Array | undefined
    added = 0
    for (const reads of choice(length - 1)) {
      const read = open.map((count, position) => (reads[position] === true ? count : 0))
      const total = read.reduce((all, count) => all + count, 0)
      if (total <= added) continue
      added = total
      ways = read
    }
    sum += added
    if (sum > tries) return length - 1
    if (ways === undefined) return Infinity
    if (length === countedLength / 2) sumAtHalf = sum
    open = new Float64Array(characters.length)
    for (const [position, count] of ways.entries()) {
      if (count === 0) continue
      for (const [to, times] of edges[position] ?? []) open[to] = (open[to] ?? 0) + count * times
    }
  }
  if (degree < 2) return added <= 1_000 ? Infinity : Math.floor(tries / added)
  // Growth comes down to its power from above, so what it is here is no less than what it will be.
  const power = Math.max(degree, Math.log2(sum / sumAtHalf))
  return Math.floor(countedLength * (tries / sum) ** (1 / power))
}

/** A letter for each group of positions that can read the same, those that most positions read first. */
function lettersOf({ characters }: Automaton): number[] {
  const starts = new Set(characters.flatMap((set) => set.flatMap(([from, to]) => [from, to + 1])))
  const readers = (letter: number): number => characters.filter((set) => overlap(set, [[letter, letter]])).length
  return [...starts]
    .slice(0, 20 * mostLetters)
    .map((letter) => ({ letter, count: readers(letter) }))
    .filter(({ count }) => count > 0)
    .sort((a, b) => b.count - a.count || a.letter - b.letter)
    .slice(0, mostLetters)
    .map(({ letter }) => letter)
}
