// What was asked of the runs of a journal in memory.
import { isOpen, overRefusal, type RequestRefusal, type RunCommand, type RunRequest } from './requests.ts'

type End = { readonly seq: number } | { readonly refused: RequestRefusal }

export class MemoryRequests {
  readonly #now: () => number
  readonly #byRun = new Map<string, RunRequest[]>()
  readonly #listeners = new Map<string, () => void>()
  #latest = 0

  constructor(now: () => number) {
    this.#now = now
  }

  /** All of a run, oldest first. */
  of(runId: string): readonly RunRequest[] {
    return [...(this.#byRun.get(runId) ?? [])]
  }

  open(runId: string): readonly RunRequest[] {
    return this.of(runId).filter(isOpen)
  }

  /** @returns its number */
  add(runId: string, command: RunCommand, by: string | undefined): number {
    const number = ++this.#latest
    const at = this.#now()
    const request = { number, runId, at, ...(by !== undefined && { by }), command: structuredClone(command) }
    this.#byRun.set(runId, [...this.of(runId), request])
    const listener = this.#listeners.get(runId)
    if (listener) queueMicrotask(listener)
    return number
  }

  /** A request that has come to its end stays as it is. */
  settle(runId: string, number: number, end: End): void {
    const requests = this.#byRun.get(runId) ?? []
    const at = requests.findIndex((one) => one.number === number && isOpen(one))
    const request = requests[at]
    if (request !== undefined) requests[at] = { ...request, ...end }
  }

  /** The run is over (I3). */
  refuseAll(runId: string): void {
    for (const { number } of this.open(runId)) this.settle(runId, number, { refused: overRefusal(runId) })
  }

  listen(runId: string, listener: () => void): void {
    this.#listeners.set(runId, listener)
    if (this.open(runId).length > 0) queueMicrotask(listener)
  }

  leave(runId: string): void {
    this.#listeners.delete(runId)
  }

  forget(runId: string): void {
    this.#byRun.delete(runId)
  }
}
