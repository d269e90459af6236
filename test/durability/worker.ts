// A process of its own: carries random work out, from the start or from where its journal ends, until it is killed. At SIGTERM it leaves
// the work unfinished, as a service does that is deployed anew.
import { readFileSync } from 'node:fs'
import { setTimeout as wait } from 'node:timers/promises'
import { createRuntime, sqliteJournal } from '../../src/runtime/index.ts'
import type { CrashWork } from '../arbitraries/crashPlans.ts'
import { crashRuntimeOptions } from '../support/crashWork.ts'
import { mortalJournal, type Death } from '../support/mortalJournal.ts'
import { outsideInFile } from '../support/outside.ts'

export interface WorkerInput {
  readonly work: CrashWork
  readonly journal: string
  readonly effects: string
  readonly what: 'start' | 'resume'
  /** When it kills itself; without it, somebody else does, or nobody. */
  readonly death?: Death
}

const { work, journal: path, effects, what, death } = JSON.parse(readFileSync(0, 'utf8')) as WorkerInput
const journal = mortalJournal(sqliteJournal(path, { fileOverBytes: 1_000 }), death, () =>
  process.kill(process.pid, 'SIGKILL'),
)
const options = crashRuntimeOptions(work, outsideInFile(effects), (ms, signal) => wait(ms, undefined, { signal }))
const runtime = createRuntime({ ...options, journal })
process.on('SIGTERM', () => {
  void runtime.close({ runs: 'leave' })
})
const run = what === 'start' ? runtime.start(work.plan.goal, { runId: 'run' }) : await runtime.resume('run')
process.stdout.write('begun\n')
const isLeft = await run.result.then(
  () => false,
  () => true,
)
await runtime.close()
process.stdout.write(isLeft ? 'left\n' : 'over\n')
