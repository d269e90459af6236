// Steps that set out before their plan is whole.
//
// A1. What sets out is the beginning of the plan, as far as it is sound by itself: each step, beside those it depends on, all of
//     which came before it. From the first step on that is not so, all wait until the plan is whole.
// A2. What has set out is what stands in the whole answer at the same place.
import { canonicalJson } from '../../../plan/hash.ts'
import type { Json } from '../../../plan/json.ts'
import { stepSchema, type Step } from '../../../plan/schema.ts'
import { mendStep } from './mend.ts'
import { idOf, mayGoAhead, type World } from './objections.ts'

export class Ahead {
  readonly #world: World
  readonly #before: Map<string, Step>
  readonly #begun: ReadonlySet<Json | undefined>
  readonly #out: { readonly index: number; readonly step: Json }[] = []
  #taken: { readonly index: number; readonly step: Json }[] = []
  readonly #stayed: { readonly index: number; readonly step: Json }[] = []
  #seen = 0
  #mayGo: boolean

  constructor(world: World, begun: readonly Step[], mayGo: boolean) {
    this.#world = world
    this.#before = new Map(begun.map((step) => [step.id, step]))
    this.#begun = new Set(this.#before.keys())
    this.#mayGo = mayGo
  }

  /** Takes the next step of the plan, as it was written. Where the answer is whole already, all of it is judged before any sets out. */
  take(written: Json, isWhole: boolean): void {
    const index = this.#seen
    this.#seen += 1
    if (!this.#mayGo) return
    const taken = { index, step: mendStep(written, this.#world.tools) }
    if (isWhole) this.#stayed.push(taken)
    else this.#taken.push(taken)
  }

  /** Steps that may set out and have not yet. Those that came since the last time are judged together. */
  drain(): readonly Step[] {
    const taken = this.#taken.filter(({ step }) => !this.#begun.has(idOf(step)))
    this.#taken = []
    if (!this.#mayGo || taken.length === 0) return []
    const steps = taken.map(({ step }) => stepSchema.safeParse(step).data)
    const readable = steps.slice(0, steps.includes(undefined) ? steps.indexOf(undefined) : undefined) as Step[]
    const sound = mayGoAhead(readable, this.#before, this.#world)
    if (sound < taken.length) this.#mayGo = false // A1
    const out = taken.slice(0, sound)
    this.#out.push(...out)
    return out.map(({ step }) => step as Step)
  }

  /** Whether all steps that have been seen have set out, so that each has been judged. */
  get isComplete(): boolean {
    return this.#mayGo && this.#taken.length === 0 && this.#stayed.length === 0 && this.#seen > 0
  }

  /** Indices of the steps that have set out. */
  get out(): ReadonlySet<number> {
    return new Set(this.#out.map(({ index }) => index))
  }

  /** Whether what was taken stands so in the whole (A2): an answer may have the same key twice. */
  standsIn(steps: readonly Json[]): boolean {
    const known = [...this.#out, ...this.#stayed]
    if (known.length === 0) return true
    if (steps.length !== this.#seen) return false
    return known.every(({ index, step }) => canonicalJson(steps[index]) === canonicalJson(step))
  }
}
