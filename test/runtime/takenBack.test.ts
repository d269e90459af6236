// Troubles that somebody else deals with while the planner thinks about them: its answer to them counts no more.
import { describe, expect, it } from 'vitest'
import { z } from 'zod'
import {
  createRuntime,
  defineTool,
  type Planner,
  type ReplanAnswer,
  type Run,
  type Tool,
} from '../../src/runtime/index.ts'
import type { Assumption, Step } from '../../src/plan/schema.ts'
import { statusesOf } from '../support/runs.ts'
import { echo, fail, waitTool } from '../support/tools.ts'
import { VirtualClock } from '../support/virtualClock.ts'

interface Situation {
  readonly steps: readonly Step[]
  readonly assumptions?: readonly Assumption[]
  /** Its answers, each after 1,000 ms; the last one again and again. */
  readonly answers?: readonly ReplanAnswer[]
  readonly tools?: readonly Tool[]
  readonly facts?: Record<string, boolean>
  readonly want?: string
  /** When the person acts. @default 100 */
  readonly at?: number
}

const giveUp = { giveUp: 'no idea' }

/** Starts a run whose planner takes a second for each answer, and has a person act meanwhile. */
async function whileThinking(
  { steps, assumptions, answers = [giveUp], tools = [], facts = {}, want, at = 100 }: Situation,
  act: (run: Run) => void,
) {
  const clock = new VirtualClock()
  const asked: (string | undefined)[][] = []
  const signals: AbortSignal[] = []
  const planner: Planner = {
    name: 'thinker',
    plan: () => ({ steps, ...(assumptions && { assumptions }) }),
    replan: async ({ troubles }, { signal }) => {
      const answer = answers[asked.length] ?? answers.at(-1) ?? giveUp
      asked.push(troubles.map(({ stepId, type }) => stepId ?? type))
      signals.push(signal)
      await clock.wait(1000)
      return answer
    },
  }
  await using runtime = createRuntime({ tools: [echo, fail, waitTool(clock), ...tools], planner, clock })
  const run = runtime.start({ text: 'goal', facts, ...(want && { want: [{ fact: want }] }) })
  await clock.runUntil(at)
  expect(run.state).toBe('replanning')
  act(run)
  const outcome = await clock.until(run.result)
  return { run, outcome, asked, signals }
}

/** Fails the first time. */
function flaky(): Tool {
  let isBroken = true
  return defineTool({
    name: 'flaky',
    description: 'Fails the first time.',
    input: z.object({}),
    output: z.object({}),
    run: () => {
      if (!isBroken) return {}
      isBroken = false
      throw new Error('not yet')
    },
  })
}

const pay = defineTool({
  name: 'pay',
  description: 'Pays, and does not say whether it did.',
  input: z.object({}),
  output: z.object({}),
  effects: 'external',
  timeoutMs: 10,
  run: () => new Promise<never>(() => undefined),
})

