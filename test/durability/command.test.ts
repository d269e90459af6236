// The command as its user has it: started, killed, resumed, killed again, and at the end the same as if nothing had been.
import { spawn } from 'node:child_process'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { outsideInFile } from '../support/outside.ts'
import { scratchFolder } from '../support/scratchFolder.ts'

const work = 'test/durability/commandWork.ts'

interface Ended {
  readonly code: number | null
  readonly stdout: string
}

/** Starts it, and kills it when it has said so often that a step is done. */
function planloom(effects: string, args: readonly string[], killAfter = Infinity): Promise<Ended> {
  const child = spawn(process.execPath, ['--import', 'tsx', 'src/cli/main.ts', ...args], {
    stdio: ['ignore', 'pipe', 'pipe'],
    env: { ...process.env, EFFECTS: effects },
  })
  let [stdout, stderr] = ['', '']
  child.stdout.setEncoding('utf8').on('data', (text: string) => (stdout += text))
  child.stderr.setEncoding('utf8').on('data', (text: string) => {
    stderr += text
    if (stderr.split('✓').length > killAfter) child.kill('SIGKILL')
  })
  return new Promise((resolve, reject) => {
    child.on('error', reject)
    child.on('close', (code) => {
      if (code === null || code === 0) resolve({ code, stdout })
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

it('planloom resume comes to the end that planloom run would have had', { timeout: 120_000 }, async () => {
  const folder = scratchFolder()
  const journal = join(folder, 'runs.db')
  const [effects, undisturbed] = [join(folder, 'effects'), join(folder, 'undisturbed')]
  const resume = ['resume', work, '--journal', journal]
  expect((await planloom(effects, ['run', work, '--journal', journal], 2)).code).toBeNull()
  expect((await planloom(effects, resume, 3)).code).toBeNull()
  const resumed = await planloom(effects, [...resume, '--json'])
  const straight = await planloom(undisturbed, ['run', work, '--json'])
  expect(endIn(resumed.stdout)).toEqual(endIn(straight.stdout))
  const effectsOf = (path: string): string[] =>
    outsideInFile(path)
      .lines()
      .map((line) => line.split(' ').slice(0, 2).join(' '))
      .sort()
  expect(effectsOf(effects)).toEqual(effectsOf(undisturbed))
  expect(new Set(effectsOf(effects)).size).toBe(effectsOf(effects).length)
})
