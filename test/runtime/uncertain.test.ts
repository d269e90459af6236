// Steps of which nobody can tell whether they had their effect: the tool's own check, and the policy of the run.
import { describe, expect, it } from 'vitest'
import { z } from 'zod'
import {
  createFixedPlanner,
  createRuntime,
  defineTool,
  memoryJournal,
  replayJournal,
  ToolError,
  type CheckContext,
  type Run,
  type RuntimeOptions,
  type Tool,
} from '../../src/runtime/index.ts'
import { from, planOf } from '../support/plans.ts'
import { eventsOf, journalLeft } from '../support/lostProcess.ts'
import { factsOf, statusesOf } from '../support/runs.ts'
import { echo } from '../support/tools.ts'
import { VirtualClock } from '../support/virtualClock.ts'

const receipt = z.object({ receipt: z.string() })
type Check = (input: { to: string }, context: CheckContext) => unknown

interface Paying {
  readonly tool: Tool
  /** Keys of the payments that were tried. */
  readonly keys: string[]
  readonly checks: { readonly input: unknown; readonly context: CheckContext }[]
}

/** Pays, and takes so long about it as `times` says, one for each attempt; `Infinity` hangs until its signal fires. */
function paying(clock: VirtualClock, times: readonly number[], check?: Check, more: object = {}): Paying {
  const keys: string[] = []
  const checks: Paying['checks'] = []
  const tool = defineTool({
    name: 'pay',
    description: 'Pays.',
    effects: 'external',
    timeoutMs: 100,
    gives: { paid: '/receipt' },
    ...more,
    input: z.object({ to: z.string() }),
    output: receipt,
    run: async (_, { idempotencyKey, signal }) => {
      keys.push(idempotencyKey)
      await clock.wait(times[keys.length - 1] ?? 0, signal)
      return { receipt: `of attempt ${String(keys.length)}` }
    },
    ...(check && {
      check: (input, context) => {
        checks.push({ input, context })
        return check(input as { to: string }, context) as never
      },
    }),
  })
  return { tool, keys, checks }
}

const plan = planOf([
  { id: 'who', tool: 'echo', input: { name: 'ann' } },
  { id: 'pay', tool: 'pay', input: { to: from('who', '/name') } },
  { id: 'thank', tool: 'echo', input: { for: from('pay', '/receipt') } },
])
const keeping = createFixedPlanner(plan, { replan: () => ({ keep: 'leave it' }) })

function begin(clock: VirtualClock, { tool }: Paying, more: RuntimeOptions = {}) {
  const journal = memoryJournal()
  const runtime = createRuntime({ tools: [echo, tool], planner: keeping, clock, journal, ...more })
  return { runtime, journal, run: runtime.start(plan, { runId: 'run' }) }
}

const hangs = [Infinity]

