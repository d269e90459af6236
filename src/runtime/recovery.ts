// What has changed since a run was last gone on with: tools that are gone or are another version, another planner.
//
// R1. Nothing that has changed is mixed in silently: it is refused with its name, or accepted and recorded.
import { PlanloomError } from '../errors.ts'
import type { JournalEvent } from '../journal/journal.ts'
import type { RunStarted, ToolTraits } from '../machines/coordinator.messages.ts'
import type { Recovery } from './host.ts'
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
    past.findLast((event) => event.type === 'run.recovered') ?? past.find((event) => event.type === 'run.started')
  const changes = before === undefined ? [] : changesSince(before, traits, planner)
  if (changes.length > 0 && given.changes !== 'accept') {
    throw new PlanloomError('RUN_CHANGED', `The run cannot simply go on: ${changes.join('; ')}.`, {
      hint: "Bring back what it began with, or resume it with changes: 'accept'.",
    })
  }
  return {
    past,
    tools: traits,
    planner,
    ...(changes.length > 0 && { changes }),
    ...(given.uncertain !== undefined && { uncertain: given.uncertain }),
    ...(given.by !== undefined && { by: given.by }),
  }
}

function changesSince(
  before: { readonly tools: Traits; readonly planner: string },
  traits: Traits,
  planner: string,
): string[] {
  const changes = before.planner === planner ? [] : [`its planner was "${before.planner}", and is "${planner}"`]
  for (const [name, { version }] of Object.entries(before.tools)) {
    const now = Object.hasOwn(traits, name) ? traits[name] : undefined
    if (now === undefined) changes.push(`tool "${name}" is gone`)
    else if (now.version !== version) changes.push(`tool "${name}" was version ${version}, and is ${now.version}`)
  }
  return changes
}
