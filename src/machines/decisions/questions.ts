// Questions of attempts that are carried out by an executor: put to people like those of person steps, and told to the attempt.
//
// Q1. While an attempt waits for a person it counts as one of theirs: its place is free for others. With the answer it goes on when
//     there is a place again, before anything new goes out.
// Q2. An attempt has one open question at most. An answer that names a question answers that one or none.
// Q3. What was answered stays known: each later attempt of the same content is told it.
import { resolveReferences } from '../../plan/references.ts'
import type { JsonObject } from '../../plan/json.ts'
import type { Step } from '../../plan/schema.ts'
import type { Said } from '../command.messages.ts'
import type { StepAnswered, StepAsked, StepUnanswered } from '../coordinator.messages.ts'
import { lookUp } from './advance.ts'
import { countAsItIs, countOut, laneHasRoom, laneOf, roleOf } from './lanes.ts'
import type { Entry } from './ledger.ts'
import { openQuestion, type StepQuestions } from './questionBook.ts'
import { isUnattended } from './refusal.ts'
import type { Turn } from './turn.ts'
import { putBack } from './uncertain.ts'

export function takeQuestion(turn: Turn, { stepId, attempt, text }: StepAsked): void {
  const entry = turn.entries.get(stepId)
  const step = turn.steps.get(stepId)
  const before = turn.questions.get(stepId)
  const isLive = entry?.status === 'running' && entry.attempt === attempt && turn.verdict === undefined
  if (!isLive || step === undefined || before?.waits !== undefined) {
    turn.late += 1 // Q2
    return
  }
  const { generation } = entry
  const number = (before?.count ?? 0) + 1
  const ended = before?.generation === generation ? before.ended : []
  waitFor(turn, step, { generation, count: number, ended, open: { number, text }, waits: 'attempt' })
  turn.commands.push({ type: 'step.ask', ...aboutAttempt(turn, step, entry), question: number, text })
}

export function takeAnswer(turn: Turn, step: Step, entry: Entry, event: StepAnswered): void {
  end(turn, step, entry, { answer: event.value }, isUnattended(event))
}

export function takeNoAnswer(turn: Turn, event: StepUnanswered): void {
  const { stepId, attempt, question, failure } = event
  const entry = turn.entries.get(stepId)
  const step = turn.steps.get(stepId)
  const isOpen = entry?.status === 'running' && entry.attempt === attempt
  if (!isOpen || step === undefined || openQuestion(turn, stepId)?.number !== question) turn.late += 1
  else end(turn, step, entry, { failure }, isUnattended(event))
}

/** The process that had the attempt is gone: its question stays, and where that has its answer, another attempt goes out. */
export function askAgain(turn: Turn, step: Step, entry: Entry): void {
  const known = turn.questions.get(step.id)
  if (known?.open === undefined) {
    goOutAnew(turn, step, entry)
    return
  }
  turn.questions = turn.questions.set(step.id, { ...known, waits: 'nobody' })
  const { number, text } = known.open
  const { timeoutMs } = step
  const { startedAt = turn.now } = entry
  turn.commands.push({
    type: 'step.ask',
    ...aboutAttempt(turn, step, entry),
    question: number,
    text,
    ...(timeoutMs !== undefined && { timeoutMs: Math.max(0, startedAt + timeoutMs - turn.now) }),
  })
}

/** Attempts that have their answers go on, as far as there are places (Q1). */
export function goOnAnswered(turn: Turn): void {
  if (turn.answered.size === 0 || turn.verdict !== undefined) return
  turn.answered = turn.answered.filter((id) => !goOn(turn, id))
}

/** @returns whether it need not wait any more. */
function goOn(turn: Turn, id: string): boolean {
  const step = turn.steps.get(id)
  const entry = turn.entries.get(id)
  const known = turn.questions.get(id)
  const said = known?.ended.at(-1)
  if (step === undefined || entry === undefined || known?.waits !== 'place' || said === undefined) return true
  if (!laneHasRoom(turn, laneOf(turn, step))) return false
  waitFor(turn, step, { ...known, waits: undefined })
  const { runId } = turn.run
  const { attempt } = entry
  turn.commands.push({
    type: 'step.tell',
    runId,
    stepId: id,
    attempt,
    role: roleOf(turn.run, step),
    said: 'answer' in said ? { answer: said.answer } : { failure: said.failure },
  })
  return true
}

function end(turn: Turn, step: Step, entry: Entry, said: Said, isAlone: boolean): void {
  const { id } = step
  const known = turn.questions.get(id)
  if (known?.open === undefined) return
  const { waits, open } = known
  const ended = [...known.ended, { text: open.text, ...said }]
  turn.questions = turn.questions.set(id, { ...known, ended, open: undefined, waits: 'place' })
  if (isAlone) return // what the end of the process has left of the attempt is for `run.recovered` to say
  turn.commands.push({ type: 'step.askAbort', stepId: id, attempt: entry.attempt, because: 'It has been answered.' })
  if (waits === 'nobody') goOutAnew(turn, step, entry)
  else {
    turn.answered = turn.answered.push(id)
    goOnAnswered(turn) // what is out goes on, also in a pause
  }
}

function goOutAnew(turn: Turn, step: Step, entry: Entry): void {
  countOut(turn, step, -1)
  putBack(turn, step.id, entry)
}

/** Counts the step anew, as what it waits for. */
function waitFor(turn: Turn, step: Step, questions: StepQuestions): void {
  countAsItIs(turn, step, -1)
  turn.questions = turn.questions.set(step.id, questions)
  countAsItIs(turn, step, 1)
}

function aboutAttempt(
  turn: Turn,
  step: Step,
  { attempt }: Entry,
): { readonly runId: string; readonly stepId: string; readonly attempt: number; readonly input: JsonObject } {
  const input = resolveReferences(step.input ?? {}, (reference) => lookUp(turn, reference))
  return { runId: turn.run.runId, stepId: step.id, attempt, input: 'value' in input ? input.value : {} }
}