describe("a tool's check", () => {
  it('that finds that it happened makes the step succeed, with the output and its facts', async () => {
    const clock = new VirtualClock()
    const pay = paying(clock, hangs, () => ({ happened: true, output: { receipt: 'found' } }))
    const { run, runtime, journal } = begin(clock, pay)
    expect(await clock.until(run.result)).toMatchObject({ reason: 'done', usage: { replans: 0 } })
    expect(run.output('thank')).toEqual({ for: 'found' })
    expect(factsOf(run)).toEqual({ paid: 'found' })
    expect(pay.keys).toHaveLength(1)
    expect(pay.checks).toHaveLength(1)
    expect(pay.checks[0]?.input).toEqual({ to: 'ann' })
    expect(pay.checks[0]?.context).toMatchObject({ idempotencyKey: 'run/pay', stepId: 'pay', attempt: 1 })
    expect(replayJournal(eventsOf(journal, 'run')).outcome).toEqual(run.outcome)
    await runtime.close()
  })

  it('that finds that it did not has the step sent again, with the same key', async () => {
    const clock = new VirtualClock()
    const pay = paying(clock, [Infinity, 10], () => Promise.resolve({ happened: false }))
    const { run, runtime } = begin(clock, pay)
    expect(await clock.until(run.result)).toMatchObject({ reason: 'done', usage: { replans: 0 } })
    expect(pay.keys).toEqual(['run/pay', 'run/pay'])
    expect(run.step('pay')?.attempt).toBe(2)
    await runtime.close()
  })

  it('does not send a step again for ever that never gets through', async () => {
    const clock = new VirtualClock()
    const pay = paying(clock, Array<number>(99).fill(Infinity), () => ({ happened: false }))
    const { run, runtime } = begin(clock, pay)
    expect(await clock.until(run.result)).toMatchObject({ reason: 'step_failed', failure: { code: 'STEP_TIMEOUT' } })
    expect(pay.keys).toHaveLength(3)
    await runtime.close()
  })

  it('that finds an output that the step does not expect is a surprise', async () => {
    const clock = new VirtualClock()
    const pay = paying(clock, hangs, () => ({ happened: true, output: { receipt: 'odd' } }))
    const expecting = planOf([{ id: 'pay', tool: 'pay', input: { to: 'ann' }, expect: { properties: { receipt: { const: 'even' } } } }])
    const runtime = createRuntime({ tools: [pay.tool], planner: keeping, clock })
    const run = runtime.start(expecting)
    expect(await clock.until(run.result)).toMatchObject({ reason: 'done' }) // the planner kept it
    expect([run.output('pay'), factsOf(run)]).toEqual([{ receipt: 'odd' }, { paid: 'odd' }])
    await runtime.close()
  }) // prettier-ignore

  it.each<[string, Check, string]>([
    ['says so', () => ({ unknown: 'the bank is closed' }), 'the bank is closed'],
    ['throws', () => Promise.reject(new Error('no line')), 'no line'],
    ['gives nonsense', () => 'yes', 'neither "happened" nor "unknown"'],
    ['gives no output', () => ({ happened: true }), 'cannot be passed on'],
    ['gives another output', () => ({ happened: true, output: { receipt: 3 } }), 'receipt'],
    ['never comes back', () => new Promise(() => undefined), 'longer than 100 ms'],
  ])('that cannot tell (it %s) leaves it to the policy', async (_, check, why) => {
    const clock = new VirtualClock()
    const { run, runtime } = begin(clock, paying(clock, hangs, check), { uncertain: 'fail' })
    const outcome = await clock.until(run.result)
    expect(outcome).toMatchObject({ reason: 'step_failed', stepId: 'pay', failure: { code: 'STEP_TIMEOUT' } })
    expect(outcome.failure?.cause).toContain(why)
    expect(clock.pending).toBe(0)
    await runtime.close()
  })

  it('is not asked of an idempotent tool, nor of one that leaves nothing outside', async () => {
    for (const more of [{ idempotent: true }, { effects: 'read' }]) {
      const clock = new VirtualClock()
      const pay = paying(clock, [Infinity, 10], () => ({ happened: true, output: { receipt: 'found' } }), { ...more, retry: { attempts: 2 } })
      const { run, runtime } = begin(clock, pay)
      expect(await clock.until(run.result)).toMatchObject({ reason: 'done' })
      expect([pay.checks.length, pay.keys.length]).toEqual([0, 2])
      await runtime.close()
    }
  }) // prettier-ignore

  it('ends with its signal when the run is cancelled, and when somebody decides meanwhile', async () => {
    for (const decide of [(run: Run) => run.cancel(), (run: Run) => run.skip('pay')]) {
      const clock = new VirtualClock()
      const pay = paying(clock, hangs, () => new Promise(() => undefined))
      const { run, runtime } = begin(clock, pay)
      await clock.runUntil(120)
      expect(statusesOf(run)).toMatchObject({ pay: 'uncertain', thank: 'waiting' })
      expect(pay.checks[0]?.context.signal.aborted).toBe(false)
      decide(run)
      await clock.until(run.result)
      expect(pay.checks[0]?.context.signal.aborted).toBe(true)
      expect(clock.pending).toBe(0)
      await runtime.close()
    }
  })

  it('must be a function', () => {
    expect(() => paying(new VirtualClock(), [], undefined, { check: 'no' })).toThrow(/check: must be a function/)
  })
})

