// From chosen uses to steps: ids, inputs with references, what must come before, assumptions, and the order of priority.
//
// W1. A reference carries a dependency; `after` holds only what is required without being used.
// W2. Steps stand in the order of the longest cost still to come; what depends on a step stands behind it.
// W3. The same solution gives the same bytes.
import { canonicalJson } from '../../../plan/hash.ts'
import type { Json, JsonObject, JsonSchema } from '../../../plan/json.ts'
import { parsePointer } from '../../../plan/pointer.ts'
import type { Assumption, Step } from '../../../plan/schema.ts'
import type { Bounds } from './costBounds.ts'
import { everyItem, factKey, type Scope } from './factKey.ts'
import { explainUse } from './explain.ts'
import { fitInput } from './inputFit.ts'
import { findLifts, type Lift } from './lift.ts'
import type { Link, Problem, Use } from './posedProblem.ts'
import { rankUses, type Weigh } from './priority.ts'
import type { Choice } from './draft.ts'
import type { Solution } from './search.ts'

export interface WriteOptions {
  readonly problem: Problem
  readonly bounds: Bounds
  readonly solution: Solution
  /** Whether an id is in use. */
  readonly isTaken: (id: string) => boolean
  /** The ids of steps that are there already and may be written anew, for the uses that may take them. */
  readonly reuse?: ((uses: readonly Use[]) => ReadonlyMap<Use, string>) | undefined
  readonly weigh: Weigh
  /** Said of the plan as a whole, in the `why` of its last steps. */
  readonly note?: string | undefined
}

export interface Written {
  /** In order of priority. */
  readonly steps: readonly Step[]
  readonly assumptions: readonly Assumption[]
  readonly idOf: ReadonlyMap<Use, string>
  readonly useOf: ReadonlyMap<string, Use>
  /** What has to wait until a list is known. */
  readonly postponed: readonly Use[]
}

export function writeSteps(options: WriteOptions): Written {
  const { problem, solution, weigh } = options
  const used = usedFrom(problem.goal, solution)
  const { lifts, postponed } = findLifts(used, solution.choices)
  const kept = used.filter((use) => use !== problem.goal && use.standing === undefined && !postponed.has(use))
  const idOf = nameUses(kept, options)
  for (const use of used) if (use.standing) idOf.set(use, use.standing.id)
  const consumers = consumersOf(used, solution.choices)
  const ranked = rankUses(kept, consumers, weigh)
  const writing: Writing = { ...options, idOf, lifts, consumers, postponed }
  const steps = ranked.map((use) => writeStep(use, writing))
  const useOf = new Map(kept.map((use) => [idOf.get(use) ?? '', use]))
  return { steps, assumptions: writeAssumptions(ranked, writing), idOf, useOf, postponed: [...postponed] }
}

interface Writing extends WriteOptions {
  readonly idOf: ReadonlyMap<Use, string>
  readonly lifts: ReadonlyMap<Use, Lift>
  readonly consumers: ReadonlyMap<Use, readonly Link[]>
  readonly postponed: ReadonlySet<Use>
}

/** The uses of a solution, each behind those it takes from. */
function usedFrom(goal: Use, { choices }: Solution): readonly Use[] {
  const found: Use[] = []
  const seen = new Set<Use>()
  const work: { readonly use: Use; at: number }[] = [{ use: goal, at: 0 }]
  seen.add(goal)
  for (let top = work.at(-1); top !== undefined; top = work.at(-1)) {
    const link = top.use.links[top.at++]
    if (link === undefined) {
      found.push(top.use)
      work.pop()
      continue
    }
    const choice = choices.get(link)
    if (choice === undefined || choice === 'known' || seen.has(choice.use)) continue
    seen.add(choice.use)
    work.push({ use: choice.use, at: 0 })
  }
  return found
}

function consumersOf(used: readonly Use[], choices: ReadonlyMap<Link, Choice>): Map<Use, Link[]> {
  const consumers = new Map<Use, Link[]>()
  for (const use of used) {
    for (const link of use.links) {
      const choice = choices.get(link)
      if (choice === undefined || choice === 'known') continue
      const others = consumers.get(choice.use)
      if (others) others.push(link)
      else consumers.set(choice.use, [link])
    }
  }
  return consumers
}

function nameUses(kept: readonly Use[], { isTaken, reuse }: WriteOptions): Map<Use, string> {
  const idOf = new Map<Use, string>(reuse?.(kept))
  const used = new Set<string>()
  for (const use of kept) {
    if (idOf.has(use)) continue
    const id = freeId(use.tool?.name ?? '', use.scope, (one) => used.has(one) || isTaken(one))
    used.add(id)
    idOf.set(use, id)
  }
  return idOf
}

/** `read[3]`, or where that is taken `read.2[3]`. */
function freeId(tool: string, scope: Scope, isTaken: (id: string) => boolean): string {
  const clean = tool.replace(/[^\w\-.:/]/g, '_').replace(/^[^A-Za-z0-9]+/, '') || 'step'
  const name = clean.slice(0, 150)
  const suffix = scope === '' || scope === everyItem ? '' : `[${scope}]`
  for (let nth = 1; ; nth++) {
    const id = `${name}${nth === 1 ? '' : `.${String(nth)}`}${suffix}`
    if (!isTaken(id)) return id
  }
}

