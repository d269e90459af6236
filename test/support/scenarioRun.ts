// Carries out a scenario with the real runtime, on a clock that stands still while anything can happen.
import { isDeepStrictEqual } from 'node:util'
import { z } from 'zod'
import {
  createRuntime,
  defineTool,
  memoryJournal,
  type Journal,
  type Planner,
  type Run,
  type Runtime,
  type Transition,
} from '../../src/index.ts'
import { drawFrom, operationsFor, type Act, type Scenario } from '../arbitraries/scenarios.ts'
import { journalLeft } from './lostProcess.ts'
import { mortalJournal } from './mortalJournal.ts'
import { collectTransitions, factsOf } from './runs.ts'
import { settlePromises, VirtualClock } from './virtualClock.ts'

export const graceMs = 50
export const mostReplans = 15

/** An attempt as its tool saw it. */
export interface Seen {
  readonly stepId: string
  readonly attempt: number
  readonly startedAt: number
  readonly signal: AbortSignal
  /** Which of the run's processes it was in, from 0. */
  readonly life: number
}

export interface Played {
  readonly run: Run
  readonly journal: Journal
  readonly clock: VirtualClock
  readonly transitions: readonly Transition[]
  readonly attempts: readonly Seen[]
  /** Processes that have ended under it. */
  readonly lives: number
  /** What must not be, found on the way. */
  readonly wrong: readonly string[]
}

const codes = ['COMMAND_REFUSED', 'RUN_OVER', 'PATCH_REFUSED', 'PLAN_INVALID', 'ANSWER_INVALID']
const answer = { v: 3, list: [{ k: 1 }] }

export async function playScenario(scenario: Scenario): Promise<Played> {
  const draw = drawFrom(scenario.luck)
  const attempts: Seen[] = []
  const wrong: string[] = []
  let fresh = 0
  const freshId = (): string => `n${fresh++}`
  let life = 0

  let clock = new VirtualClock({ seed: scenario.seed })
  let journal = memoryJournal()
  let mortal = mortalJournal(journal, scenario.deaths[0])
  let runtime = runtimeFor(scenario, { clock, journal: mortal, draw, attempts, life }, freshId)
  let run = runtime.start({ text: 'anything', partial: scenario.partial })
  let { seen: transitions } = collectTransitions(run)
  await settlePromises(2)

  /** Where the process is dead, another one goes on with the run. Nobody turns the clock of the dead one any more. */
  async function revive(): Promise<void> {
    while (mortal.isDead()) {
      life += 1
      clock = new VirtualClock({ seed: scenario.seed, startAt: clock.now() })
      journal = journalLeft(journal)
      mortal = mortalJournal(journal, scenario.deaths[life])
      runtime = runtimeFor(scenario, { clock, journal: mortal, draw, attempts, life }, freshId)
      run = await runtime.resume(run.id)
      transitions = collectTransitions(run).seen
      await settlePromises(2)
    }
  }
  function say(what: string, command: () => void): void {
    const before = [transitions.length, run.state, run.plan?.revision, factsOf(run)]
    try {
      command()
    } catch (error) {
      const { code, message } = error as { readonly code?: string; readonly message: string }
      if (code === undefined || !codes.includes(code)) wrong.push(`${what} threw ${String(code)}: ${message}`)
      const after = [transitions.length, run.state, run.plan?.revision, factsOf(run)]
      if (!isDeepStrictEqual(before, after)) wrong.push(`${what} was refused, and changed something`)
    }
  }
  for (const act of scenario.acts) {
    await revive()
    await clock.advance(act.afterMs)
    if (run.outcome !== undefined) break
    say(act.kind, () => {
      perform(run, act, draw, freshId)
    })
  }
  for (let rounds = 0; rounds < 400 && (run.outcome === undefined || mortal.isDead()); rounds++) {
    await revive()
    giveWhatItWaitsFor(run, draw, say)
    await clock.advance(10)
  }
  await clock.advance(3000) // what ignores its signal comes to its end
  if (run.outcome === undefined) wrong.push(`it never ends: ${whereIs(run)}`)
  if (clock.pending > 0) wrong.push(`${clock.pending} timers are left`)
  const broken = run.outcome?.reason
  if (broken === 'internal_error' || broken === 'executor_failed') wrong.push(`it broke: ${run.outcome?.message}`)
  if (run.outcome?.message.startsWith('Nothing is running')) wrong.push(`it stopped short: ${run.outcome.message}`)
  await runtime.close()
  return { run, journal, clock, transitions, attempts, wrong, lives: life }
}

