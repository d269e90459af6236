// Runs whose end was lost, saved from a damaged file and gone on with: nothing is done twice as if nothing had happened.
import { cpSync, mkdtempSync } from 'node:fs'
import { join } from 'node:path'
import { DatabaseSync } from '@photostructure/sqlite'
import { describe, expect, it } from 'vitest'
import { z } from 'zod'
import {
  createFixedPlanner,
  createRuntime,
  defineTool,
  repairJournal,
  replayJournal,
  sqliteJournal,
  type Planner,
  type ResumeOptions,
  type Run,
  type SqliteJournal,
  type Tool,
} from '../../src/runtime/index.ts'
import { from, planOf } from '../support/plans.ts'
import { scratchFolder } from '../support/scratchFolder.ts'
import { statusesOf } from '../support/runs.ts'
import { echo, fail } from '../support/tools.ts'

/** Notes whom it has written to; not idempotent. */
function mailing(sent: string[], more: Partial<Parameters<typeof defineTool>[0]> = {}): Tool {
  return defineTool({
    name: 'mail',
    description: 'Writes a letter.',
    effects: 'external',
    idempotent: false,
    ...(more as object),
    input: z.object({ to: z.string() }),
    output: z.object({ letter: z.number() }),
    run: ({ to }) => ({ letter: sent.push(to) }),
  })
}

function damage(path: string, runId: string, seq: number): void {
  const database = new DatabaseSync(path)
  database
    .prepare(`UPDATE events SET body = body || ' ' WHERE seq = ? AND run = (SELECT id FROM runs WHERE run_id = ?)`)
    .run(seq, runId)
  database.close()
}

const plan = planOf([
  { id: 'a', tool: 'echo', input: {} },
  { id: 'b', tool: 'echo', input: {}, after: ['a'] },
  { id: 'c', tool: 'mail', input: { to: 'ann' }, after: ['b'] },
  { id: 'd', tool: 'mail', input: { to: 'bob' }, after: ['c'] },
])
const keeping = createFixedPlanner(plan, { replan: () => ({ keep: 'leave it' }) })

interface Resumed {
  readonly run: Run
  readonly journal: SqliteJournal
  /** Whom was written to before and after. */
  readonly sent: readonly string[]
}

/** Carries the plan out, damages the record of an event, repairs the file, and goes on with what is left. */
async function goneOnWith(seq: number, options: ResumeOptions, mail = mailing): Promise<Resumed> {
  const folder = scratchFolder()
  const sent: string[] = []
  const path = join(folder, 'runs.db')
  const runtime = createRuntime({ tools: [echo, mail(sent)], planner: keeping, journal: sqliteJournal(path) })
  expect(await runtime.start(plan, { runId: 'run' }).result).toMatchObject({ reason: 'done' })
  await runtime.close()
  damage(path, 'run', seq)
  await repairJournal(path, join(folder, 'saved.db'))
  const journal = sqliteJournal(join(folder, 'saved.db'))
  const again = createRuntime({ tools: [echo, mail(sent)], planner: keeping, journal })
  const run = await again.resume('run', { planner: keeping, ...options })
  return { run, journal, sent }
}

describe('a run whose end was lost', () => {
  it('does nothing again that it may have done, and says since when nothing is known', async () => {
    const { run, journal, sent } = await goneOnWith(2, {})
    expect(await run.result).toMatchObject({ status: 'failed', stepId: 'c', failure: { code: 'RUN_END_LOST' } })
    expect(run.outcome?.message).toContain('lost after event 1')
    expect(statusesOf(run)).toMatchObject({ a: 'succeeded', b: 'succeeded', c: 'uncertain', d: 'skipped' })
    expect(sent).toEqual(['ann', 'bob'])
    expect(journal.runs()).toMatchObject([{ runId: 'run', lostAfter: 1 }])
    expect([...journal.read('run')][2]).toMatchObject({ type: 'run.endLost', after: 1, unattended: true })
  })

  it('asks the check of a tool first, and then goes by the policy of the run', async () => {
    const found = await goneOnWith(2, {}, (sent) =>
      mailing(sent, { check: ({ to }) => ({ happened: sent.includes(String(to)), output: { letter: 0 } }) }),
    )
    expect(await found.run.result).toMatchObject({ reason: 'done' })
    expect(found.sent).toEqual(['ann', 'bob'])
    const asked = await goneOnWith(2, { uncertain: 'ask' })
    await expect.poll(() => asked.run.questions.map(({ stepId }) => stepId)).toEqual(['c'])
    asked.run.answer('c', { letter: 1 })
    await expect.poll(() => asked.run.questions.map(({ stepId }) => stepId)).toEqual(['d'])
    asked.run.retry('d')
    expect(await asked.run.result).toMatchObject({ reason: 'done' })
    expect(asked.sent).toEqual(['ann', 'bob', 'bob'])
  })

  it('begins attempts of its own as ever', async () => {
    let broken = 3
    const retry = { attempts: 5, backoffMs: 0, factor: 1, maxBackoffMs: 0, jitter: 0 }
    const { run, sent } = await goneOnWith(1, { uncertain: 'retry' }, (all) => {
      const mail = mailing(all, { retry })
      return { ...mail, run: (...args) => (all.length >= 2 && broken-- > 0 ? Promise.reject(new Error('busy')) : mail.run(...args)) }
    }) // prettier-ignore
    expect(await run.result).toMatchObject({ reason: 'done' })
    expect(sent).toEqual(['ann', 'bob', 'ann', 'bob'])
    const said = run.ledger()
    expect([...said].find(({ id }) => id === 'c')).toMatchObject({ attempt: 5 })
  })

  it('does again what does no harm', async () => {
    const { run, sent } = await goneOnWith(1, {}, (all) => mailing(all, { idempotent: true }))
    expect(await run.result).toMatchObject({ reason: 'done' })
    expect(sent).toEqual(['ann', 'bob', 'ann', 'bob'])
  })

  it('is judged by what its tools were then, too', async () => {
    let isIdempotent = false
    const { run, sent } = await goneOnWith(2, { changes: 'accept' }, (all) => {
      const tool = mailing(all, { idempotent: isIdempotent })
      isIdempotent = true
      return tool
    })
    expect(await run.result).toMatchObject({ failure: { code: 'RUN_END_LOST' } })
    expect(sent).toEqual(['ann', 'bob'])
  })

  it('is new work for a fork', async () => {
    const { run, journal, sent } = await goneOnWith(2, {})
    await run.result
    const again = createRuntime({ tools: [echo, mailing(sent as string[])], planner: keeping, journal })
    const fork = await again.fork('run', 2)
    expect(await fork.result).toMatchObject({ reason: 'done' })
    expect(sent).toEqual(['ann', 'bob', 'ann', 'bob'])
    expect(journal.runs().find(({ runId }) => runId === fork.id)?.lostAfter).toBeUndefined()
  })
})

