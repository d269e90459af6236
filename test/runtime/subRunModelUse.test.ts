// What models below sub-runs have used: told with the run that began them, and whose it was.
import { describe, expect, it } from 'vitest'
import {
  createRuntime,
  memoryJournal,
  readRun,
  replayJournal,
  type JournalEvent,
  type Model,
  type Runtime,
} from '../../src/runtime/index.ts'
import { journalLeft } from '../support/lostProcess.ts'
import { planOf } from '../support/plans.ts'
import { scriptedModel, usageOfOneCall } from '../support/scriptedModel.ts'
import { echo, fail, waitTool } from '../support/tools.ts'
import { VirtualClock } from '../support/virtualClock.ts'

const goalOf = (word: string) => ({ text: `the goal of ${word}` })

/** Plans goals in words, by the words. */
const plans: Readonly<Record<string, object>> = {
  echo: { steps: [{ id: 'inner', tool: 'echo', input: {} }] },
  fail: { steps: [{ id: 'inner', tool: 'fail', input: {}, onFailure: 'fail' }] },
  wait: { steps: [{ id: 'inner', tool: 'wait', input: { ms: 1000 } }] },
  deep: { steps: [{ id: 'deeper', goal: goalOf('echo') }] },
}

const goals = (): Model =>
  scriptedModel(({ messages }) => {
    const asked = messages.map(({ text }) => text).join('\n')
    const name = Object.keys(plans).find((word) => asked.includes(`the goal of ${word}`)) ?? ''
    return { json: plans[name] }
  })

function subRunsOf(runtime: Runtime, runId: string): string[] {
  return runtime.runs.filter(({ parent }) => parent?.runId === runId).map(({ id }) => id)
}

describe('what models of a sub-run have used', () => {
  it('is counted with its step and its run, those below it included', async () => {
    await using runtime = createRuntime({ tools: [echo], model: goals() })
    const run = runtime.start(
      planOf([
        { id: 'one', goal: goalOf('echo') },
        { id: 'two', goal: goalOf('deep') },
      ]),
    )
    expect(await run.result).toMatchObject({ reason: 'done', usage: { tokens: 36, cost: 1.5 } })
    const use = run.modelUse()
    expect(use.total).toMatchObject({ calls: 3, tokens: 36, inputTokens: 30, outputTokens: 6, cost: 1.5 })
    expect(use.planner.calls).toBe(0)
    expect(use.steps.get('one')).toEqual(usageOfOneCall)
    expect(use.steps.get('two')?.calls).toBe(2)
    const [one, two] = subRunsOf(runtime, run.id)
    expect(use.subRuns.get(one ?? '')).toEqual({ stepId: 'one', usage: usageOfOneCall })
    expect(use.subRuns.get(two ?? '')).toMatchObject({ stepId: 'two', usage: { calls: 2, tokens: 24 } })
  })

  it('counts where it ends badly', async () => {
    const clock = new VirtualClock()
    await using runtime = createRuntime({ tools: [fail], model: goals(), clock })
    const run = runtime.start(planOf([{ id: 'sub', goal: goalOf('fail'), onFailure: 'fail' }]))
    await clock.runUntil(5000)
    expect(run.outcome).toMatchObject({ status: 'failed', usage: { tokens: 12 } })
    expect(run.modelUse()).toMatchObject({ total: { calls: 1, tokens: 12 } })
    expect([...run.modelUse().subRuns.values()]).toEqual([{ stepId: 'sub', usage: usageOfOneCall }])
  })

  it('counts where the run is cancelled', async () => {
    const clock = new VirtualClock()
    await using runtime = createRuntime({ tools: [waitTool(clock)], model: goals(), clock })
    const run = runtime.start(planOf([{ id: 'sub', goal: goalOf('wait') }]))
    await clock.runUntil(100)
    run.cancel('enough')
    await clock.runUntil(5000)
    expect(run.outcome).toMatchObject({ status: 'cancelled', usage: { tokens: 12 } })
    expect(run.modelUse().total.calls).toBe(1)
  })

  it('is counted once where the process ended meanwhile, and by the record alone', async () => {
    const clock = new VirtualClock()
    const lost = memoryJournal()
    const model = goals()
    const dead = createRuntime({ tools: [waitTool(clock)], model, clock, journal: lost })
    dead.start(planOf([{ id: 'sub', goal: goalOf('wait') }]), { runId: 'run' })
    await clock.runUntil(100)
    const journal = journalLeft(lost)
    await clock.until(dead.close())

    await using runtime = createRuntime({ tools: [waitTool(clock)], model, clock, journal })
    const run = await runtime.resume('run')
    await clock.runUntil(9000)
    expect(run.outcome).toMatchObject({ reason: 'done', usage: { tokens: 12 } })
    const expected = { total: usageOfOneCall, subRuns: run.modelUse().subRuns }
    expect(run.modelUse()).toMatchObject(expected)
    expect(expected.subRuns.size).toBe(1)
    expect(replayJournal(journal.read('run') as Iterable<JournalEvent>).modelUse()).toMatchObject(expected)
    expect((await readRun(journal, 'run')).modelUse()).toMatchObject(expected)
    expect(run.at(1).modelUse().total.calls).toBe(0)
  })
})
