// A planning problem, written out: which uses of which tools could give which facts. Only what the goal can need is made.
//
// An atom is a fact in a scope on a condition; a use is a tool in a scope. Atoms are met by known facts or by uses, and
// uses need atoms: a directed hypergraph, whose least-cost part that ends in the goal is the plan.
import type { JsonSchema } from '../../../plan/json.ts'
import { canonicalJson } from '../../../plan/hash.ts'
import type { Need, ToolDescription } from '../../../plan/toolDescription.ts'
import { everyItem, factKey, type Scope } from './factKey.ts'
import { fitInput } from './inputFit.ts'
import { expectGift, isTrue, judge, type KnownFact, type Knowledge, type StandingStep } from './knowledge.ts'
import { expectedCost, findLength, needsOf, type ToolIndex } from './toolIndex.ts'

export interface Atom {
  readonly id: number
  readonly fact: string
  readonly scope: Scope
  readonly key: string
  readonly is: JsonSchema | undefined
  readonly known: KnownFact | undefined
  readonly supports: Support[]
  /** Tools that would give it but cannot be used. */
  readonly unfit: readonly ToolDescription[]
  /** Tools that would give a list of it for each item of another list. */
  readonly nested: ToolDescription[]
}

export interface Support {
  readonly use: Use
  /** JSON Pointer into the use's output. */
  readonly from: string
  readonly isEach: boolean
  readonly isAssumed: boolean
}

export interface Use {
  readonly id: number
  readonly tool: ToolDescription | undefined
  readonly scope: Scope
  readonly cost: number
  readonly links: Link[]
  /** Keys of the facts that it gives. */
  readonly gives: ReadonlySet<string>
  readonly standing: StandingStep | undefined
  /** A second use of a tool in the same scope, which may follow another one: its number, from 0. */
  readonly copy: number
  readonly firstCopy: Use | undefined
}

/** That a use needs an atom: as an input property, or only to hold. */
export interface Link {
  readonly id: number
  readonly use: Use
  readonly atom: Atom
  readonly property: string | undefined
  /** One of the whole list of a fact. */
  readonly isEach: boolean
  readonly fact: string
  /** False where the plan can go on without this item. */
  isLeftOut: boolean
}

export interface Want {
  readonly fact: string
  readonly scope?: Scope
  readonly is?: JsonSchema | undefined
  readonly each?: boolean
}

export interface Problem {
  readonly atoms: readonly Atom[]
  readonly uses: readonly Use[]
  /** Stands for the goal: its links are what is wanted. */
  readonly goal: Use
  readonly links: number
}

/** How many items an unknown list is taken to have when costs are compared. */
const supposedItems = 10

/** `whole`: what is known may be given anew, by all that could give it. `beyond known`: only by what is used for something
 * else anyway; a problem no larger than what is missing. */
export type Extent = 'whole' | 'beyond known'

export function poseProblem(wants: readonly Want[], index: ToolIndex, knowledge: Knowledge, extent: Extent): Problem {
  return new Posing(index, knowledge).pose(wants, extent)
}

class Posing {
  readonly #index: ToolIndex
  readonly #knowledge: Knowledge
  readonly #lists: ReadonlyMap<string, number>
  readonly #atoms = new Map<string, Atom>()
  readonly #uses: Use[] = []
  readonly #useByName = new Map<string, Use>()
  readonly #open: Atom[] = []
  readonly #texts = new Map<JsonSchema, string>()
  #links = 0
  /** No more uses are made. */
  #isClosed = false

  constructor(index: ToolIndex, knowledge: Knowledge) {
    this.#index = index
    this.#knowledge = knowledge
    this.#lists = knowledge.lists
  }

