// What a pool does about each message, as plain functions: they change a working copy of its context and say what is to
// be done to executors and told to the host, in order. giveOut and takeOutcome run for every step.
import { Map as PersistentMap } from 'immutable'
import { dropAttempt, emptyQueue, putAttempt, takeAttempt } from './attemptQueue.ts'
import type { HostMessage } from './behaviour.messages.ts'
import type { StepAbort, StepExecute } from './command.messages.ts'
import type { Failure } from './reports.messages.ts'
import { attemptKey, type AttemptSettled } from './executor.messages.ts'
import { mayGrow, mostExecutors, type FreeExecutor, type HeldAttempt, type PoolContext } from './pool.context.ts'
import type { ExecutorCrashed } from './pool.messages.ts'
import { successorOf } from './successor.ts'

export type PoolCommand =
  | { readonly type: 'start' | 'stop'; readonly executorId: string }
  | { readonly type: 'tell'; readonly executorId: string; readonly message: StepExecute | StepAbort }
  | { readonly type: 'report'; readonly message: HostMessage }

export interface PoolTurn {
  context: PoolContext
  readonly commands: PoolCommand[]
}

/** The common case: notes that the free executor has the attempt. */
export function takeFree({ free, held }: PoolContext, work: StepExecute): Partial<PoolContext> {
  if (free === undefined) return {}
  return { free: free.next, held: held.set(attemptKey(work), { executorId: free.id, work, stopping: undefined }) }
}

/** The common case: notes that the executor is free again. */
export function setFree({ free, held }: PoolContext, { executorId, outcome }: AttemptSettled): Partial<PoolContext> {
  return { free: { id: executorId, next: free }, held: held.delete(attemptKey(outcome)) }
}

/** Gives an attempt to a free executor, to a new one, or to the queue. One that is here already is not taken twice. */
export function giveOut(turn: PoolTurn, work: StepExecute): void {
  const { context } = turn
  const key = attemptKey(work)
  if (context.held.has(key)) return
  const { free } = context
  if (free !== undefined) {
    turn.context = { ...context, free: free.next }
    hold(turn, key, free.id, work)
  } else if (makeRoom(turn)) {
    hold(turn, key, startExecutor(turn), work)
  } else turn.context = { ...context, queue: putAttempt(context.queue, work) }
}

/** Passes on how an attempt ended, and gives its executor the next one. */
export function takeOutcome(turn: PoolTurn, { executorId, outcome }: AttemptSettled): void {
  const { context } = turn
  const key = attemptKey(outcome)
  const held = context.held.get(key)
  if (held?.executorId !== executorId) return
  turn.commands.push({ type: 'report', message: outcome })
  turn.context = {
    ...context,
    held: context.held.delete(key),
    stopping: held.stopping === undefined ? context.stopping : context.stopping - 1,
  }
  if (held.stopping !== undefined && isTooMany(turn.context)) stopExecutor(turn, executorId)
  else employ(turn, executorId)
}

/** Has the signal of an attempt fire, or takes it out of the queue. */
export function abortAttempt(turn: PoolTurn, command: StepAbort): void {
  const { context } = turn
  const key = attemptKey(command)
  const held = context.held.get(key)
  if (held === undefined) {
    const queue = dropAttempt(context.queue, key)
    if (queue === context.queue) return
    turn.context = { ...context, queue }
    reportFailure(turn, command, abortedFailure(command.because))
  } else if (held.stopping === undefined) {
    turn.context = {
      ...context,
      held: context.held.set(key, { ...held, stopping: context.aborts }),
      stopping: context.stopping + 1,
      aborts: context.aborts + 1,
    }
    turn.commands.push({ type: 'tell', executorId: held.executorId, message: command })
    serveQueue(turn)
  }
}

export function abortEverything(turn: PoolTurn, because: string): void {
  const { queue, held } = turn.context
  turn.context = { ...turn.context, queue: emptyQueue }
  for (const work of queue.attempts.values()) reportFailure(turn, work, abortedFailure(because))
  for (const { work } of held.values()) {
    abortAttempt(turn, { type: 'step.abort', stepId: work.stepId, attempt: work.attempt, role: work.role, because })
  }
}

/** Answers the attempt of an executor that has died, and puts a new one in its place. */
export function replaceExecutor(turn: PoolTurn, crash: ExecutorCrashed): void {
  if (!buryExecutor(turn, crash)) return
  const { context } = turn
  const { intensity, now } = context.settings
  turn.context = { ...context, restarts: [...context.restarts, now()].slice(-intensity) }
  if (mayGrow(turn.context)) employ(turn, startExecutor(turn, successorOf(crash.actorId)))
}

/** Answers the attempt of an executor that has died, and takes it off the list. @returns whether it was on it. */
export function buryExecutor(turn: PoolTurn, crash: ExecutorCrashed): boolean {
  const { context } = turn
  const { actorId } = crash
  const held = context.held.findEntry((attempt) => attempt.executorId === actorId)
  const isFree = held === undefined && isAmong(context.free, actorId)
  if (held === undefined && !isFree) return false
  stopExecutor(turn, actorId)
  if (isFree) turn.context = { ...turn.context, free: without(turn.context.free, actorId) }
  if (held !== undefined) {
    release(turn, held[0], held[1])
    reportFailure(turn, held[1].work, crashFailure(crash))
  }
  return true
}

