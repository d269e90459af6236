// Going on with a run whose process has ended: nothing that was out has an executor any more.
//
// G1. What was out goes out again, as a new attempt with the same idempotency key, where doing it twice does no harm;
//     otherwise the step is uncertain (B1). It does not count as a try, and has the whole of its time limit: nothing of the
//     attempt before it goes on.
// G2. Timers go on from their times: one whose time has passed fires at once.
// G3. People, and the planner, are asked again what they were asked; a person's deadline stays where it was.
// G4. What was being found out is found out anew, by the tools and the policy that there are now.
// G5. What was out of a run that is paused goes out when the pause ends, but for what people and sub-runs have in hand.
// G6. A run that was being stopped has nothing left to wait for.
import { resolveReferences } from '../../plan/references.ts'
import type { Step } from '../../plan/schema.ts'
import type { RunForked, RunRecovered } from '../coordinator.messages.ts'
import { lookUp } from './advance.ts'
import { stopWaiting } from './close.ts'
import { executeCommand } from './dispatch.ts'
import { mayHaveHadEffect } from './effects.ts'
import { expandReady } from './expand.ts'
import { countOut, roleOf } from './lanes.ts'
import type { Entry } from './ledger.ts'
import { askAfterRecovery } from './planner.ts'
import { entriesNow, setEntry, type Turn } from './turn.ts'
import { makeUncertain, processEnded, putBack, resolveDoubt } from './uncertain.ts'

type GoneOnWith = RunRecovered | RunForked

export function recover(turn: Turn, event: GoneOnWith): void {
  takeOver(turn, event, takeUp)
}

export function recoverPaused(turn: Turn, event: GoneOnWith): void {
  takeOver(turn, event, (paused, step, entry, why) => {
    if (goesOnByItself(paused, step, entry)) takeUp(paused, step, entry, why)
    else {
      countOut(paused, step, -1)
      putBack(paused, step.id, entry) // G1, G5
    }
  })
}

/** @param why a step is uncertain that may have had its effect, in words */
type TakeUp = (turn: Turn, step: Step, entry: Entry, why: string) => void

function takeOver(turn: Turn, { type, tools, planner, uncertain }: GoneOnWith, takeUpOne: TakeUp): void {
  const { settings } = turn.run
  turn.run = { ...turn.run, tools, planner, ...(uncertain && { settings: { ...settings, uncertain } }) }
  if (turn.verdict !== undefined) {
    stopWaiting(turn) // G6
    return
  }
  for (const [key, at] of turn.timers) turn.commands.push({ type: 'timer.set', key, at }) // G2
  for (const id of turn.doubts.keys()) {
    const step = turn.steps.get(id)
    turn.doubts = turn.doubts.delete(id)
    if (step !== undefined) resolveDoubt(turn, step) // G4
  }
  for (const [id, entry] of entriesNow(turn)) {
    const step = turn.steps.get(id)
    if (entry.status === 'running' && step !== undefined) takeUpOne(turn, step, entry, whyUncertain(type, id))
  }
  askAfterRecovery(turn) // G3
  expandReady(turn)
}

function whyUncertain(type: GoneOnWith['type'], id: string): string {
  const what = type === 'run.forked' ? 'The run was forked' : 'The process ended'
  return `${what} while step "${id}" was out, and it cannot be told whether it had its effect.`
}

function takeUp(turn: Turn, step: Step, entry: Entry, why: string): void {
  const { id } = step
  if (mayHaveHadEffect(turn.run, step)) {
    makeUncertain(turn, id, entry, {
      code: processEnded,
      message: why,
      hint: 'Find out outside, and then answer the step (it had), retry it (it had not), or skip it.',
      retryable: false,
    })
    return
  }
  const isAsked = roleOf(turn.run, step) === 'person'
  const again: Entry = isAsked ? entry : { ...entry, attempt: entry.attempt + 1, startedAt: turn.now }
  if (again !== entry) setEntry(turn, id, again)
  const input = resolveReferences(step.input ?? {}, (reference) => lookUp(turn, reference))
  if ('missing' in input) return // it was there when the attempt began, and what is recorded does not go away
  const command = executeCommand(turn, step, again, input.value)
  const { timeoutMs } = command
  const leftMs =
    isAsked && timeoutMs !== undefined && entry.startedAt !== undefined
      ? Math.max(0, entry.startedAt + timeoutMs - turn.now)
      : timeoutMs
  turn.commands.push({
    ...command,
    ...(leftMs !== undefined && { timeoutMs: leftMs }),
    ...(entry.subRunId !== undefined && { subRunId: entry.subRunId }),
  })
}

/** A person who was asked, a sub-run that has begun; and what is uncertain does not go out in any case. */
function goesOnByItself(turn: Turn, step: Step, { subRunId }: Entry): boolean {
  return subRunId !== undefined || roleOf(turn.run, step) === 'person' || mayHaveHadEffect(turn.run, step)
}
