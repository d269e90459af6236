// What every journal that takes requests must do with them.
import { describe, expect, it } from 'vitest'
import type { Journal, JournalEvent, RunCommand, RunJournal, RunRequest } from '../../src/runtime/index.ts'

const pause: RunCommand = { type: 'run.pause' }

/** The event that a request becomes. */
export function eventOf(seq: number, request: number): JournalEvent {
  return { type: 'run.pause', id: `e${String(seq)}`, at: seq, seq, request }
}

export async function requestsOf(journal: Journal, runId: string): Promise<RunRequest[]> {
  const list: RunRequest[] = []
  for await (const request of journal.requests?.(runId) ?? []) list.push(request)
  return list
}

/** The numbers of what there is to take. */
export function taken(writer: RunJournal): number[] {
  return (writer.takeRequests?.() ?? []).map(({ number }) => number)
}

export async function request(journal: Journal, runId: string, command = pause, by?: string): Promise<number> {
  const number = await journal.request?.(runId, command, by === undefined ? {} : { by })
  if (number === undefined) throw new Error('This journal takes no requests.')
  return number
}

export function describeRequests(name: string, open: () => Journal): void {
  describe(`${name}, asked something of a run`, () => {
    it('gives requests to the writer in their order, each once', async () => {
      const journal = open()
      const writer = journal.create('one')
      journal.create('other')
      const first = await request(journal, 'one', { type: 'step.skip', stepId: 'a' }, 'ann')
      await request(journal, 'other')
      const second = await request(journal, 'one')
      expect(second).toBeGreaterThan(first)
      expect(writer.takeRequests?.()).toMatchObject([
        { number: first, runId: 'one', by: 'ann', command: { type: 'step.skip', stepId: 'a' } },
        { number: second, command: pause },
      ])
      expect(taken(writer)).toEqual([])
      const third = await request(journal, 'one')
      expect(taken(writer)).toEqual([third])
    })

    it('says what came of each: the event that names it, or why it was refused', async () => {
      const journal = open()
      const writer = journal.create('one')
      const [first, second, third] = [
        await request(journal, 'one'),
        await request(journal, 'one'),
        await request(journal, 'one'),
      ]
      taken(writer)
      writer.append(eventOf(0, first))
      writer.refuse?.(second, { code: 'COMMAND_REFUSED', message: 'no', possible: ['skip'] })
      await writer.flush()
      const told = await requestsOf(journal, 'one')
      expect(told).toMatchObject([
        { number: first, seq: 0 },
        { number: second, refused: { code: 'COMMAND_REFUSED', message: 'no', possible: ['skip'] } },
        { number: third },
      ])
      expect(told[2]).not.toHaveProperty('seq')
      // What has come to its end stays so.
      writer.append(eventOf(1, second))
      writer.refuse?.(first, { code: 'X', message: 'x' })
      await writer.flush()
      expect(await requestsOf(journal, 'one')).toEqual(told)
    })

    it('gives what came to no end to whoever goes on with the run', async () => {
      const journal = open()
      const writer = journal.create('one')
      const [first, second] = [await request(journal, 'one'), await request(journal, 'one')]
      taken(writer)
      writer.append(eventOf(0, first))
      await writer.flush()
      await writer.close()
      const third = await request(journal, 'one')
      expect(taken(journal.open('one'))).toEqual([second, third])
    })

    it('tells the writer when there is something to take', async () => {
      const journal = open()
      const writer = journal.create('one')
      const told = new Promise<number[]>((resolve) => {
        writer.onRequest?.(() => {
          resolve(taken(writer))
        })
      })
      const number = await request(journal, 'one')
      expect(await told).toEqual([number])
    })

    it('refuses all that is open when the run ends, and what comes after that at once', async () => {
      const journal = open()
      const writer = journal.create('one')
      const [first, second] = [await request(journal, 'one'), await request(journal, 'one')]
      writer.append(eventOf(0, first))
      const used = { tokens: 0, cost: 0, plannerCalls: 0, replans: 0, timeMs: 0 }
      writer.describe?.({ state: 'cancelled', reason: 'cancelled', counts: {}, used, revision: 1 })
      await writer.flush()
      expect(await requestsOf(journal, 'one')).toMatchObject([
        { number: first, seq: 0 },
        { number: second, refused: { code: 'RUN_OVER' } },
      ])
      await expect(request(journal, 'one')).rejects.toMatchObject({ code: 'RUN_OVER' })
    })

    it('knows no requests of a run that it does not know', async () => {
      const journal = open()
      await expect(request(journal, 'nobody')).rejects.toMatchObject({ code: 'RUN_UNKNOWN' })
      await expect(requestsOf(journal, 'nobody')).rejects.toMatchObject({ code: 'RUN_UNKNOWN' })
    })
  })
}