/** Gives up: too many executors have died. What was out and what waited is answered. */
export function failWithExecutor(turn: PoolTurn, crash: ExecutorCrashed): void {
  buryExecutor(turn, crash)
  const { context } = turn
  const { role, intensity, periodMs } = context.settings
  const failure: Failure = {
    code: 'POOL_FAILED',
    message: `The executors of role "${role}" crashed more than ${String(intensity)} times within ${String(periodMs)} ms; the last time: ${textOf(crash.error)}`,
    hint: 'This is a defect of the executor, not of a tool: it must answer with a failure instead of throwing.',
    retryable: false,
  }
  turn.commands.push({ type: 'report', message: { type: 'actor.failed', actor: 'executor', failure } })
  for (const { work, executorId } of context.held.values()) {
    turn.commands.push({ type: 'stop', executorId })
    reportFailure(turn, work, { ...failure, code: 'EXECUTOR_CRASHED' })
  }
  for (let free = context.free; free !== undefined; free = free.next)
    turn.commands.push({ type: 'stop', executorId: free.id })
  for (const work of context.queue.attempts.values()) reportFailure(turn, work, failure)
  turn.context = { ...context, held: PersistentMap(), free: undefined, queue: emptyQueue, alive: 0, stopping: 0 }
}

/** Answers an attempt that cannot be taken any more. */
export function refuse(turn: PoolTurn, work: StepExecute): void {
  reportFailure(turn, work, {
    code: 'POOL_CLOSED',
    message: `Step "${work.stepId}" was not begun: the executors of role "${work.role}" take no more work.`,
    retryable: false,
  })
}

/** Gives a free executor what has waited longest, or notes that it is free. */
function employ(turn: PoolTurn, executorId: string): void {
  const { context } = turn
  const next = takeAttempt(context.queue)
  if (next === undefined) turn.context = { ...context, free: { id: executorId, next: context.free } }
  else {
    turn.context = { ...context, queue: next.rest }
    hold(turn, attemptKey(next.work), executorId, next.work)
  }
}

/** Starts executors for what waits, where an abort has made room. */
function serveQueue(turn: PoolTurn): void {
  while (turn.context.queue.attempts.size > 0 && makeRoom(turn)) employ(turn, startExecutor(turn))
}

function hold(turn: PoolTurn, key: string, executorId: string, work: StepExecute): void {
  const { context } = turn
  turn.context = { ...context, held: context.held.set(key, { executorId, work, stopping: undefined }) }
  turn.commands.push({ type: 'tell', executorId, message: work })
}

function release(turn: PoolTurn, key: string, { stopping }: HeldAttempt): void {
  const { context } = turn
  turn.context = {
    ...context,
    held: context.held.delete(key),
    stopping: stopping === undefined ? context.stopping : context.stopping - 1,
  }
}

/** Whether one more executor may be started; where too many hang, lets go of the one that has hung longest. */
function makeRoom(turn: PoolTurn): boolean {
  if (!mayGrow(turn.context)) return false
  if (turn.context.alive < mostExecutors) return true
  const hung = oldestStopping(turn.context)
  if (hung === undefined) return false
  const [key, held] = hung
  stopExecutor(turn, held.executorId)
  release(turn, key, held)
  reportFailure(turn, held.work, abortedFailure('its tool ignores the signal, and its executor was needed'))
  return true
}

function oldestStopping({ held }: PoolContext): readonly [string, HeldAttempt] | undefined {
  let oldest: readonly [string, HeldAttempt] | undefined
  for (const entry of held) {
    const { stopping } = entry[1]
    if (stopping !== undefined && stopping < (oldest?.[1].stopping ?? Infinity)) oldest = entry
  }
  return oldest
}

/** More executors could work than the pool has room for: an aborted one has come back, and was replaced meanwhile. */
function isTooMany({ alive, stopping, settings }: PoolContext): boolean {
  return alive - stopping > settings.size
}

function startExecutor(turn: PoolTurn, successor?: string): string {
  const { context } = turn
  const places = successor === undefined ? context.places + 1 : context.places
  const executorId = successor ?? `${context.settings.name}-${String(places)}`
  turn.context = { ...context, places, alive: context.alive + 1 }
  turn.commands.push({ type: 'start', executorId })
  return executorId
}

function stopExecutor(turn: PoolTurn, executorId: string): void {
  turn.context = { ...turn.context, alive: turn.context.alive - 1 }
  turn.commands.push({ type: 'stop', executorId })
}

function isAmong(free: FreeExecutor | undefined, id: string): boolean {
  for (let rest = free; rest !== undefined; rest = rest.next) if (rest.id === id) return true
  return false
}

function without(free: FreeExecutor | undefined, id: string): FreeExecutor | undefined {
  if (free === undefined || free.id === id) return free?.next
  return { id: free.id, next: without(free.next, id) }
}

function reportFailure(
  turn: PoolTurn,
  about: { readonly stepId: string; readonly attempt: number },
  failure: Failure,
): void {
  const { stepId, attempt } = about
  turn.commands.push({ type: 'report', message: { type: 'step.failed', stepId, attempt, failure } })
}

function abortedFailure(because: string): Failure {
  return { code: 'ABORTED', message: `The attempt was stopped: ${because}.`, retryable: false }
}

function crashFailure({ actorId, error }: ExecutorCrashed): Failure {
  return {
    code: 'EXECUTOR_CRASHED',
    message: `The executor "${actorId}" crashed: ${textOf(error)}`,
    hint: 'This is a defect of the executor, not of a tool: it must answer with a failure instead of throwing.',
    retryable: true,
  }
}

function textOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error)
}
