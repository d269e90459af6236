// What a model asks people while it carries out a step, over real HTTP: where the question shows, who may answer, and what becomes of it.
import { join } from 'node:path'
import { setImmediate } from 'node:timers/promises'
import { describe, expect, it, onTestFinished } from 'vitest'
import {
  createModel,
  createRuntime,
  defineTool,
  memoryJournal,
  sqliteJournal,
  type Question,
  type Run,
  type RuntimeOptions,
} from '../../src/runtime/index.ts'
import type { Step } from '../../src/plan/schema.ts'
import { z } from 'zod'
import { callCommand } from '../cli/callCommand.ts'
import { eventsOf, journalLeft } from '../support/lostProcess.ts'
import { openModelServer, type Reply, type SeenRequest } from '../support/modelServer.ts'
import { planOf } from '../support/plans.ts'
import { statusesOf } from '../support/runs.ts'
import { scratchFolder } from '../support/scratchFolder.ts'
import { echo } from '../support/tools.ts'
import { VirtualClock } from '../support/virtualClock.ts'

const shop: Step = { id: 'shop', instruction: 'Find the shop.', tools: ['echo'], input: { town: 'Ulm' } }
const asking = (...questions: string[]): Reply => ({
  calls: questions.map((question) => ({ name: 'ask_person', arguments: { question } })),
})

async function serverFor(script: readonly Reply[] | ((request: SeenRequest, index: number) => Reply)) {
  const server = await openModelServer(script)
  onTestFinished(() => server.close())
  return { server, model: createModel({ model: 'test', baseURL: server.url, apiKey: 'none' }) }
}

function runtimeFor(options: RuntimeOptions) {
  const runtime = createRuntime({
    tools: [echo],
    ...options,
    modelSteps: { askPerson: 'offered', ...options.modelSteps },
  })
  onTestFinished(() => runtime.close())
  return runtime
}

const isAsking = (run: Run, count = 1) => until(() => run.questions.length === count)

async function until(holds: () => boolean): Promise<void> {
  while (!holds()) await setImmediate()
}

const said = (request: SeenRequest | undefined): string => JSON.stringify(request?.body)

describe('what a model asks', () => {
  it('stands among the questions of the run, and is answered once, as that of a person step is', async () => {
    const { server, model } = await serverFor([asking('Which one?'), { text: 'the corner shop' }])
    const journal = memoryJournal()
    const run = runtimeFor({ model, journal }).start(planOf([shop]), { runId: 'run' })
    await isAsking(run)
    const input = { town: 'Ulm' }
    expect(run.questions).toEqual([{ stepId: 'shop', kind: 'answer', question: 1, text: 'Which one?', input }])
    expect(() => run.answer('shop', 'no', { question: 2 })).toThrow(
      expect.objectContaining({ code: 'COMMAND_REFUSED' }),
    )
    run.answer('shop', 'the small one', { by: 'ann', question: 1 })
    expect(run.questions).toEqual([])
    expect(() => run.answer('shop', 'the large one')).toThrow(expect.objectContaining({ code: 'COMMAND_REFUSED' }))
    expect(await run.result).toMatchObject({ reason: 'done' })
    expect(run.output('shop')).toBe('the corner shop')
    expect(said(server.requests[1])).toContain('the small one')
    const events = eventsOf(journal, 'run').filter(({ type }) => type === 'step.asked' || type === 'step.answered')
    expect(events).toMatchObject([
      { type: 'step.asked', stepId: 'shop', attempt: 1, text: 'Which one?' },
      { type: 'step.answered', stepId: 'shop', question: 1, value: 'the small one', by: 'ann' },
    ])
    expect(run.at(events[0]?.seq ?? 0).questions).toMatchObject([{ text: 'Which one?' }])
  })

  it('is put to whoever the runtime asks, one question after another, and taken back where the API was quicker', async () => {
    const { server, model } = await serverFor([asking('First?', 'Second?'), { text: 'done' }])
    const asked: string[] = []
    let signal: AbortSignal | undefined
    const run = runtimeFor({
      model,
      modelSteps: {},
      ask: ({ text }, wanted) => {
        asked.push(text)
        if (text === 'Second?') return Promise.resolve('two')
        signal = wanted
        return new Promise(() => undefined)
      },
    }).start(planOf([shop]))
    await isAsking(run)
    expect(asked).toEqual(['First?'])
    run.answer('shop', 'one')
    expect(await run.result).toMatchObject({ reason: 'done' })
    expect([asked, signal?.aborted]).toEqual([['First?', 'Second?'], true])
    expect(said(server.requests[1])).toMatch(/The person says[^]*one[^]*The person says[^]*two/)
  })

  it('and nobody answers, is told to the model, and stands in the record', async () => {
    const { server, model } = await serverFor([asking('Well?'), { text: 'done' }])
    const journal = memoryJournal()
    const ask = (): Promise<never> => Promise.reject(new Error('out for lunch'))
    const run = runtimeFor({ model, ask, journal }).start(planOf([shop]), { runId: 'run' })
    expect(await run.result).toMatchObject({ reason: 'done' })
    expect(said(server.requests[1])).toMatch(/Nobody answered[^]*out for lunch/)
    expect(eventsOf(journal, 'run').map(({ type }) => type)).toContain('step.unanswered')
  })

  it('has the deadline of its step', async () => {
    const clock = new VirtualClock()
    const { model } = await serverFor([asking('Well?')])
    const step: Step = { ...shop, timeoutMs: 1_000, onFailure: 'skip' }
    const run = runtimeFor({ model, clock }).start(planOf([step]))
    await isAsking(run)
    await clock.until(run.result)
    expect(run.step('shop')).toMatchObject({ status: 'skipped', failure: { code: 'STEP_TIMEOUT' } })
    expect(run.questions).toEqual([])
  })

  it.each([
    ['skipped', (run: Run) => run.skip('shop')],
    ['cancelled', (run: Run) => run.cancel()],
  ] as const)('is nobody’s any more when the step is %s', async (status, end) => {
    const { model } = await serverFor([asking('Well?')])
    let signal: AbortSignal | undefined
    const run = runtimeFor({
      model,
      ask: (_, wanted) => {
        signal = wanted
        return new Promise(() => undefined)
      },
    }).start(planOf([shop]))
    await isAsking(run)
    end(run)
    await run.result
    expect([statusesOf(run), run.questions, signal?.aborted]).toEqual([{ shop: status }, [], true])
  })
})