  pose(wants: readonly Want[], extent: Extent): Problem {
    const goal = this.#newUse(undefined, '', 0, new Set(), undefined, 0)
    for (const want of wants) this.#link(goal, want, want.scope ?? '', undefined)
    const met: Atom[] = []
    for (let atom = this.#open.pop(); atom !== undefined; atom = this.#open.pop()) {
      if (extent === 'beyond known' && atom.known) met.push(atom)
      else this.#support(atom)
    }
    this.#isClosed = true
    for (const atom of met) this.#support(atom)
    return { atoms: [...this.#atoms.values()], uses: this.#uses, goal, links: this.#links }
  }

  #link(use: Use, need: Want | Need, scope: Scope, property: string | undefined): void {
    const { fact, is } = need
    const add = (itemScope: Scope, isEach: boolean): void => {
      const atom = this.#atom(
        fact,
        itemScope,
        is,
        property !== undefined && this.#isUsedUp(use, fact, itemScope, property),
      )
      use.links.push({ id: this.#links++, use, atom, property, isEach, fact, isLeftOut: false })
    }
    if (need.each === true && this.#index.rootsOf.has(fact)) {
      const length = findLength(fact, this.#index, this.#lists)
      if (length === undefined) add(everyItem, true)
      else for (let item = 0; item < length; item++) add(String(item), true)
    } else add(this.#isOfItem(fact, scope) ? scope : '', need.each === true)
  }

  #isOfItem(fact: string, scope: Scope): boolean {
    return scope !== '' && (this.#index.rootsOf.has(fact) || this.#knowledge.facts.has(factKey(fact, scope)))
  }

  /** The tool has had what is known as its only input already: only something new can make it say anything new. */
  #isUsedUp({ tool }: Use, fact: string, scope: Scope, property: string): boolean {
    const { tried, facts } = this.#knowledge
    if (tool === undefined || tried === undefined || Object.keys(tool.needs).length !== 1) return false
    const known = facts.get(factKey(fact, scope))
    if (known === undefined || tool.needs[property]?.each === true) return false
    if (known.from && tried.has(tool.name, { ...fitInput(tool).fixed, [property]: known.from })) return true
    return tried.has(tool.name, { ...fitInput(tool).fixed, [property]: known.value })
  }

  #atom(fact: string, scope: Scope, is: JsonSchema | undefined, isNew: boolean): Atom {
    const key = factKey(fact, scope)
    const name = `${key}${isNew ? ' anew' : ''}${is === undefined ? '' : ` ${this.#textOf(is)}`}`
    const made = this.#atoms.get(name)
    if (made) return made
    const value = isNew ? undefined : this.#knowledge.facts.get(key)
    const known = value !== undefined && isTrue(is, value.value) ? value : undefined
    const unfit = this.#index.unfit.get(fact) ?? []
    const atom: Atom = { id: this.#atoms.size, fact, scope, key, is, known, supports: [], unfit, nested: [] }
    this.#atoms.set(name, atom)
    this.#open.push(atom)
    return atom
  }

  #textOf(schema: JsonSchema): string {
    const known = this.#texts.get(schema)
    if (known !== undefined) return known
    const text = canonicalJson(schema)
    this.#texts.set(schema, text)
    return text
  }

  #support(atom: Atom): void {
    const { fact, scope, key, is, supports } = atom
    // Against what is known now nothing is assumed: only a promise can make it otherwise.
    const value = this.#knowledge.facts.get(key)
    const isRefuted = value !== undefined && !isTrue(is, value.value)
    for (const step of this.#standingFor(fact, scope)) {
      const gift = step.tool.gives[fact]
      const isEach = gift?.each === true
      if (gift === undefined || isEach !== (scope === everyItem && step.scope === '')) continue
      const certainty = judge(expectGift(gift, scope, this.#knowledge), is)
      if (certainty === 'no' || (certainty === 'assumed' && isRefuted)) continue
      supports.push({
        use: this.#standingUse(step),
        from: gift.from,
        isEach,
        isAssumed: certainty === 'assumed',
      })
    }
    for (const { tool, gift } of this.#index.givers.get(fact) ?? []) {
      const isEach = gift.each === true
      if (isEach && this.#index.worksOnItems.has(tool)) atom.nested.push(tool)
      if (isEach ? scope !== everyItem : scope !== '' && !this.#index.worksOnItems.has(tool)) continue
      const useScope = isEach ? '' : scope
      if (this.#knowledge.barred.has(factKey(tool.name, useScope))) continue
      if (Object.keys(tool.needs).length === 0 && this.#knowledge.tried?.has(tool.name, fitInput(tool).fixed)) continue
      if (this.#isClosed && !this.#useByName.has(nameOf(tool, useScope, 0))) continue
      const certainty = isEach && is === undefined ? 'sure' : judge(expectGift(gift, scope, this.#knowledge), is)
      if (certainty === 'no' || (certainty === 'assumed' && isRefuted)) continue
      const copies = needsOf(tool).some((need) => this.#index.overwritten.has(need.fact)) ? 2 : 1
      for (let copy = 0; copy < copies; copy++) {
        if (this.#isClosed && !this.#useByName.has(nameOf(tool, useScope, copy))) continue
        const use = this.#use(tool, useScope, copy)
        supports.push({ use, from: gift.from, isEach, isAssumed: certainty === 'assumed' })
      }
    }
  }

  /** A list that is on its way has no scope, and will give one of the fact for each item. */
  #standingFor(fact: string, scope: Scope): readonly StandingStep[] {
    const { standing } = this.#knowledge
    return scope === everyItem ? [...standing(fact, scope), ...standing(fact, '')] : standing(fact, scope)
  }

  #use(tool: ToolDescription, scope: Scope, copy: number): Use {
    const name = nameOf(tool, scope, copy)
    const made = this.#useByName.get(name)
    if (made) return made
    const cost = expectedCost(tool) * (scope === everyItem ? supposedItems : 1)
    const gives = new Set(
      Object.entries(tool.gives).map(([fact, gift]) => factKey(fact, gift.each ? everyItem : scope)),
    )
    const use = this.#newUse(
      tool,
      scope,
      cost,
      gives,
      undefined,
      copy,
      copy > 0 ? this.#use(tool, scope, 0) : undefined,
    )
    this.#useByName.set(name, use)
    for (const need of needsOf(tool)) this.#link(use, need, scope, need.property)
    return use
  }

  #standingUse(step: StandingStep): Use {
    const name = `${step.id} stands`
    const made = this.#useByName.get(name)
    if (made) return made
    const gives = new Set(
      Object.entries(step.tool.gives).map(([fact, gift]) => factKey(fact, gift.each ? everyItem : step.scope)),
    )
    const use = this.#newUse(step.tool, step.scope, 0, gives, step, 0)
    this.#useByName.set(name, use)
    return use
  }

  #newUse(
    tool: ToolDescription | undefined,
    scope: Scope,
    cost: number,
    gives: ReadonlySet<string>,
    standing: StandingStep | undefined,
    copy: number,
    firstCopy?: Use,
  ): Use {
    const use: Use = { id: this.#uses.length, tool, scope, cost, links: [], gives, standing, copy, firstCopy }
    this.#uses.push(use)
    return use
  }
}

function nameOf(tool: ToolDescription, scope: Scope, copy: number): string {
  return `${factKey(tool.name, scope)} ${String(copy)}`
}
