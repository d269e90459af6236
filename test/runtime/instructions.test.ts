// Steps with an instruction: whose they are, and what their tools mean for approval, for the record, and for an attempt that is cut short.
import { describe, expect, it } from 'vitest'
import { z } from 'zod'
import {
  createFixedPlanner,
  createRuntime,
  defineTool,
  memoryJournal,
  type Executor,
  type Journal,
  type StepExecute,
} from '../../src/runtime/index.ts'
import type { Step } from '../../src/plan/schema.ts'
import { planOf } from '../support/plans.ts'
import { eventsOf, journalLeft } from '../support/lostProcess.ts'
import { statusesOf } from '../support/runs.ts'
import { echo } from '../support/tools.ts'
import { settlePromises, VirtualClock } from '../support/virtualClock.ts'

const nothing = { input: z.object({}), output: z.object({}), run: () => ({}) }
const send = defineTool({ ...nothing, name: 'send', description: 'Sends.', effects: 'external' })
const save = defineTool({ ...nothing, name: 'save', description: 'Saves.', effects: 'write', idempotent: true })
const tools = [echo, send, save]

interface Follower extends Executor {
  readonly heard: StepExecute[]
}

/** Follows instructions, each by doing nothing, or for as long as its signal does not fire. */
function follower(role: string, hangs = false): Follower {
  const heard: StepExecute[] = []
  return {
    role,
    heard,
    execute: (work, { signal }) => {
      heard.push(work)
      if (!hangs) return Promise.resolve({ output: 'done' })
      return new Promise((_, reject) => {
        signal.addEventListener('abort', () => {
          reject(new Error('stopped'))
        })
      })
    },
  }
}

const judge = (allowed: readonly string[], more: Partial<Step> = {}): Step => ({
  id: 'judge',
  instruction: 'Which is best?',
  tools: [...allowed],
  ...more,
})