describe('a tool that cannot tell itself', () => {
  /** Loses its line after it has sent something, the first time. */
  const sending = (more: object = {}) =>
    defineTool({
      name: 'pay',
      description: 'Pays.',
      effects: 'external',
      ...more,
      input: z.object({ to: z.string() }),
      output: receipt,
      run: (_, { attempt }) => {
        if (attempt === 1) throw new ToolError('LINE_LOST', 'the line was lost', { uncertain: true })
        return { receipt: 'at last' }
      },
    })

  it('makes its step uncertain, and its check comes first', async () => {
    const clock = new VirtualClock()
    const check = () => ({ happened: true, output: { receipt: 'found' } })
    const { run, runtime, journal } = begin(clock, {
      ...paying(clock, []),
      tool: sending({ check, retry: { attempts: 3 } }),
    })
    expect(await clock.until(run.result)).toMatchObject({ reason: 'done' })
    expect(run.output('pay')).toEqual({ receipt: 'found' })
    expect(eventsOf(journal, 'run').map(({ type }) => type)).toContain('step.uncertain')
    await runtime.close()
  })

  it('has failed like any other, where its effect may happen twice', async () => {
    const clock = new VirtualClock()
    const tool = sending({ idempotent: true, retry: { attempts: 2 } })
    const { run, runtime } = begin(clock, { ...paying(clock, []), tool })
    expect(await clock.until(run.result)).toMatchObject({ reason: 'done', usage: { replans: 0 } })
    expect(run.output('pay')).toEqual({ receipt: 'at last' })
    await runtime.close()
  })
})

