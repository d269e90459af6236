// Steps that set out before their plan is whole.
//
// A1. What sets out is the beginning of the plan, as far as it is sound by itself: each step, beside those it depends on, all of
//     which came before it. From the first step on that is not so, all wait until the plan is whole.
// A2. What has set out is what stands in the whole answer at the same place.
import { canonicalJson } from '../../../plan/hash.ts'
import type { Json } from '../../../plan/json.ts'
import { stepSchema, type Step } from '../../../plan/schema.ts'
import { mendStep } from './mend.ts'
import { maySetOut, type World } from './objections.ts'

export class Ahead {
  readonly #world: World
  readonly #before: Map<string, Step>
  readonly #begun: ReadonlySet<string>
  readonly #out: { readonly index: number; readonly written: Json }[] = []
  #ready: Step[] = []
  #seen = 0
  #mayGo: boolean

  constructor(world: World, begun: readonly Step[], mayGo: boolean) {
    this.#world = world
    this.#before = new Map(begun.map((step) => [step.id, step]))
    this.#begun = new Set(this.#before.keys())
    this.#mayGo = mayGo
  }

  /** Takes the next step of the plan, as it was written. */
  take(written: Json): void {
    const index = this.#seen
    this.#seen += 1
    if (!this.#mayGo) return
    const mended = mendStep(written, this.#world.tools)
    const parsed = stepSchema.safeParse(mended)
    if (parsed.success && this.#begun.has(parsed.data.id)) return
    if (!parsed.success || !maySetOut(parsed.data, this.#before, this.#world)) {
      this.#mayGo = false // A1
      return
    }
    this.#before.set(parsed.data.id, parsed.data)
    this.#out.push({ index, written })
    this.#ready.push(mended as Step)
  }

  /** Steps that may set out and have not yet. */
  drain(): readonly Step[] {
    const ready = this.#ready
    this.#ready = []
    return ready
  }

  /** Indices of the steps that have set out. */
  get out(): ReadonlySet<number> {
    return new Set(this.#out.map(({ index }) => index))
  }

  /** Whether what has set out stands so in the whole (A2): an answer may have the same key twice. */
  standsIn(whole: readonly Json[]): boolean {
    if (this.#out.length === 0) return true
    if (whole.length !== this.#seen) return false
    return this.#out.every(({ index, written }) => canonicalJson(whole[index]) === canonicalJson(written))
  }
}
