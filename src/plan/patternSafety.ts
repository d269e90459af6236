// How long a regular expression can take: patterns come from models, and JavaScript's matcher tries every way there is.
//
// S1. A pattern with exponentially many ways to match some text is refused: `(a+)+b`, `(a|a)*`, `(\w+\s?)*$`.
// S2. Of the others it is known to which power of the text's length they take, and how many tries that is for the texts that
//     cost most (patternCost.ts); texts are then kept short enough for some tenths of a second.
// S3. Harmless patterns are never refused, however nested: `^(/[^/]+)+\.csv$`.
//
// See Weideman, van der Merwe, Berglund & Watson 2016, Analyzing Matching Time Behavior of Backtracking Regular Expression
// Matchers by Using Ambiguity of NFA.
import { automatonOf, PatternRefused, type Automaton } from './patternAutomaton.ts'
import { longestWithin } from './patternCost.ts'
import { overlap, type CharSet } from './patternCharacters.ts'

const patternLength = 1_000
/** Most tries that a match may need: about a third of a second. */
const mostTries = 1e7

/** Why a pattern may not be used; `undefined` when it may. */
export function findPatternProblem(pattern: string): string | undefined {
  const { problem } = judge(pattern)
  return problem
}

/** The longest text that a pattern can be tried on in time. */
export function longestText(pattern: string, tries = mostTries): number {
  const { degree, automaton } = judge(pattern)
  if (automaton === undefined) return Infinity
  const byPower = degree < 2 ? Infinity : Math.floor(tries ** (1 / degree))
  return Math.min(byPower, longestWithin(automaton, degree, tries))
}

interface Judgement {
  readonly problem: string | undefined
  readonly degree: number
  /** Absent where the pattern is refused. */
  readonly automaton?: Automaton
}

function judge(pattern: string): Judgement {
  const known = judgements.get(pattern)
  if (known !== undefined) return known
  const judgement = look(pattern)
  if (judgements.size >= 1_000) judgements.clear()
  judgements.set(pattern, judgement)
  return judgement
}

const judgements = new Map<string, Judgement>()

function look(pattern: string): Judgement {
  const refuse = (why: string): Judgement => ({
    problem: `the pattern ${JSON.stringify(pattern.slice(0, 80))} ${why}`,
    degree: 1,
  })
  if (pattern.length > patternLength) return refuse(`has more than ${patternLength} characters`)
  try {
    new RegExp(pattern, 'u')
  } catch (error) {
    return refuse(`is not a regular expression: ${error instanceof Error ? error.message.replace(/^.*: /, '') : ''}`)
  }
  try {
    const automaton = automatonOf(pattern)
    const loops = loopsOf(automaton)
    if (loops.some((loop) => isExponential(automaton, loop))) {
      return refuse('could take for ever: some part that repeats can match the same text in many ways')
    }
    const degree = degreeOf(automaton, loops)
    longestWithin(automaton, degree, mostTries) // refuses what is too large to be judged
    return { problem: undefined, degree, automaton }
  } catch (error) {
    if (error instanceof PatternRefused) return refuse(`is not accepted: ${error.message}`)
    throw error
  }
}

/** Strongly connected positions: what can be repeated without end. */
function loopsOf({ edges }: Automaton): ReadonlySet<number>[] {
  return components(edges.length, (position) => edges[position]?.keys() ?? []).filter((component) => {
    const [only] = component
    return component.size > 1 || (only !== undefined && edges[only]?.has(only) === true)
  })
}

const loopLimit = 150

