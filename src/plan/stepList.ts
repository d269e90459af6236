// Steps in order, as a linked list by id: each operation of a patch costs the same, however long the plan is.
interface Link<S> {
  step: S
  previous: Link<S> | undefined
  next: Link<S> | undefined
}

/** Steps, or what else stands for one under its id. */
export class StepList<S extends { readonly id: string }> implements Iterable<S> {
  readonly #links = new Map<string, Link<S>>()
  #first: Link<S> | undefined
  #last: Link<S> | undefined

  constructor(steps: Iterable<S>) {
    for (const step of steps) this.insert(step)
  }

  get(id: string): S | undefined {
    return this.#links.get(id)?.step
  }

  /** Takes the place of the step with the same id. */
  set(step: S): void {
    const link = this.#links.get(step.id)
    if (link) link.step = step
  }

  /** Puts a step before another one, or at the end. */
  insert(step: S, before?: string): void {
    const link: Link<S> = { step, previous: undefined, next: undefined }
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

  *[Symbol.iterator](): Generator<S> {
    for (let link = this.#first; link !== undefined; link = link.next) yield link.step
  }

  #place(link: Link<S>, before: string | undefined): void {
    const next = before === undefined ? undefined : this.#links.get(before)
    link.next = next
    link.previous = next === undefined ? this.#last : next.previous
    if (link.previous) link.previous.next = link
    else this.#first = link
    if (next) next.previous = link
    else this.#last = link
  }

  #take(link: Link<S>): void {
    if (link.previous) link.previous.next = link.next
    else this.#first = link.next
    if (link.next) link.next.previous = link.previous
    else this.#last = link.previous
  }
}
