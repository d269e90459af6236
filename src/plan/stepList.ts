// Steps in order, as a linked list by id: each operation of a patch costs the same, however long the plan is.
import type { Step } from './schema.ts'

interface Link {
  step: Step
  previous: Link | undefined
  next: Link | undefined
}

export class StepList implements Iterable<Step> {
  readonly #links = new Map<string, Link>()
  #first: Link | undefined
  #last: Link | undefined

  constructor(steps: Iterable<Step>) {
    for (const step of steps) this.insert(step)
  }

  get(id: string): Step | undefined {
    return this.#links.get(id)?.step
  }

  /** Takes the place of the step with the same id. */
  set(step: Step): void {
    const link = this.#links.get(step.id)
    if (link) link.step = step
  }

  /** Puts a step before another one, or at the end. */
  insert(step: Step, before?: string): void {
    const link: Link = { step, previous: undefined, next: undefined }
    this.#links.set(step.id, link)
    this.#place(link, before)
  }

  remove(id: string): void {
    const link = this.#links.get(id)
    if (link === undefined) return
    this.#take(link)
    this.#links.delete(id)
  }

  move(id: string, before?: string): void {
    const link = this.#links.get(id)
    if (link === undefined || id === before) return
    this.#take(link)
    this.#place(link, before)
  }

  *[Symbol.iterator](): Generator<Step> {
    for (let link = this.#first; link !== undefined; link = link.next) yield link.step
  }

  #place(link: Link, before: string | undefined): void {
    const next = before === undefined ? undefined : this.#links.get(before)
    link.next = next
    link.previous = next === undefined ? this.#last : next.previous
    if (link.previous) link.previous.next = link
    else this.#first = link
    if (next) next.previous = link
    else this.#last = link
  }

  #take(link: Link): void {
    if (link.previous) link.previous.next = link.next
    else this.#first = link.next
    if (link.next) link.next.previous = link.previous
    else this.#last = link.previous
  }
}