/** Whether two different ways around a loop can read the same text (S1). */
function isExponential({ characters, edges }: Automaton, loop: ReadonlySet<number>): boolean {
  const positions = [...loop]
  for (const from of positions) for (const [to, ways] of edges[from] ?? []) if (ways > 1 && loop.has(to)) return true
  if (positions.length > loopLimit) throw new PatternRefused('a part that repeats is too large')
  const number = new Map(positions.map((position, index) => [position, index]))
  const size = positions.length
  const next = positions.map((position) => [...(edges[position]?.keys() ?? [])].flatMap((to) => number.get(to) ?? []))
  const alike = positions.map((one) => positions.map((two) => overlap(characters[one] ?? [], characters[two] ?? [])))
  function* pairsAfter(pair: number): Generator<number> {
    for (const one of next[Math.floor(pair / size)] ?? []) {
      for (const two of next[pair % size] ?? []) if (alike[one]?.[two] === true) yield one * size + two
    }
  }
  return components(size * size, pairsAfter).some((component) => {
    let isSame = false
    let isSplit = false
    for (const pair of component) {
      if (Math.floor(pair / size) === pair % size) isSame = true
      else isSplit = true
    }
    return isSame && isSplit
  })
}

/** How many loops in a row can share out the same text among them (S2). */
function degreeOf({ characters, edges }: Automaton, loops: readonly ReadonlySet<number>[]): number {
  const loopOf = new Map<number, number>()
  for (const [index, loop] of loops.entries()) for (const position of loop) loopOf.set(position, index)
  const alphabets = loops.map((loop) => [...loop].flatMap((position) => characters[position] ?? []))
  const degrees = new Map<number, number>()
  const degreeFrom = (index: number): number => {
    const known = degrees.get(index)
    if (known !== undefined) return known
    degrees.set(index, 1)
    let most = 0
    for (const other of loopsAfter(index)) most = Math.max(most, degreeFrom(other))
    degrees.set(index, most + 1)
    return most + 1
  }
  /** Loops that can be reached over text which the loop itself could have read, and which read some of the same text. */
  const loopsAfter = (index: number): Set<number> => {
    const alphabet: CharSet = alphabets[index] ?? []
    const seen = new Set<number>(loops[index])
    const found = new Set<number>()
    const open = [...seen]
    for (let position = open.pop(); position !== undefined; position = open.pop()) {
      for (const to of edges[position]?.keys() ?? []) {
        if (seen.has(to) || !overlap(characters[to] ?? [], alphabet)) continue
        seen.add(to)
        open.push(to)
        const other = loopOf.get(to)
        if (other !== undefined && other !== index && overlap(alphabets[other] ?? [], alphabet)) found.add(other)
      }
    }
    return found
  }
  return loops.reduce((most, _, index) => Math.max(most, degreeFrom(index)), 1)
}

/** Strongly connected components (Tarjan 1972, without recursion). */
function components(size: number, next: (node: number) => Iterable<number>): Set<number>[] {
  const order = new Int32Array(size).fill(-1)
  const low = new Int32Array(size)
  const isOpen = new Uint8Array(size)
  const stack: number[] = []
  const found: Set<number>[] = []
  let count = 0
  for (let root = 0; root < size; root++) {
    if (order[root] !== -1) continue
    const path: { readonly node: number; readonly rest: Iterator<number> }[] = []
    const enter = (node: number): void => {
      order[node] = low[node] = count++
      stack.push(node)
      isOpen[node] = 1
      path.push({ node, rest: next(node)[Symbol.iterator]() })
    }
    enter(root)
    for (let top = path.at(-1); top !== undefined; top = path.at(-1)) {
      const { node } = top
      const step = top.rest.next()
      if (step.done !== true) {
        if (order[step.value] === -1) enter(step.value)
        else if (isOpen[step.value] === 1) low[node] = Math.min(low[node] ?? 0, order[step.value] ?? 0)
        continue
      }
      path.pop()
      const above = path.at(-1)?.node
      if (above !== undefined) low[above] = Math.min(low[above] ?? 0, low[node] ?? 0)
      if (low[node] !== order[node]) continue
      const component = new Set<number>()
      for (let member = stack.pop(); member !== undefined; member = stack.pop()) {
        isOpen[member] = 0
        component.add(member)
        if (member === node) break
      }
      found.push(component)
    }
  }
  return found
}