describe('a step with an instruction', () => {
  it('is for a model where it has tools, or names it; otherwise for a person', async () => {
    const model = follower('model')
    await using runtime = createRuntime({ tools, executors: [model, follower('crew')] })
    const run = runtime.start(
      planOf([
        judge(['echo', 'save'], { input: { n: 1 } }),
        judge([], { id: 'alone' }),
        { id: 'named', instruction: 'Well?', executor: 'model' },
        { id: 'ask', instruction: 'Well?' },
        judge(['echo'], { id: 'own', executor: 'crew' }),
      ]),
    )
    await settlePromises()
    expect(run.questions.map(({ stepId }) => stepId)).toEqual(['ask'])
    run.answer('ask', 'yes')
    expect(await run.result).toMatchObject({ reason: 'done' })
    const { heard } = model
    expect(heard.map(({ stepId }) => stepId)).toEqual(['judge', 'alone', 'named'])
    expect(heard[0]).toMatchObject({ instruction: 'Which is best?', tools: ['echo', 'save'], input: { n: 1 } })
    expect(heard[1]?.tools).toEqual([])
    expect(heard[2]).not.toHaveProperty('tools')
  })

  it('for a model needs one, and the plan is refused before anything runs', async () => {
    await using runtime = createRuntime({ tools })
    expect(() => runtime.start(planOf([judge(['echo'])]))).toThrow(
      expect.objectContaining({
        code: 'PLAN_INVALID',
        findings: [expect.objectContaining({ code: 'EXECUTOR_UNKNOWN', hint: expect.stringContaining('{ model }') })],
      }),
    )
  })

  it('may do what its tools do: with effects among them, the plan waits for approval', async () => {
    await using runtime = createRuntime({ tools, executors: [follower('model')], approval: 'effects' })
    expect(await runtime.start(planOf([judge(['echo'])])).result).toMatchObject({ reason: 'done' })
    const run = runtime.start(planOf([judge(['echo', 'send'])]))
    await settlePromises()
    expect(run.state).toBe('approving')
    run.approve()
    expect(await run.result).toMatchObject({ reason: 'done' })
  })

  it('that an amendment lets do more waits for approval, too', async () => {
    const planner = createFixedPlanner(planOf([{ id: 'judge', tool: 'echo', expect: false }]), {
      replan: () => ({ patch: [{ op: 'replace', id: 'judge', step: judge(['echo', 'save']) }] }),
    })
    await using runtime = createRuntime({ tools, planner, executors: [follower('model')], approval: 'effects' })
    const run = runtime.start('goal')
    await settlePromises()
    expect(run.state).toBe('approving')
    run.approve()
    expect(await run.result).toMatchObject({ reason: 'done' })
  })

  it('is recorded for good before it begins and once it has ended, where its tools have effects', async () => {
    const flushed = async (allowed: readonly string[]): Promise<readonly unknown[]> => {
      const memory = memoryJournal()
      const asked: unknown[] = []
      const journal: Journal = {
        ...memory,
        create: (runId) => ({ ...memory.create(runId), flush: (durability) => void asked.push(durability) }),
      }
      await using runtime = createRuntime({ tools, journal, executors: [follower('model')] })
      await runtime.start(planOf([judge(allowed)])).result
      return asked
    }
    expect(await flushed(['echo'])).toEqual(['process', 'process', 'power']) // the last is the end of the run
    expect(await flushed(['echo', 'save'])).toEqual(['power', 'power', 'power'])
  })

  it.each([
    [['echo', 'save'], 'succeeded', 2],
    [['echo', 'send'], 'uncertain', 1],
  ] as const)('that may use %j and was out when the process ended is %s', async (allowed, status, attempts) => {
    const journal = memoryJournal()
    const hanging = follower('model', true)
    const first = createRuntime({ tools, journal, executors: [hanging] })
    first.start(planOf([judge(allowed)]), { runId: 'run' })
    await settlePromises()
    expect(hanging.heard.length).toBe(1)
    const left = journalLeft(journal)
    await first.close()
    const model = follower('model')
    await using second = createRuntime({ tools, journal: left, executors: [model], uncertain: 'fail' })
    const run = await second.resume('run')
    await run.result
    expect(statusesOf(run)).toEqual({ judge: status })
    expect(model.heard.length + 1).toBe(attempts)
    expect(model.heard.map(({ idempotencyKey }) => idempotencyKey)).toEqual(attempts === 2 ? ['run/judge'] : [])
  })

  it('that may send is uncertain where its time limit cuts it short, and not tried again', async () => {
    const clock = new VirtualClock()
    const retry = { attempts: 3, backoffMs: 0, factor: 1, maxBackoffMs: 0, jitter: 0 }
    const outcomeOf = async (allowed: readonly string[]) => {
      const model = follower('model', true)
      await using runtime = createRuntime({ tools, clock, executors: [model], uncertain: 'fail' })
      const run = runtime.start(planOf([judge(allowed, { timeoutMs: 10, retry, onFailure: 'fail' })]))
      await clock.until(run.result)
      return [statusesOf(run)['judge'], model.heard.length]
    }
    expect(await outcomeOf(['echo', 'send'])).toEqual(['uncertain', 1])
    expect(await outcomeOf(['echo'])).toEqual(['failed', 3])
  })

  it('keeps a run from going on where one of its tools is gone', async () => {
    const journal = memoryJournal()
    const first = createRuntime({ tools, journal, executors: [follower('model', true)] })
    first.start(planOf([judge(['echo', 'save'])]), { runId: 'run' })
    await settlePromises()
    const left = journalLeft(journal)
    await first.close()
    await using second = createRuntime({ tools: [echo, send], journal: left, executors: [follower('model')] })
    await expect(second.resume('run')).rejects.toMatchObject({ code: 'RUN_CHANGED' })
    expect(eventsOf(left, 'run').some(({ type }) => type === 'run.recovered')).toBe(false)
  })
})