interface Life {
  readonly clock: VirtualClock
  readonly journal: Journal
  readonly draw: (below: number) => number
  readonly attempts: Seen[]
  readonly life: number
}

function runtimeFor(
  { steps, assumptions, approval, uncertain, concurrency, seed }: Scenario,
  { clock, journal, draw, attempts, life }: Life,
  freshId: () => string,
): Runtime {
  const tool = (name: string, gives: string, more: object = {}) =>
    defineTool({
      name,
      description: name,
      input: z.looseObject({}),
      output: z.object({ v: z.unknown(), list: z.array(z.unknown()) }),
      gives: { [gives]: '/v' },
      ...more,
      run: async (_input, { stepId, attempt, signal }) => {
        attempts.push({ stepId, attempt, startedAt: clock.now(), signal, life })
        const luck = draw(100)
        const list = Array.from({ length: draw(4) }, (_, k) => ({ k }))
        await clock.wait(draw(8), draw(3) === 0 ? undefined : signal) // some do not look at it
        if (luck < 15) throw new Error(`broken ${luck % 2}`)
        return { v: luck < 25 ? 'odd' : luck % 5, list }
      },
    })
  const planner: Planner = {
    name: 'random',
    plan: () => ({ steps, assumptions }),
    async replan({ plan }, { signal }) {
      await clock.wait(draw(10), signal)
      const luck = draw(20)
      if (luck < 3) return { giveUp: 'tired' }
      if (luck < 7) return { keep: 'it stands' }
      if (luck < 8) throw new Error('no idea')
      return { patch: operationsFor(plan, draw, freshId) }
    },
  }
  return createRuntime({
    tools: [
      tool('work', 'f'),
      tool('pay', 'g', { effects: 'external' }),
      tool('mail', 'i', { effects: 'external', check: () => checked(draw) }),
      tool('narrow', 'h', { concurrency: 1 }),
    ],
    planner,
    journal,
    clock,
    seed,
    approval,
    uncertain,
    limits: { concurrency, graceMs, replans: mostReplans, plannerMs: 2000 },
  })
}

function perform(run: Run, { kind, nth }: Act, draw: (below: number) => number, freshId: () => string): void {
  const ids = [...run.ledger()].map(({ id }) => id)
  const stepId = ids.length === 0 ? 'nobody' : (ids[nth % ids.length] as string)
  switch (kind) {
    case 'pause':
    case 'resume':
      run[kind]()
      break
    case 'edit':
      run.edit(run.plan ? operationsFor(run.plan, draw, freshId) : [])
      break
    case 'retry':
    case 'skip':
      run[kind](stepId)
      break
    case 'report':
      run.report(nth % 2 === 0 ? 'f' : 'q', nth % 5)
      break
    case 'answer':
      run.answer(run.questions.find((question) => question.kind === 'answer')?.stepId ?? stepId, answer)
      break
    case 'approve':
      run.approve()
      break
    case 'approveStep':
      run.approve({ stepId })
      break
    case 'reject':
      run.reject('no')
      break
    case 'rejectStep':
      run.reject('no', { stepId })
      break
    case 'extend':
      run.extend({ concurrency: 4 })
      break
    case 'cancel':
      if (nth % 3 === 0) run.cancel()
  }
}

function checked(draw: (below: number) => number): unknown {
  const luck = draw(10)
  if (luck < 4) return { happened: true, output: answer }
  if (luck < 7) return { happened: false }
  return luck < 9 ? { unknown: 'no idea' } : Promise.reject(new Error('no line'))
}

function giveWhatItWaitsFor(
  run: Run,
  draw: (below: number) => number,
  say: (what: string, command: () => void) => void,
): void {
  if (run.state === 'paused') say('resume', () => run.resume())
  if (run.state === 'approving') say('approve', () => run.approve())
  for (const { stepId, kind } of run.questions) {
    if (kind === 'approval') say('approve a step', () => run.approve({ stepId }))
    else if (kind === 'answer' || draw(3) === 0) say('answer', () => run.answer(stepId, answer))
    else if (draw(2) === 0) say('retry', () => run.retry(stepId))
    else say('skip', () => run.skip(stepId))
  }
}

function whereIs(run: Run): string {
  const steps = [...run.ledger()].map(({ id, status }) => `${id} ${status}`)
  return `${run.state}; ${steps.join(', ')}; ${JSON.stringify(run.questions)}; ${JSON.stringify(run.troubles)}`
}
