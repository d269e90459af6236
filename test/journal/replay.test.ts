// Replay: the journal alone gives the run again, whole or as far as it goes.
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { z } from 'zod'
import {
  createFixedPlanner,
  createRuntime,
  defineTool,
  exportJournal,
  importJournal,
  readExport,
  memoryJournal,
  replayJournal,
  ToolError,
  type JournalEvent,
  type RunEnd,
  type Replay,
  type Run,
} from '../../src/runtime/index.ts'
import { from, planOf } from '../support/plans.ts'
import { collectTransitions } from '../support/runs.ts'
import { echo, waitTool } from '../support/tools.ts'
import { VirtualClock } from '../support/virtualClock.ts'

/** Everything that can be said of a run, as plain data. */
function pictureOf(run: Run | Replay): unknown {
  const ledger = [...run.ledger()].sort((a, b) => (a.id < b.id ? -1 : 1))
  return {
    goal: run.goal,
    state: run.state,
    plan: run.plan,
    revisions: run.revisions,
    outcome: run.outcome,
    ledger,
    outputs: Object.fromEntries(ledger.map(({ id }) => [id, run.output(id)])),
    facts: [...run.facts()],
  }
}

/** A run with a bit of everything: a list, a retry, a surprise, a failure, two replannings, a report and a person. */
async function eventfulRun() {
  const clock = new VirtualClock({ startAt: 1_700_000_000_000 })
  const journal = memoryJournal()
  let attempts = 0
  const flaky = defineTool({
    name: 'flaky',
    description: 'Works the second time.',
    input: z.object({ n: z.number() }),
    output: z.object({ n: z.number() }),
    gives: { n: '/n' },
    run: ({ n }) => {
      attempts += 1
      if (attempts === 1) throw new Error('once')
      if (n === 3) throw new ToolError('NO_THREE', 'not 3', { retryable: false })
      return { n }
    },
  })
  const planner = createFixedPlanner(
    planOf([
      { id: 'list', tool: 'echo', input: { items: [1, 2, 3] } },
      {
        id: 'each',
        tool: 'flaky',
        forEach: from('list', '/items'),
        input: { n: { $item: '' } },
        retry: { attempts: 2, backoffMs: 100, factor: 2, maxBackoffMs: 1000, jitter: 0.5 },
      },
      { id: 'slow', tool: 'wait', input: { ms: 500 } },
      { id: 'odd', tool: 'echo', after: ['slow'], input: { x: 1 }, expect: { properties: { x: { const: 2 } } } },
      { id: 'ask', instruction: 'Well?', after: ['odd'] },
    ]),
    {
      replan: ({ troubles }) =>
        troubles[0]?.type === 'surprised'
          ? { keep: 'fine' }
          : {
              patch: [
                {
                  op: 'replace',
                  id: troubles[0]?.stepId ?? '',
                  step: { id: troubles[0]?.stepId ?? '', tool: 'flaky', input: { n: 30 } },
                },
              ],
              because: 'three is odd',
            },
    },
  )
  const runtime = createRuntime({ tools: [echo, waitTool(clock), flaky], planner, journal, clock, seed: 7 })
  const run = runtime.start({ text: 'goal', facts: { known: [1] } })
  const pictures = new Map<number, unknown>()
  run.transitions().subscribe(({ n }) => {
    queueMicrotask(() => pictures.set(n, undefined))
  })
  await clock.advance(300)
  run.report('weather', { rain: true }, { by: 'ann' })
  await clock.advance(300)
  run.answer('ask', 'well enough')
  await clock.until(run.result)
  await runtime.close()
  return { run, events: [...(journal.read(run.id) as Iterable<JournalEvent>)], journal }
}

async function exported(events: Iterable<JournalEvent>, stood?: RunEnd): Promise<string> {
  let text = ''
  for await (const line of exportJournal(events, stood)) text += line
  return text
}