describe('the policy for uncertain steps', () => {
  it('is to ask the planner where nothing is said', async () => {
    const clock = new VirtualClock()
    const troubles: string[] = []
    const planner = createFixedPlanner(plan, {
      replan: ({ troubles: told }) => {
        troubles.push(...told.map(({ type, stepId }) => `${type} ${String(stepId)}`))
        return { keep: 'leave it' }
      },
    })
    const { run, runtime, journal } = begin(clock, paying(clock, hangs), { planner })
    expect(await clock.until(run.result)).toMatchObject({ reason: 'step_failed' })
    expect(troubles).toEqual(['uncertain pay'])
    expect(eventsOf(journal, 'run')[0]).toMatchObject({ settings: { uncertain: 'replan' } })
    await runtime.close()
  })

  it('"fail" ends the run, and "retry" sends it again with the same key', async () => {
    const clock = new VirtualClock()
    const failing = begin(clock, paying(clock, hangs), { uncertain: 'fail' })
    const outcome = await clock.until(failing.run.result)
    expect(outcome).toMatchObject({ status: 'failed', reason: 'step_failed', usage: { replans: 0 } })
    expect(outcome.message).toMatch(/cannot be told whether "pay" had its effect/)
    expect(statusesOf(failing.run)).toEqual({ who: 'succeeded', pay: 'uncertain', thank: 'cancelled' })
    const pay = paying(clock, [Infinity, 10])
    const retrying = begin(clock, pay, { uncertain: 'retry' })
    expect(await clock.until(retrying.run.result)).toMatchObject({ reason: 'done', usage: { replans: 0 } })
    expect(pay.keys).toEqual(['run/pay', 'run/pay'])
    await Promise.all([failing.runtime.close(), retrying.runtime.close()])
  })

  it('"ask" puts the step among the questions and waits, however long, for an answer, a retry or a skip', async () => {
    const ways: [(run: Run) => void, object, number][] = [
      [(run) => run.answer('pay', { receipt: 'by hand' }, { by: 'ann' }), { reason: 'done' }, 1],
      [(run) => run.retry('pay'), { reason: 'done' }, 2],
      [(run) => run.skip('pay'), { status: 'completed', reason: 'partial' }, 1],
    ]
    for (const [decide, end, tries] of ways) {
      const clock = new VirtualClock()
      const pay = paying(clock, [Infinity, 10])
      const { run, runtime } = begin(clock, pay, { uncertain: 'ask' })
      await clock.runUntil(86_400_000)
      expect(run.state).toBe('awaiting')
      const [question, ...others] = run.questions
      expect(question).toMatchObject({ stepId: 'pay', kind: 'uncertain', input: { to: 'ann' } })
      expect(question?.text).toMatch(/whether "pay" had its effect.*longer than its 100 ms/)
      expect(others).toEqual([])
      expect(() => run.answer('pay', { receipt: 3 })).toThrow(/receipt/)
      decide(run)
      expect(await clock.until(run.result)).toMatchObject(end)
      expect(run.questions).toEqual([])
      expect(pay.keys).toHaveLength(tries)
      await runtime.close()
    }
  })

  it('"ask" asks a program, which says what a check would', async () => {
    const answers: [unknown, object][] = [
      [
        { happened: true, output: { receipt: 'seen' } },
        { reason: 'done', usage: { replans: 0 } },
      ],
      [{ happened: false }, { reason: 'done', usage: { replans: 0 } }],
      [{ unknown: 'who knows' }, { reason: 'step_failed', usage: { replans: 1 } }],
      ['it did', { reason: 'step_failed', usage: { replans: 1 } }],
    ]
    for (const [said, end] of answers) {
      const clock = new VirtualClock()
      const asked: unknown[] = []
      const ask: RuntimeOptions['ask'] = (question) => (asked.push(question), Promise.resolve(said))
      const { run, runtime, journal } = begin(clock, paying(clock, [Infinity, 10]), { uncertain: 'ask', ask })
      expect(await clock.until(run.result)).toMatchObject(end)
      expect(asked).toEqual([expect.objectContaining({ runId: 'run', stepId: 'pay', kind: 'uncertain' })])
      expect(eventsOf(journal, 'run')).toContainEqual(expect.objectContaining({ type: 'step.checked', by: 'person' }))
      await runtime.close()
    }
  })

  it('names nobody where there was nobody to ask', async () => {
    const clock = new VirtualClock()
    const ask: RuntimeOptions['ask'] = () => Promise.reject(new Error('nobody is there'))
    const { run, runtime, journal } = begin(clock, paying(clock, [Infinity, 10]), { uncertain: 'ask', ask })
    await clock.until(run.result)
    const checked = eventsOf(journal, 'run').filter(({ type }) => type === 'step.checked')
    expect(checked).toEqual([
      expect.objectContaining({
        finding: { unknown: expect.objectContaining({ message: expect.stringContaining('nobody is there') }) },
      }),
    ])
    expect(checked[0]).not.toHaveProperty('by')
    await runtime.close()
  })

  it('asks no longer when the answer has come another way', async () => {
    const clock = new VirtualClock()
    let signal: AbortSignal | undefined
    const ask: RuntimeOptions['ask'] = (_, given) => ((signal = given), new Promise(() => undefined))
    const { run, runtime } = begin(clock, paying(clock, hangs), { uncertain: 'ask', ask })
    await clock.runUntil(200)
    run.answer('pay', { receipt: 'by hand' })
    expect(signal?.aborted).toBe(true)
    expect(await clock.until(run.result)).toMatchObject({ reason: 'done' })
    await runtime.close()
  })

  it('does not hold up what does not depend on the step, nor amendments', async () => {
    const clock = new VirtualClock()
    const wide = planOf([...plan.steps, { id: 'slow', tool: 'echo', after: ['who'], approval: 'required' }])
    const runtime = createRuntime({ tools: [echo, paying(clock, hangs).tool], planner: keeping, clock, uncertain: 'ask' })
    const run = runtime.start(wide)
    await clock.runUntil(200)
    expect(run.questions.map(({ kind, stepId }) => `${kind} ${stepId}`)).toEqual(['uncertain pay', 'approval slow'])
    run.approve({ stepId: 'slow' })
    await clock.runUntil(300)
    expect(statusesOf(run)).toMatchObject({ slow: 'succeeded', pay: 'uncertain' })
    run.edit([{ op: 'abandon', id: 'pay', because: 'enough' }])
    await clock.until(run.result)
    expect(statusesOf(run)).toMatchObject({ pay: 'uncertain', thank: 'abandoned' })
    expect(run.questions).toEqual([])
    await runtime.close()
  }) // prettier-ignore
})

