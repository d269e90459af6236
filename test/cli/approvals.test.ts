// Approval at the command: plans and amendments, each shown for what it is.
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { scratchFolder } from '../support/scratchFolder.ts'
import { callCommand } from './callCommand.ts'

const amending = 'test/cli/fixtures/amending.ts'

it('an amendment that waits is approved beforehand by --yes, as the plan was', async () => {
  const { code, stdout } = await callCommand('run', amending, '--approval', 'required', '--yes')
  expect(code, stdout).toBe(0)
})

it('an amendment that waits is shown for what it changes, and goes on when it is approved', async () => {
  const journal = ['--journal', join(scratchFolder(), 'runs.db')]
  const waiting = ['--people', 'journal', '--approval', 'required']
  const running = callCommand('run', amending, ...journal, ...waiting)
  const shown = async (what: string): Promise<string> => {
    for (;;) {
      const { stdout } = await callCommand('show', 'latest', ...journal)
      if (stdout.includes(what)) return stdout
      await new Promise((settle) => setImmediate(settle)) // the run has its turn
    }
  }
  await shown('the plan  ')
  await callCommand('approve', 'latest', ...journal)
  const asks = await shown('an amendment  ')
  expect(asks).toMatch(/~ get +list/)
  expect(asks).toContain('it broke')
  await callCommand('approve', 'latest', ...journal)
  const { code, stdout } = await running
  expect(code, stdout).toBe(0)
})