describe('replay', () => {
  it('of an eventful run equals the run: goal, plan, revisions, ledger, facts, outputs, outcome, transitions', async () => {
    const { run, events } = await eventfulRun()
    expect(run.outcome).toMatchObject({ reason: 'done' })
    expect(run.plan?.revision).toBeGreaterThan(2)
    const replay = replayJournal(events)
    expect(pictureOf(replay)).toEqual(pictureOf(run))
    expect(JSON.stringify(replay.plan)).toBe(JSON.stringify(run.plan))
    expect(replay.transitions).toEqual(collectTransitions(run).seen)
  })

  it('after export and import equals it bit for bit (law 5)', async () => {
    const { run, events } = await eventfulRun()
    const text = await exported(events)
    const replay = replayJournal(importJournal(text))
    expect(JSON.stringify(pictureOf(replay))).toBe(JSON.stringify(pictureOf(run)))
    expect(await exported(importJournal(text))).toBe(text)
  })

  it('of every beginning gives the run as it stood then', async () => {
    const { run, events } = await eventfulRun()
    const transitions = collectTransitions(run).seen
    for (let length = 1; length <= events.length; length++) {
      const replay = replayJournal(events.slice(0, length))
      const last = transitions[length - 1]!
      expect(replay.transitions).toEqual(transitions.slice(0, length))
      expect([replay.state, replay.plan?.revision ?? 0]).toEqual([last.state, last.revision])
      for (const { id, ...report } of last.steps)
        expect([...replay.ledger()].find((step) => step.id === id)).toEqual({ id, ...report })
      expect(replay.outcome === undefined).toBe(length < events.length)
    }
  })

  it('leaves the events as they are', async () => {
    const { events } = await eventfulRun()
    const before = JSON.stringify(events)
    replayJournal(events)
    replayJournal(events)
    expect(JSON.stringify(events)).toBe(before)
  })

  it('equals the run for any plan and timings (law 5)', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.array(fc.record({ ms: fc.integer({ min: 0, max: 20 }), after: fc.nat(12), breaks: fc.boolean() }), {
          maxLength: 10,
        }),
        fc.integer(),
        fc.option(fc.integer({ min: 0, max: 60 }), { nil: undefined }),
        async (parts, seed, cancelAt) => {
          const clock = new VirtualClock({ seed })
          const journal = memoryJournal()
          const tool = defineTool({
            name: 'work',
            description: 'Works or breaks.',
            input: z.object({ ms: z.number(), breaks: z.boolean() }),
            output: z.object({ at: z.number() }),
            gives: { at: '/at' },
            run: async ({ ms, breaks }, { signal, stepId }) => {
              await clock.wait(ms, signal)
              if (breaks) throw new Error(`${stepId} broke`)
              return { at: clock.now() }
            },
          })
          const runtime = createRuntime({ tools: [tool], clock, journal, seed, limits: { concurrency: 3 } })
          const plan = planOf(
            parts.map(({ ms, after, breaks }, index) => ({
              id: `s${String(index)}`,
              tool: 'work',
              input: { ms, breaks },
              ...(after < index && { after: [`s${String(after)}`] }),
            })),
            { goal: { partial: 'allow' } },
          )
          const run = runtime.start(plan)
          if (cancelAt !== undefined) {
            await clock.runUntil(cancelAt)
            run.cancel()
          }
          await clock.until(run.result)
          await clock.until(runtime.close())
          const replay = replayJournal(importJournal(await exported(journal.read(run.id) as Iterable<JournalEvent>)))
          expect(JSON.stringify(pictureOf(replay))).toBe(JSON.stringify(pictureOf(run)))
        },
      ),
      { numRuns: 60 },
    )
  })

  it('needs the beginning', () => {
    expect(() => replayJournal([])).toThrow(expect.objectContaining({ code: 'JOURNAL_BROKEN' }))
  })
})

