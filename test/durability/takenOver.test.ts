// A process that was asleep for longer than its lease: its run goes on elsewhere, and it says so.
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { exitCodeOfError, exitCodes } from '../../src/cli/exitCodes.ts'
import { createRuntime, sqliteJournal, type PlanloomError } from '../../src/runtime/index.ts'
import { planOf } from '../support/plans.ts'
import { scratchFolder } from '../support/scratchFolder.ts'

it('says that its run was taken over, by whom and when, and gives it no outcome', async () => {
  const path = join(scratchFolder(), 'runs.db')
  let now = Date.now()
  let asked = 0 // a person is asked when that is recorded
  const ask = (): Promise<never> => {
    asked++
    return new Promise(() => undefined)
  }
  const open = () => createRuntime({ ask, journal: sqliteJournal(path, { leaseMs: 10_000, now: () => now }) })
  const asleep = open()
  const old = asleep.start(planOf([{ id: 'ask', instruction: 'Well?' }]))
  await expect.poll(() => asked).toBe(1)
  now += 10_000
  const other = open()
  const taken = await other.resume(old.id)
  await expect.poll(() => asked).toBe(2)
  old.answer('ask', 'late')
  const error: unknown = await old.result.then(() => undefined, (thrown: unknown) => thrown) // prettier-ignore
  expect(error).toMatchObject({ code: 'RUN_TAKEN_OVER' })
  const { message, hint } = error as PlanloomError
  expect(message).toMatch(new RegExp(`process ${String(process.pid)} on .+ has taken it over at \\d{4}-`))
  expect(hint).toContain(`planloom events --follow ${old.id}`)
  expect(exitCodeOfError(error)).toBe(exitCodes.left)
  expect(old.outcome).toBeUndefined()
  await asleep.close()
  taken.answer('ask', 'in time')
  expect((await taken.result).reason).toBe('done')
  expect(taken.output('ask')).toBe('in time')
  await other.close()
})
