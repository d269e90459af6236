// The command as its user has it: started, killed or stopped for a deploy, resumed, and again, and at the end the same as if nothing
// had been.
import { spawn } from 'node:child_process'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { outsideInFile } from '../support/outside.ts'
import { scratchFolder } from '../support/scratchFolder.ts'

const work = 'test/durability/commandWork.ts'

interface Ended {
  readonly code: number | null
  readonly stdout: string
  readonly stderr: string
}

interface Stop {
  readonly signal: NodeJS.Signals
  /** When it has said so often that a step is done. */
  readonly afterSteps: number
}

function planloom(effects: string, args: readonly string[], stop?: Stop): Promise<Ended> {
  const child = spawn(process.execPath, ['--import', 'tsx', 'src/cli/main.ts', ...args], {
    stdio: ['ignore', 'pipe', 'pipe'],
    env: { ...process.env, EFFECTS: effects },
  })
  let [stdout, stderr] = ['', '']
  child.stdout.setEncoding('utf8').on('data', (text: string) => (stdout += text))
  child.stderr.setEncoding('utf8').on('data', (text: string) => {
    stderr += text
    if (stop === undefined || isStopped || stderr.split('✓').length <= stop.afterSteps) return
    isStopped = true
    child.kill(stop.signal)
  })
  let isStopped = false
  return new Promise((resolve, reject) => {
    child.on('error', reject)
    child.on('close', (code) => {
      if (code === null || code === 0 || code === 75) resolve({ code, stdout, stderr })
      else reject(new Error(`It ended with ${String(code)}: ${stderr}`))
    })
  })
}

interface Document {
  readonly outcome: { readonly status: string; readonly reason: string; readonly counts: object }
  readonly steps: readonly { readonly id: string; readonly status: string }[]
  readonly facts: object
}

/** What of a run does not depend on when anything happened. */
function endIn(stdout: string): unknown {
  const { outcome, steps, facts } = JSON.parse(stdout) as Document
  const { status, reason, counts } = outcome
  return {
    status,
    reason,
    counts,
    steps: steps.map((step) => [step.id, step.status]),
    facts: Object.keys(facts).sort(),
  }
}

const effectsOf = (path: string): string[] =>
  outsideInFile(path)
    .lines()
    .map((line) => line.split(' ').slice(0, 2).join(' '))
    .sort()

it('planloom resume comes to the end that planloom run would have had', { timeout: 120_000 }, async () => {
  const folder = scratchFolder()
  const journal = join(folder, 'runs.db')
  const [effects, undisturbed] = [join(folder, 'effects'), join(folder, 'undisturbed')]
  const resume = ['resume', work, '--journal', journal]
  const killed = { signal: 'SIGKILL', afterSteps: 2 } as const
  expect((await planloom(effects, ['run', work, '--journal', journal], killed)).code).toBeNull()
  expect((await planloom(effects, resume, { ...killed, afterSteps: 3 })).code).toBeNull()
  const resumed = await planloom(effects, [...resume, '--json'])
  const straight = await planloom(undisturbed, ['run', work, '--json'])
  expect(endIn(resumed.stdout)).toEqual(endIn(straight.stdout))
  expect(effectsOf(effects)).toEqual(effectsOf(undisturbed))
  expect(new Set(effectsOf(effects)).size).toBe(effectsOf(effects).length)
})

it('comes to it where SIGTERM or SIGHUP have it leave the run, by the command that it names', { timeout: 120_000 }, async () => {
  const folder = scratchFolder()
  const journal = join(folder, 'runs.db')
  const [effects, undisturbed] = [join(folder, 'effects'), join(folder, 'undisturbed')]
  const left = await planloom(effects, ['run', work, '--journal', journal], { signal: 'SIGTERM', afterSteps: 2 })
  expect(left.code).toBe(75)
  expect(left.stderr).toMatch(/leaving it unfinished(: waiting up to 5 s for \d steps?)?; again to stop at once/)
  const [, steps, command = ''] = /left unfinished: run-\w+, with (\d+) of \d+ steps done; go on with it:\n {2}planloom (.*)\n/.exec(left.stdout) ?? []
  expect(Number(steps)).toBeGreaterThan(0)
  expect(command).toMatch(/^resume test\/durability\/commandWork\.ts run-\w+ --journal /)
  const resume = command.split(' ')
  const again = await planloom(effects, [...resume, '--json'], { signal: 'SIGHUP', afterSteps: Number(steps) + 1 })
  expect(again.code).toBe(75)
  expect(JSON.parse(again.stdout)).toMatchObject({ left: { goOn: `planloom ${command} --people journal` }, steps: expect.any(Array) })
  const resumed = await planloom(effects, [...resume, '--json'])
  const straight = await planloom(undisturbed, ['run', work, '--json'])
  expect(endIn(resumed.stdout)).toEqual(endIn(straight.stdout))
  expect(effectsOf(effects)).toEqual(effectsOf(undisturbed))
}) // prettier-ignore
