// What was done with one file, step after step.
import type { History, StepRecord } from './history.ts'
import { inWords } from './whyUnread.ts'

export interface FileStep {
  readonly tool: string
  /** As in the ledger; `replaced` where another step took its place before it began. */
  readonly status: string
  readonly failure?: string
  readonly seconds?: number
}

/** The steps of a file in the order in which they began; those that never did stand behind the one that they rested on. */
export function stepsOfFile(history: History | undefined, number: number): FileStep[] {
  const own = (history?.steps ?? []).filter(
    ({ item, tool, status }) => item === number && tool !== undefined && status !== 'waiting',
  )
  const isDropped = (step: StepRecord) => step.replaced && step.seconds === undefined && step.failure === undefined
  const [first, ...rest] = own.filter((step) => !isDropped(step))
  const dropped = own.filter(isDropped)
  return [...(first ? [first] : []), ...dropped, ...rest].map((step) => ({
    tool: step.tool ?? '',
    status: isDropped(step) ? 'replaced' : step.status,
    ...(step.failure && { failure: inWords(step.failure) }),
    ...(step.seconds !== undefined && { seconds: step.seconds }),
  }))
}