describe('an exported journal', () => {
  const stood = { state: 'completed', reason: 'done' }
  const lines = async () => (await exported((await eventfulRun()).events, stood)).split('\n')

  it('begins with its format, has one event on each line, and ends with their number and a checksum', async () => {
    const all = await lines()
    expect(JSON.parse(all[0] ?? '')).toMatchObject({ planloom: 'journal', version: 3 })
    const events = all.slice(1, -2)
    expect(events.map((line) => (JSON.parse(line) as JournalEvent).seq)).toEqual(events.map((_, index) => index))
    expect(JSON.parse(all.at(-2) ?? '')).toEqual({
      planloom: 'end',
      events: events.length,
      ...stood,
      sha256: expect.stringMatching(/^[0-9a-f]{64}$/),
    })
    expect(all.at(-1)).toBe('')
    expect(readExport(all.join('\n'))).toMatchObject({ state: 'whole', stood })
  })

  it('need not say how the run stood', async () => {
    const { events } = await eventfulRun()
    expect(readExport(await exported(events))).toEqual({ state: 'whole', events })
  })

  it('that was cut at the end of any line, or within one, is refused, and says how far it goes', async () => {
    const all = (await lines()).slice(0, -1)
    for (let length = 2; length < all.length; length++) {
      const kept = all.slice(0, length)
      const within = `${kept.join('\n')}\n${all[length]?.slice(0, -5) ?? ''}`
      for (const text of [kept.join('\n'), `${kept.join('\n')}\n`, within]) {
        expect(() => importJournal(text, { name: 'run.jsonl' })).toThrow(
          expect.objectContaining({
            code: 'JOURNAL_BROKEN',
            message: expect.stringContaining(`Up to event ${length - 2} (`),
            hint: expect.stringContaining('unchecked: true'),
          }),
        )
        const taken = readExport(text, { unchecked: true })
        expect(taken).toMatchObject({ state: 'broken', because: expect.any(String) })
        expect(taken.events).toHaveLength(length - 1)
      }
    }
  })

  it('that was changed anywhere is refused', async () => {
    const text = (await lines()).join('\n')
    const [end = ''] = text.trimEnd().split('\n').slice(-1)
    for (let at = 0; at < text.length; at += at < text.length - end.length - 97 ? 97 : 1) {
      if (at === text.length - 1) continue // the last line break may be missing
      const other = text[at] === 'x' ? 'y' : 'x'
      const changed = text.slice(0, at) + other + text.slice(at + 1)
      expect(() => importJournal(changed)).toThrow(
        expect.objectContaining({ code: expect.stringMatching(/^JOURNAL_(BROKEN|FORMAT)$/) }),
      )
    }
  })

  it('that tells of a state that no run can have is refused', async () => {
    const { events } = await eventfulRun()
    for (const odd of [{ state: '\u001b[2J' }, { state: 'completed', reason: 7 as unknown as string }, { state: '' }]) {
      const text = await exported(events, odd)
      expect(() => importJournal(text)).toThrow(expect.objectContaining({ code: 'JOURNAL_BROKEN' }))
    }
  })

  it('of format 1, which had no end, is read and told to be unchecked', async () => {
    const all = await lines()
    const first = [JSON.stringify({ ...(JSON.parse(all[0] ?? '') as object), version: 1 }), ...all.slice(1, -2)]
    expect(readExport(first.join('\n'))).toMatchObject({ state: 'unchecked' })
    expect(() => importJournal(first.join('\n').slice(0, -5))).toThrow(
      expect.objectContaining({ code: 'JOURNAL_BROKEN' }),
    )
  })

  it('with an event of a type that there is not is refused with its line', async () => {
    const all = await lines()
    const strange = all.map((line, index) =>
      index === 5 ? line.replace(/"type":"[^"]+"/, '"type":"step.forgotten"') : line,
    )
    expect(() => importJournal(strange.join('\n'))).toThrow(
      expect.objectContaining({ code: 'JOURNAL_BROKEN', message: expect.stringMatching(/line 6 .*step\.forgotten/) }),
    )
  })

  it('may have been through a system with other line breaks', async () => {
    expect(readExport((await lines()).join('\r\n'))).toMatchObject({ state: 'whole' })
  })

  it('with a line missing or spoilt in the middle is refused with its number', async () => {
    const all = await lines()
    expect(() => importJournal(all.filter((_, index) => index !== 4).join('\n'), { name: 'run.jsonl' })).toThrow(
      expect.objectContaining({ code: 'JOURNAL_BROKEN', message: expect.stringContaining('5') }),
    )
    expect(() => importJournal(all.map((line, index) => (index === 4 ? line.slice(3) : line)).join('\n'))).toThrow(
      expect.objectContaining({ code: 'JOURNAL_BROKEN' }),
    )
  })

  it.each(['', 'hello', '{"planloom":"plan"}', '{"planloom":"journal","version":99,"runId":"x"}', '[]', 'null'])(
    'is not %j',
    (text) => {
      expect(() => importJournal(text)).toThrow(expect.objectContaining({ code: 'JOURNAL_FORMAT' }))
    },
  )
})
