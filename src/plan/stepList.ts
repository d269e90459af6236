// Steps in order, as a linked list by id: any operation of a patch costs the same for any plan.
import type { Step } from './schema.ts'

interface Node {
  step: Step
  previous: Node | undefined
  next: Node | undefined
}

export class StepList implements Iterable<Step> {
  readonly #nodes = new Map<string, Node>()
  #first: Node | undefined
  #last: Node | undefined

  /** Looks steps up by id; iterates in no particular order. */
  readonly byId: ReadonlyMap<string, Step>

  constructor(steps: Iterable<Step>) {
    for (const step of steps) this.insert(step)
    const nodes = this.#nodes
    this.byId = {
      get: (id: string) => nodes.get(id)?.step,
      has: (id: string) => nodes.has(id),
    } as ReadonlyMap<string, Step>
  }

  get(id: string): Step | undefined {
    return this.#nodes.get(id)?.step
  }

  set(step: Step): void {
    const node = this.#nodes.get(step.id)
    if (node) node.step = step
  }

  insert(step: Step, before?: string): void {
    const node: Node = { step, previous: undefined, next: undefined }
    this.#nodes.set(step.id, node)
    this.#place(node, before === undefined ? undefined : this.#nodes.get(before))
  }

  remove(id: string): void {
    const node = this.#nodes.get(id)
    if (node === undefined) return
    this.#take(node)
    this.#nodes.delete(id)
  }

  move(id: string, before?: string): void {
    const node = this.#nodes.get(id)
    if (node === undefined) return
    this.#take(node)
    this.#place(node, before === undefined ? undefined : this.#nodes.get(before))
  }

  toArray(): Step[] {
    return [...this]
  }

  *[Symbol.iterator](): Generator<Step> {
    for (let node = this.#first; node !== undefined; node = node.next) yield node.step
  }

  #place(node: Node, before: Node | undefined): void {
    node.next = before
    node.previous = before === undefined ? this.#last : before.previous
    if (node.previous) node.previous.next = node
    else this.#first = node
    if (before) before.previous = node
    else this.#last = node
  }

  #take(node: Node): void {
    if (node.previous) node.previous.next = node.next
    else this.#first = node.next
    if (node.next) node.next.previous = node.previous
    else this.#last = node.previous
  }
}