/** Plans with a list, an amendment and a sub-goal, each of which writes letters. */
const writer: Planner = {
  name: 'writer',
  plan: ({ goal }) =>
    goal.text === 'sub'
      ? { steps: [{ id: 'm', tool: 'mail', input: { to: 'sub' } }] }
      : {
          steps: [
            { id: 'list', tool: 'echo', input: { all: ['one', 'two'] } },
            { id: 'each', tool: 'mail', input: { to: { $item: '' } }, forEach: from('list', '/all') },
            { id: 'bad', tool: 'fail', input: {}, after: ['each'] },
            { id: 'sub', goal: { text: 'sub' }, after: ['each'] },
            { id: 'last', tool: 'mail', input: { to: 'last' }, after: ['sub'] },
          ],
        },
  replan: () => ({
    patch: [{ op: 'replace', id: 'bad', step: { id: 'bad', tool: 'mail', input: { to: 'instead' }, after: ['each'] } }],
  }),
}

describe('a run that was cut at any event', () => {
  it('has nothing done twice without an uncertain step in its record', async () => {
    const folder = scratchFolder()
    const path = join(folder, 'runs.db')
    const before: string[] = []
    const journal = sqliteJournal(path)
    const runtime = createRuntime({ tools: [echo, fail, mailing(before)], planner: writer, journal })
    const outcome = await runtime.start('letters', { runId: 'run' }).result
    expect(outcome).toMatchObject({ reason: 'done' })
    expect([...before].sort()).toEqual(['instead', 'last', 'one', 'sub', 'two'])
    const many = [...journal.read('run')].length
    const sub = journal.runs().find(({ parentRunId }) => parentRunId === 'run')?.runId ?? ''
    await runtime.close()
    const twice = new Set<string>()
    for (let seq = 1; seq < many; seq++) {
      for (const subSeq of [undefined, 0, 1, 2]) {
        const place = join(mkdtempSync(join(folder, 'cut-')), 'runs.db')
        cpSync(path, place)
        damage(place, 'run', seq)
        if (subSeq !== undefined) damage(place, sub, subSeq)
        await repairJournal(place, `${place}.saved`)
        const saved = sqliteJournal(`${place}.saved`)
        const after: string[] = []
        const tools = [echo, fail, mailing(after)]
        const ask = () => Promise.resolve({ happened: false })
        const again = createRuntime({ tools, planner: writer, journal: saved, ask })
        const run = await again.resume('run', { uncertain: 'ask' })
        expect(await run.result).toMatchObject({ reason: 'done' })
        const uncertain = new Set(saved.runs().flatMap(({ runId }) => uncertainIn(saved, runId)))
        for (const to of after) {
          twice.add(to)
          expect([seq, subSeq, [...uncertain]]).toEqual([seq, subSeq, expect.arrayContaining([to])])
        }
        await again.close()
      }
    }
    expect([...twice].sort()).toEqual([...before].sort()) // each of them, at some event
  }, 120_000)
})

/** Whom steps that were uncertain at some moment of a run would write to. */
function uncertainIn(journal: SqliteJournal, runId: string): readonly string[] {
  const replay = replayJournal(journal.read(runId))
  const ids = replay.transitions.flatMap(({ steps }) =>
    steps.flatMap(({ id, status }) => (status === 'uncertain' ? [id] : [])),
  )
  const letters: Readonly<Record<string, string>> = { 'each[0]': 'one', 'each[1]': 'two', bad: 'instead', m: 'sub' }
  return ids.map((id) => letters[id] ?? id)
}
