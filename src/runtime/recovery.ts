// How a run is gone on with, and whether it can be.
//
// R1. Nothing that has changed is mixed in silently: it is refused with its name, or accepted and recorded.
import { PlanloomError } from '../errors.ts'
import type { JournalEvent } from '../journal/journal.ts'
import type { RunStarted } from '../machines/coordinator.messages.ts'
import type { ToolTraits } from '../machines/settings.messages.ts'
import { changesSince, type RunChange } from './changes.ts'
import type { Recovery } from './host.ts'
import { foldJournal } from './replay.ts'
import type { ResumeOptions } from './runtime.ts'

type Traits = Readonly<Record<string, ToolTraits>>

/** @throws `JOURNAL_BROKEN` where the record does not begin with the run's start */
export function startOf([first]: readonly JournalEvent[], runId: string): RunStarted {
  if (first?.type === 'run.started') return first
  throw new PlanloomError('JOURNAL_BROKEN', `The record of run "${runId}" does not begin with "run.started".`, {
    hint: 'Nothing of the run had been recorded when its process ended: start it again.',
    where: { runId },
  })
}

export interface Present {
  readonly traits: Traits
  readonly planner: string
  readonly given: Pick<ResumeOptions, 'changes' | 'by' | 'uncertain'>
}

/** How a run is gone on with. @throws `RUN_CHANGED`, with all that is not as it was, unless changes are accepted */
export function recoveryOf(past: readonly JournalEvent[], { traits, planner, given }: Present): Recovery {
  const before =
    past.findLast((event) => event.type === 'run.recovered' || event.type === 'run.forked') ??
    past.find((event) => event.type === 'run.started')
  const now = { tools: traits, planner }
  const changes = before === undefined ? [] : changesSince(before, now, () => foldJournal(past).context)
  if (!areAccepted(changes, given.changes)) {
    const told = changes.filter(({ isNeeded }) => isNeeded || typeof given.changes === 'function')
    throw new PlanloomError('RUN_CHANGED', `The run cannot simply go on: ${inWords(told)}.`, {
      hint: "Bring back what it began with, or resume it with changes: 'accept'.",
    })
  }
  const message: Recovery['message'] = {
    type: 'run.recovered',
    tools: traits,
    planner,
    ...(changes.length > 0 && { changes: changes.map(({ text }) => text) }),
    ...(given.uncertain !== undefined && { uncertain: given.uncertain }),
    ...(given.by !== undefined && { by: given.by }),
  }
  return { past, message }
}

function areAccepted(changes: readonly RunChange[], policy: ResumeOptions['changes'] = 'refuse'): boolean {
  if (changes.length === 0 || policy === 'accept') return true
  return policy === 'refuse' ? changes.every(({ isNeeded }) => !isNeeded) : policy(changes)
}

function inWords(changes: readonly RunChange[]): string {
  return changes.map(({ text }) => text).join('; ')
}