describe('waiting for the answer', () => {
  it.each([
    ['its role in the run', { limits: { roles: { model: 1 } } }],
    ['the run', { limits: { concurrency: 1 } }],
    ['its executor', { modelSteps: { concurrency: 1 } }],
    ['the runtime', { limits: { totalConcurrency: 1 } }],
  ] as readonly (readonly [string, RuntimeOptions])[])(
    'takes no place of %s, and the attempt goes on when there is one again',
    async (_, options) => {
      const clock = new VirtualClock()
      let slowed: (() => void) | undefined
      const slow = defineTool({
        name: 'slow',
        description: 'Is slow.',
        effects: 'read',
        input: z.object({}),
        output: z.boolean(),
        run: () => new Promise<boolean>((resolve) => (slowed = () => resolve(true))),
      })
      const { server, model } = await serverFor(({ body }) => {
        const text = JSON.stringify(body)
        if (!text.includes('Find the shop'))
          return text.includes('"role":"tool"') ? { text: 'slowly' } : { calls: [{ name: 'slow', arguments: {} }] }
        return text.includes('The person says') ? { text: 'found' } : asking('Which one?')
      })
      const run = runtimeFor({ ...options, model, clock, tools: [echo, slow] }).start(
        planOf([shop, { id: 'other', instruction: 'Be slow.', tools: ['slow'] }]),
      )
      await isAsking(run)
      await until(() => slowed !== undefined) // the other one has the only place
      const before = server.requests.length
      run.answer('shop', 'the small one')
      for (let turn = 0; turn < 50; turn++) await setImmediate()
      expect([server.requests.length, statusesOf(run)]).toEqual([before, { shop: 'running', other: 'running' }])
      slowed?.()
      expect(await clock.until(run.result)).toMatchObject({ reason: 'done' })
      expect(run.output('shop')).toBe('found')
    },
  )
})

describe('a run that waits for the answer', () => {
  it('can be paused: the attempt goes on with its answer when the pause ends', async () => {
    const { server, model } = await serverFor([asking('Which one?'), { text: 'found' }])
    const run = runtimeFor({ model }).start(planOf([shop, { id: 'after', tool: 'echo', input: {}, after: ['shop'] }]))
    await isAsking(run)
    run.pause()
    expect(run.questions).toMatchObject([{ text: 'Which one?' }])
    run.answer('shop', 'the small one')
    for (let turn = 0; turn < 50; turn++) await setImmediate()
    expect(statusesOf(run)['after']).toBe('ready')
    run.resume()
    expect(await run.result).toMatchObject({ reason: 'done' })
    expect(said(server.requests[1])).toContain('the small one')
  })

  it('can be forked: the question is asked anew there, and each is answered by itself', async () => {
    const { model } = await serverFor(({ body }) => {
      const text = JSON.stringify(body)
      if (!text.includes('The person says')) return asking('Which one?')
      return { text: text.includes('the small one') ? 'small' : 'large' }
    })
    const journal = memoryJournal()
    const runtime = runtimeFor({ model, journal })
    const run = runtime.start(planOf([shop]))
    await isAsking(run)
    const fork = await runtime.fork(run.id, eventsOf(journal, run.id).length - 1)
    await isAsking(fork)
    fork.answer('shop', 'the large one')
    expect(await fork.result).toMatchObject({ reason: 'done' })
    expect(run.questions).toHaveLength(1)
    run.answer('shop', 'the small one')
    await run.result
    expect([run.output('shop'), fork.output('shop')]).toEqual(['small', 'large'])
  })
})

