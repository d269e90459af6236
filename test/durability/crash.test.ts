// A process is killed in the middle of a run, again and again, and others go on with it: a real process, file and signal.
import { spawn } from 'node:child_process'
import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { expect, it } from 'vitest'
import { replayJournal, sqliteJournal } from '../../src/runtime/index.ts'
import { scratchFolder } from '../support/scratchFolder.ts'
import { plan } from './work.ts'

const script = fileURLToPath(new URL('./process.ts', import.meta.url))

/** Runs the work in a process that is killed after so many transitions. @returns whether it came to its end before that */
function runUntil(transitions: number, journal: string, effects: string, what: 'start' | 'resume'): Promise<boolean> {
  const child = spawn(process.execPath, ['--import', 'tsx', script, journal, effects, what], {
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  let seen = 0
  let isOver = false
  child.stdout.setEncoding('utf8').on('data', (text: string) => {
    seen += text.split('\n').length - 1
    isOver ||= text.includes('over ')
    if (seen >= transitions && !isOver) child.kill('SIGKILL')
  })
  return new Promise((resolve, reject) => {
    child.on('error', reject)
    child.on('close', (code) => {
      if (isOver || code === null) resolve(isOver)
      else reject(new Error(`The process ended by itself with ${String(code)}.`))
    })
  })
}

it.each([[[3, 40, 55]], [[17, 30]]])('killed after %j transitions, it comes to its end with every effect as promised', { timeout: 60_000 }, async (kills) => {
  const folder = scratchFolder()
  const [path, effects] = [join(folder, 'runs.db'), join(folder, 'effects')]
  let isOver = await runUntil(kills[0] ?? 1, path, effects, 'start')
  for (const kill of [...kills.slice(1), Infinity]) if (!isOver) isOver = await runUntil(kill, path, effects, 'resume')
  expect(isOver).toBe(true)

  const journal = sqliteJournal(path)
  const run = replayJournal(journal.read('run'))
  expect(journal.verify().faults).toEqual([])
  await journal.close()
  expect(run.outcome?.status).toBe('completed')
  const lines = existsSync(effects) ? readFileSync(effects, 'utf8').trim().split('\n') : []
  const ledger = new Map([...run.ledger()].map((step) => [step.id, step]))
  for (const { id, tool } of plan.steps) {
    const times = lines.filter((line) => line === `${String(tool)} run/${id}`).length
    const status = ledger.get(id)?.status
    if (tool === 'write') expect([id, status, times]).toEqual([id, 'succeeded', 1])
    else if (status === 'uncertain') expect(times).toBeLessThanOrEqual(1)
    else expect([id, status, times]).toEqual([id, 'succeeded', 1])
  }
}) // prettier-ignore
