// Going on with a run whose process has ended: nothing that was out has an executor any more.
//
// G1. What was out goes out again, as a new attempt with the same idempotency key, where doing it twice does no harm;
//     otherwise the step is uncertain (B1). It does not count as a try, and has the whole of its time limit: nothing of the
//     attempt before it goes on.
// G2. Timers go on from their times: one whose time has passed fires at once.
// G3. People, and the planner, are asked again what they were asked; a person's deadline stays where it was.
//     An attempt that had asked goes out anew once there is an answer, which it is given.
// G4. What was being found out is found out anew, by the tools and the policy that there are now.
// G5. What was out of a run that is paused goes out when the pause ends, but for what people and sub-runs have in hand.
// G6. A run that was being stopped has nothing left to wait for.
// G7. What an attempt may have done is for the tool to say that it was sent with; whether it may go out again, for that one and
//     for the tool that there is now: an effect is not repeated because somebody has since declared that to do no harm.
import { resolveReferences } from '../../plan/references.ts'
import type { Step } from '../../plan/schema.ts'
import type { RunForked, RunRecovered, RunStarted } from '../coordinator.messages.ts'
import { lookUp, queueReady } from './advance.ts'
import { stopWaiting } from './close.ts'
import { mayRepeatEffect } from './effects.ts'
import { executeCommand } from './execute.ts'
import { expandReady } from './expand.ts'
import { countAsItIs, countOut, roleOf } from './lanes.ts'
import type { Entry } from './ledger.ts'
import { isBegunInDoubt } from './lostEnd.ts'
import { askAfterRecovery } from './planner.ts'
import { isWaitingForPerson, openQuestion } from './questionBook.ts'
import { askAgain } from './questions.ts'
import { entriesNow, setEntry, type Turn } from './turn.ts'
import { makeUncertain, processEnded, putBack, resolveDoubt } from './uncertain.ts'

type GoneOnWith = RunRecovered | RunForked

export function recover(turn: Turn, event: GoneOnWith): void {
  takeOver(turn, event, takeUp)
}

export function recoverPaused(turn: Turn, event: GoneOnWith): void {
  takeOver(turn, event, (paused, step, entry, cut) => {
    if (goesOnByItself(paused, step, entry, cut)) takeUp(paused, step, entry, cut)
    else {
      countOut(paused, step, -1)
      putBack(paused, step.id, entry) // G1, G5
    }
  })
}

/** What cut an attempt short. */
interface Cut {
  /** As the attempt was sent with. */
  readonly tools: RunStarted['tools']
  /** Why the step is uncertain, in words, where it may have had its effect. */
  readonly why: string
}

type TakeUp = (turn: Turn, step: Step, entry: Entry, cut: Cut) => void

function takeOver(turn: Turn, { type, tools, planner, uncertain }: GoneOnWith, takeUpOne: TakeUp): void {
  if (turn.verdict !== undefined) stopWaiting(turn) // G6, G7
  const { settings, tools: before } = turn.run
  useNow(turn, { ...turn.run, tools, planner, ...(uncertain && { settings: { ...settings, uncertain } }) })
  if (turn.verdict !== undefined) return
  for (const [key, at] of turn.timers) turn.commands.push({ type: 'timer.set', key, at }) // G2
  for (const id of turn.doubts.keys()) {
    const step = turn.steps.get(id)
    turn.doubts = turn.doubts.delete(id)
    if (step !== undefined) resolveDoubt(turn, step) // G4
  }
  for (const [id, entry] of entriesNow(turn)) {
    const step = turn.steps.get(id)
    if (entry.status === 'running' && step !== undefined)
      takeUpOne(turn, step, entry, { tools: before, why: whyUncertain(type, id) })
  }
  askAfterRecovery(turn) // G3
  expandReady(turn)
}

/** Other tools may have other limits: what is out, and what waits for its turn, is counted by them from now on. */
function useNow(turn: Turn, run: RunStarted): void {
  const out: Step[] = []
  const ready: Step[] = []
  for (const [id, { status }] of entriesNow(turn)) {
    const step = turn.steps.get(id)
    if (step !== undefined && status === 'running') out.push(step)
    if (step !== undefined && status === 'ready') ready.push(step)
  }
  for (const step of out) countAsItIs(turn, step, -1)
  turn.run = run
  for (const step of out) countAsItIs(turn, step, 1)
  turn.ready = turn.ready.clear()
  for (const step of ready) queueReady(turn, step)
}

function whyUncertain(type: GoneOnWith['type'], id: string): string {
  const what = type === 'run.forked' ? 'The run was forked' : 'The process ended'
  return `${what} while step "${id}" was out, and it cannot be told whether it had its effect.`
}

function takeUp(turn: Turn, step: Step, entry: Entry, { why, tools }: Cut): void {
  const { id } = step
  if (mayRepeatEffect(step, tools, turn.run.tools)) {
    makeUncertain(turn, id, entry, {
      code: processEnded,
      message: why,
      hint: 'Find out outside, and then answer the step (it had), retry it (it had not), or skip it.',
      retryable: false,
    })
    return
  }
  if (isWaitingForPerson(turn, id)) {
    askAgain(turn, step, entry)
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
    ...(entry.subRunId === undefined ? isBegunInDoubt(turn, step) && { inDoubt: true } : { subRunId: entry.subRunId }),
  })
}

/** A person who was asked, by the step or by an attempt of it, a sub-run that has begun; and what is uncertain does not go out in any case. */
function goesOnByItself(turn: Turn, step: Step, { subRunId }: Entry, { tools }: Cut): boolean {
  return (
    subRunId !== undefined ||
    roleOf(turn.run, step) === 'person' ||
    openQuestion(turn, step.id) !== undefined ||
    mayRepeatEffect(step, tools, turn.run.tools)
  )
}