describe('the end of the process', () => {
  it('leaves the question to be answered, and asks nothing that has been answered', async () => {
    const { server, model } = await serverFor([
      asking('Which one?'),
      asking('How far?'),
      asking('Which one?'),
      { text: 'found' },
    ])
    const journal = memoryJournal()
    const first = runtimeFor({ model, journal }).start(planOf([shop]), { runId: 'run' })
    await isAsking(first)
    first.answer('shop', 'the small one', { by: 'ann' })
    await isAsking(first)
    const left = journalLeft(journal)

    const asked: Question[] = []
    const ask = (question: Question): Promise<never> => {
      asked.push(question)
      return new Promise(() => undefined)
    }
    const run = await runtimeFor({ model, journal: left, ask }).resume('run')
    await isAsking(run)
    expect(run.questions).toMatchObject([{ question: 2, text: 'How far?' }])
    await until(() => asked.length === 1)
    expect([asked[0]?.text, server.requests.length]).toEqual(['How far?', 2]) // no attempt is out
    run.answer('shop', 'a mile', { by: 'bob' })
    expect(await run.result).toMatchObject({ reason: 'done' })
    expect(run.step('shop')).toMatchObject({ status: 'succeeded', attempt: 2 })
    expect(said(server.requests[2])).toMatch(/Which one\?[^]*the small one[^]*How far\?[^]*a mile/)
    expect(said(server.requests[3])).toMatch(/The person says[^]*the small one/)
    expect(asked).toHaveLength(1)
  })

  it('keeps an answer that the attempt had just been given', async () => {
    const { server, model } = await serverFor([asking('Which one?'), { text: 'found' }, { text: 'found' }])
    const journal = memoryJournal()
    const first = runtimeFor({ model, journal }).start(planOf([shop]), { runId: 'run' })
    await isAsking(first)
    first.answer('shop', 'the small one')
    await first.result
    const justAnswered = journalLeft(
      journal,
      () => eventsOf(journal, 'run').findIndex(({ type }) => type === 'step.answered') + 1,
    )

    const run = await runtimeFor({ model, journal: justAnswered }).resume('run')
    expect(await run.result).toMatchObject({ reason: 'done' })
    expect(said(server.requests.at(-1))).toMatch(/Which one\?[^]*the small one/)
  })

  it('does not move the deadline', async () => {
    const clock = new VirtualClock()
    const { model } = await serverFor([asking('Well?')])
    const journal = memoryJournal()
    const step: Step = { ...shop, timeoutMs: 1_000, onFailure: 'skip' }
    const first = runtimeFor({ model, journal, clock }).start(planOf([step]), { runId: 'run' })
    await isAsking(first)
    const left = journalLeft(journal)
    await clock.advance(700)
    const run = await runtimeFor({ model, journal: left, clock }).resume('run')
    const began = clock.now()
    await clock.until(run.result)
    expect(clock.now() - began).toBeLessThanOrEqual(300)
    expect(run.step('shop')).toMatchObject({ status: 'skipped', attempt: 1, failure: { code: 'STEP_TIMEOUT' } })
  })
})

describe('from another process', () => {
  it('the question is shown and answered, while a process has the run and while none has', async () => {
    const path = join(scratchFolder(), 'runs.db')
    const { server, model } = await serverFor([asking('Which one?'), asking('How far?'), { text: 'found' }])
    const planloom = (...args: string[]) => callCommand(...args, '--journal', path)
    const runtime = runtimeFor({ model, journal: sqliteJournal(path) })
    const first = runtime.start(planOf([shop]), { runId: 'run' })
    await isAsking(first)
    let shown = ''
    while (!shown.includes('Which one?')) {
      await setImmediate() // until it is written
      shown = (await planloom('show')).stdout
    }
    expect(shown).toContain('planloom answer run shop <value>')
    expect((await planloom('answer', 'run', 'shop', 'the small one', '--by', 'ann')).code).toBe(0)
    await until(() => first.questions[0]?.text === 'How far?')
    await first.leave().catch(() => undefined)
    await first.result.catch(() => undefined)
    await runtime.close()

    expect((await planloom('show', '--json')).json).toMatchObject({ questions: [{ stepId: 'shop', text: 'How far?' }] })
    expect((await planloom('answer', 'run', 'shop', 'a mile', '--by', 'bob')).code).toBe(0)
    const run = await runtimeFor({ model, journal: sqliteJournal(path) }).resume('run')
    expect(await run.result).toMatchObject({ reason: 'done' })
    expect(said(server.requests[2])).toMatch(/Which one\?[^]*the small one[^]*How far\?[^]*a mile/)
    const { stdout } = await planloom('events', 'run')
    expect(stdout).toMatch(/step\.asked +shop[^\n]*Which one\?/)
    expect(stdout).toMatch(/step\.answered +shop[^\n]*by ann/)
  })
})