describe('a step in trouble, while the planner thinks', () => {
  const mended: Step[] = [
    { id: 'bad', tool: 'flaky' },
    { id: 'behind', tool: 'wait', after: ['bad'], input: { ms: 5000 } },
  ]

  it('that a person retries goes on, and "give up" ends nothing any more', async () => {
    const { outcome, asked, signals, run } = await whileThinking({ steps: mended, tools: [flaky()] }, (run) => {
      run.retry('bad')
    })
    expect(outcome).toMatchObject({ reason: 'done', usage: { replans: 0, timeMs: 5100 } })
    expect(statusesOf(run)).toEqual({ bad: 'succeeded', behind: 'succeeded' })
    expect([asked, signals[0]?.aborted]).toEqual([[['bad']], true])
  })

  it('that a person skips is skipped, and "give up" ends nothing any more', async () => {
    const steps: Step[] = [
      { id: 'bad', tool: 'fail' },
      { id: 'can', tool: 'wait', after: ['bad'], onSkipped: 'run', input: { ms: 5000 } },
    ]
    const { outcome } = await whileThinking({ steps }, (run) => {
      run.skip('bad')
    })
    expect(outcome).toMatchObject({ status: 'completed', reason: 'partial', counts: { skipped: 1, succeeded: 1 } })
  })

  it('that a person answers has succeeded, and "give up" ends nothing any more', async () => {
    const steps: Step[] = [
      { id: 'pay', tool: 'pay' },
      { id: 'behind', tool: 'wait', after: ['pay'], input: { ms: 5000 } },
    ]
    const { outcome } = await whileThinking({ steps, tools: [pay] }, (run) => {
      run.answer('pay', { paid: true })
    })
    expect(outcome).toMatchObject({ reason: 'done', counts: { succeeded: 2 } })
  })

  it('that a person replaces goes on as replaced, and "give up" ends nothing any more', async () => {
    const steps: Step[] = [
      { id: 'bad', tool: 'fail' },
      { id: 'behind', tool: 'wait', after: ['bad'], input: { ms: 5000 } },
    ]
    const { outcome } = await whileThinking({ steps }, (run) => {
      run.edit([{ op: 'replace', id: 'bad', step: { id: 'bad', tool: 'echo' } }])
    })
    expect(outcome).toMatchObject({ reason: 'done', counts: { succeeded: 2 }, usage: { replans: 0 } })
  })

  it('that a person retries in vain is asked about anew', async () => {
    const answers = [giveUp, { patch: [{ op: 'replace', id: 'bad', step: { id: 'bad', tool: 'echo' } }] }] as const
    const { outcome, asked } = await whileThinking({ steps: [{ id: 'bad', tool: 'fail' }], answers }, (run) => {
      run.retry('bad')
    })
    expect(outcome).toMatchObject({ reason: 'done', usage: { replans: 1, plannerCalls: 3 } })
    expect(asked).toEqual([['bad'], ['bad']])
  })

  it('leaves the other troubles of the question, which is asked anew without it', async () => {
    const steps: Step[] = [
      { id: 'first', tool: 'fail' },
      { id: 'bad', tool: 'flaky' },
      { id: 'worse', tool: 'fail' },
    ]
    const mend = (id: string): ReplanAnswer => ({ patch: [{ op: 'replace', id, step: { id, tool: 'echo' } }] })
    const answers = [mend('first'), giveUp, mend('worse')]
    const { outcome, asked } = await whileThinking({ steps, answers, tools: [flaky()], at: 1500 }, (run) => {
      run.retry('bad')
    })
    expect(asked).toEqual([['first'], ['worse', 'bad'], ['worse']])
    expect(outcome).toMatchObject({ reason: 'done', counts: { succeeded: 3 }, usage: { replans: 2, timeMs: 2500 } })
  })
})

describe('a broken assumption, while the planner thinks', () => {
  it('that a reported fact mends is no trouble any more', async () => {
    const steps: Step[] = [{ id: 'outside', tool: 'wait', input: { ms: 5000 } }]
    const dry = { id: 'dry', statement: 'it is dry', fact: 'rain', is: { const: false }, steps: ['outside'] }
    const { outcome, asked } = await whileThinking({ steps, assumptions: [dry], facts: { rain: true } }, (run) => {
      run.report('rain', false)
    })
    expect(asked).toEqual([['assumption_broken']])
    expect(outcome).toMatchObject({ reason: 'done', usage: { replans: 0 } })
  })
})

describe('a goal that lacks something, while the planner thinks', () => {
  const steps: Step[] = [{ id: 'only', tool: 'echo' }]

  it('is reached as soon as somebody reports it', async () => {
    const { outcome, asked } = await whileThinking({ steps, want: 'level' }, (run) => {
      run.report('level', 7)
    })
    expect(asked).toEqual([['goal_unmet']])
    expect(outcome).toMatchObject({ reason: 'done', usage: { replans: 0, timeMs: 100 } })
  })

  it('is asked about again after what a person has added', async () => {
    const { outcome, asked } = await whileThinking({ steps, want: 'level' }, (run) => {
      run.edit([{ op: 'insert', step: { id: 'more', tool: 'wait', input: { ms: 500 } } }])
    })
    expect(asked).toEqual([['goal_unmet'], ['goal_unmet']])
    expect(outcome).toMatchObject({ reason: 'goal_unmet', counts: { succeeded: 2 }, usage: { timeMs: 1600 } })
  })
})