describe('a process that ends while a step with effects is out', () => {
  /** The journal after so many ms. */
  async function leftAfter(ms: number, make: (clock: VirtualClock) => Paying, more: RuntimeOptions = {}) {
    const clock = new VirtualClock()
    const { runtime, journal } = begin(clock, make(clock), more)
    await clock.runUntil(ms)
    const left = journalLeft(journal)
    await clock.until(runtime.close())
    return left
  }

  it('has the check say whether it happened', async () => {
    for (const [finding, tries] of [[{ happened: true, output: { receipt: 'found' } }, 0], [{ happened: false }, 1]] as const) {
      const journal = await leftAfter(50, (clock) => paying(clock, hangs, () => finding))
      const clock = new VirtualClock({ startAt: 1_000 })
      const pay = paying(clock, [10], () => finding)
      await using runtime = createRuntime({ tools: [echo, pay.tool], planner: keeping, clock, journal })
      const run = await runtime.resume('run')
      expect(await clock.until(run.result)).toMatchObject({ reason: 'done' })
      expect(pay.keys).toEqual(Array(tries).fill('run/pay'))
    }
  }) // prettier-ignore

  it('asks the check anew that was going on', async () => {
    const journal = await leftAfter(150, (clock) => paying(clock, hangs, () => new Promise(() => undefined)))
    expect(eventsOf(journal, 'run').at(-1)).toMatchObject({ type: 'step.failed' }) // late: of the attempt that was stopped
    const clock = new VirtualClock({ startAt: 1_000 })
    const pay = paying(clock, [], () => ({ happened: true, output: { receipt: 'found' } }))
    await using runtime = createRuntime({ tools: [echo, pay.tool], planner: keeping, clock, journal })
    const run = await runtime.resume('run')
    expect(await clock.until(run.result)).toMatchObject({ reason: 'done' })
    expect(pay.checks).toHaveLength(1)
  })

  it('asks people again what they were asked, or follows the policy that the run is resumed with', async () => {
    const ways = [
      [undefined, 'awaiting'],
      ['ask', 'awaiting'],
      ['fail', 'failed'],
      ['retry', 'completed'],
      ['replan', 'failed'],
    ] as const
    for (const [uncertain, state] of ways) {
      const journal = await leftAfter(150, (clock) => paying(clock, hangs), { uncertain: 'ask' })
      const clock = new VirtualClock({ startAt: 1_000 })
      await using runtime = createRuntime({ tools: [echo, paying(clock, [10]).tool], planner: keeping, clock, journal })
      const run = await runtime.resume('run', { ...(uncertain && { uncertain }) })
      await clock.runUntil(5_000)
      expect([uncertain, run.state]).toEqual([uncertain, state])
      expect(run.questions).toHaveLength(state === 'awaiting' ? 1 : 0)
    }
  })

  it('again, while its policy is what the last resume said', async () => {
    const first = await leftAfter(50, (clock) => paying(clock, hangs))
    const clock = new VirtualClock({ startAt: 1_000 })
    const runtime = createRuntime({ tools: [echo, paying(clock, hangs).tool], planner: keeping, clock, journal: first })
    await runtime.resume('run', { uncertain: 'retry' })
    await clock.runUntil(1_050)
    const journal = journalLeft(first)
    await clock.until(runtime.close())
    await using other = createRuntime({ tools: [echo, paying(clock, [10]).tool], planner: keeping, clock, journal })
    expect(await clock.until((await other.resume('run')).result)).toMatchObject({ reason: 'done' })
  })
})
