// What was done with one file, step after step, and why that was not enough where it was not.
import type { FileRecognition } from '../audit.ts'
import type { History, StepRecord } from './history.ts'

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

/** Why a file could not be read: what failed, or else why it was given up. */
export function whyUnread(
  history: History | undefined,
  number: number,
  recognition: FileRecognition | undefined,
): string {
  const own = (history?.steps ?? []).filter(({ item }) => item === number)
  const failures = own.flatMap(({ failure }) => (failure === undefined ? [] : [inWords(failure)]))
  if (failures.length > 0) return [...new Set(failures)].join(' ')
  const abandoned = own.find((step) => step.abandoned !== undefined)?.abandoned
  return abandoned ?? (recognition === undefined ? 'It could not be looked at.' : 'No tool reads it.')
}

function inWords({ message, hint }: NonNullable<StepRecord['failure']>): string {
  return hint === undefined ? message : `${message} ${hint}`
}