function writeStep(use: Use, writing: Writing): Step {
  const { idOf, lifts, solution, note } = writing
  const lift = lifts.get(use)
  const id = idOf.get(use) ?? ''
  const step: Step = { id, tool: use.tool?.name ?? '' }
  const input = writeInput(use, writing)
  if (Object.keys(input).length > 0) step.input = input
  if (lift) step.forEach = { $from: idOf.get(lift.source) ?? lift.source.standing?.id ?? '', path: lift.path }
  const after = afterOf(use, solution.choices, idOf, lift)
  if (after.length > 0) step.after = after
  if (use.scope !== '' && use.scope !== everyItem) step.item = use.scope
  const expect = expectationOf(use, writing)
  if (expect) step.expect = expect
  if (use.tool?.executor !== undefined && use.tool.executor !== 'tool') step.executor = use.tool.executor
  if (use.tool) step.cost = use.tool.cost
  const why = explainUse(use, writing)
  step.why = note === undefined ? why : `${why} ${note}`
  return step
}

/** The input of a use: a reference, a value that is known, or an array of these, for each property. */
function writeInput(use: Use, { solution, idOf, lifts }: Pick<Writing, 'solution' | 'idOf' | 'lifts'>): JsonObject {
  const tool = use.tool
  const input: Record<string, Json> = tool ? { ...fitInput(tool).fixed } : {}
  for (const [property, need] of Object.entries(tool?.needs ?? {})) if (need.each) input[property] = []
  for (const link of use.links) {
    const choice = solution.choices.get(link)
    if (link.property === undefined || choice === undefined) continue
    const value = writeValue(link, choice, idOf, lifts.get(use))
    if (!link.isEach || link.atom.scope === everyItem) input[link.property] = value
    else input[link.property] = [...((input[link.property] ?? []) as readonly Json[]), value]
  }
  return input
}

function writeValue(link: Link, choice: Choice, idOf: ReadonlyMap<Use, string>, lift: Lift | undefined): Json {
  if (choice === 'known') return link.atom.known?.from ?? link.atom.known?.value ?? null
  const isOfItem = link.atom.scope === everyItem && !link.isEach
  if (lift && isOfItem) return { $item: choice.isEach ? '' : choice.from }
  return { $from: idOf.get(choice.use) ?? '', path: choice.from }
}

function afterOf(
  use: Use,
  choices: ReadonlyMap<Link, Choice>,
  idOf: ReadonlyMap<Use, string>,
  lift: Lift | undefined,
): string[] {
  const carried = new Set<string>()
  const required = new Set<string>()
  for (const link of use.links) {
    const choice = choices.get(link)
    if (choice === undefined || choice === 'known') continue
    const id = idOf.get(choice.use)
    if (id === undefined || choice.use === lift?.source) continue
    if (link.property === undefined) required.add(id)
    else carried.add(id)
  }
  return [...required].filter((id) => !carried.has(id)).sort()
}

/** What others rely on a tool's promise for is expected of its output, so that a broken promise is noticed. */
function expectationOf(use: Use, { consumers, problem }: Writing): JsonSchema | undefined {
  const expected = new Map<string, JsonSchema>()
  for (const { atom, use: consumer } of consumers.get(use) ?? []) {
    const support = atom.supports.find((one) => one.use === use)
    if (support === undefined || atom.is === undefined || support.isEach) continue
    const promise = use.tool?.gives[atom.fact]?.is
    const schema = support.isAssumed ? (consumer === problem.goal ? atom.is : undefined) : promise
    if (schema !== undefined) expected.set(`${support.from} ${canonicalJson(schema)}`, placeAt(support.from, schema))
  }
  const all = [...expected.values()]
  return all.length > 1 ? { allOf: all } : all[0]
}

function placeAt(pointer: string, schema: JsonSchema): JsonSchema {
  return [...parsePointer(pointer)].reverse().reduce<JsonSchema>((inner, part) => {
    return /^\d+$/.test(part)
      ? { type: ['array', 'object'] }
      : { type: 'object', properties: { [part]: inner }, required: [part] }
  }, schema)
}

function writeAssumptions(uses: readonly Use[], { solution, idOf, problem }: Writing): Assumption[] {
  const byMeaning = new Map<string, Assumption>()
  const count = new Map<string, number>()
  for (const use of uses) {
    for (const link of use.links) {
      const choice = solution.choices.get(link)
      const { atom } = link
      if (
        choice === undefined ||
        choice === 'known' ||
        !choice.isAssumed ||
        atom.is === undefined ||
        use === problem.goal
      )
        continue
      const meaning = `${atom.key} ${canonicalJson(atom.is)}`
      const id = idOf.get(use) ?? ''
      const known = byMeaning.get(meaning)
      if (known) {
        if (!known.steps.includes(id)) known.steps.push(id)
        continue
      }
      // Expanding `format` of each item names `format[3]` itself.
      const key = atom.scope === everyItem ? atom.fact : atom.key
      const nth = (count.get(key) ?? 0) + 1
      count.set(key, nth)
      byMeaning.set(meaning, {
        id: assumptionId(atom.fact, atom.scope, nth),
        statement: `${key} ${inWords(atom.is)}`,
        fact: key,
        is: atom.is,
        steps: [id],
      })
    }
  }
  return [...byMeaning.values()]
}

function assumptionId(fact: string, scope: Scope, nth: number): string {
  const clean = fact.replace(/[^\w\-.:/]/g, '_').replace(/^[^A-Za-z0-9]+/, '') || 'fact'
  return factKey(`${clean.slice(0, 150)}${nth === 1 ? '' : `.${String(nth)}`}`, scope === everyItem ? '' : scope)
}

/** A condition as people say it. */
export function inWords(schema: JsonSchema): string {
  if (typeof schema === 'boolean') return schema ? 'is anything' : 'is nothing'
  if (schema.const !== undefined) return `is ${JSON.stringify(schema.const)}`
  if (Array.isArray(schema.enum)) return `is one of ${schema.enum.map((value) => JSON.stringify(value)).join(', ')}`
  return `satisfies ${canonicalJson(schema)}`
}
