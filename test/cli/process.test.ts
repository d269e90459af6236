// The command as a process, as a shell starts it: exit codes, streams, signals.
import { spawn, spawnSync } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, describe, expect, it } from 'vitest'

const folder = mkdtempSync(join(tmpdir(), 'planloom-process-'))
afterAll(() => {
  rmSync(folder, { recursive: true })
})
const command = ['--import', 'tsx', 'src/cli/main.ts']
const tools = ['--tools', 'test/cli/fixtures/tools.ts']

interface Ended {
  readonly code: number | null
  readonly signal: string | null
  readonly stdout: string
  readonly stderr: string
}

/** Starts it; `onStderr` sees what it has written so far whenever there is more. */
async function planloom(
  args: readonly string[],
  onStderr: (text: string, pid: number) => void = () => undefined,
): Promise<Ended> {
  const child = spawn(process.execPath, [...command, ...args], { stdio: ['ignore', 'pipe', 'pipe'] })
  let stdout = ''
  let stderr = ''
  child.stdout.on('data', (chunk: Buffer) => (stdout += chunk.toString()))
  child.stderr.on('data', (chunk: Buffer) => {
    stderr += chunk.toString()
    onStderr(stderr, child.pid!)
  })
  return new Promise((settle) => {
    child.on('close', (code, signal) => {
      settle({ code, signal, stdout, stderr })
    })
  })
}

function planFile(name: string, tool: string): string {
  const path = join(folder, `${name}.json`)
  const steps = [
    { id: 'list', tool: 'list', input: { length: 1 } },
    { id: 'long', tool, after: ['list'] },
    { id: 'never', tool: 'list', input: { length: 1 }, after: ['long'] },
  ]
  writeFileSync(path, JSON.stringify({ id: 'p', goal: { text: 'Wait' }, steps }))
  return path
}

/** Presses Ctrl-C, so to speak, once each time one of these texts has come. */
function interruptAt(...texts: string[]): (stderr: string, pid: number) => void {
  let next = 0
  return (stderr, pid) => {
    const text = texts[next]
    if (text === undefined || !stderr.includes(text)) return
    next++
    process.kill(pid, 'SIGINT')
  }
}

// Each starts Node and a TypeScript loader, which takes its time on a busy machine.
describe.concurrent('the planloom process', { timeout: 180_000 }, () => {
  it('carries a goal out: the document on stdout, progress on stderr, 0 at the end', async () => {
    const { code, stdout, stderr } = await planloom(['run', 'test/cli/fixtures/goal.ts', '--json'])
    expect(JSON.parse(stdout)).toHaveProperty('outcome.status', 'completed')
    expect(stderr).toMatch(/◆ planned 2 steps[^]*✓ double\[2\]/)
    expect(code).toBe(0)
  })

  it('cancels cleanly at Ctrl-C: what is out is stopped, nothing more begins, and the exit code is 130', async () => {
    const journal = join(folder, 'cancelled.jsonl')
    const args = ['run', planFile('wait', 'wait'), ...tools, '--json', '--journal', journal]
    const { code, stdout, stderr } = await planloom(args, interruptAt('✓ list'))
    expect(code).toBe(130)
    expect(stderr).toContain('cancelling; Ctrl-C again to stop at once')
    const { outcome, steps } = JSON.parse(stdout) as {
      outcome: object
      steps: { id: string; status: string; attempt: number }[]
    }
    expect(outcome).toMatchObject({ status: 'cancelled', reason: 'cancelled' })
    expect(steps).toMatchObject([
      { id: 'list', status: 'succeeded' },
      { id: 'long', status: 'cancelled', attempt: 1 },
      { id: 'never', status: 'cancelled', attempt: 0 },
    ])
    expect(readFileSync(journal, 'utf8')).toContain('"run.cancel"')
  })

  it('stops at once when Ctrl-C comes twice, whatever the tool does', async () => {
    const args = ['run', planFile('ignore', 'ignore'), ...tools, '--json']
    const { code, stdout } = await planloom(args, interruptAt('✓ list', 'cancelling'))
    expect(code).toBe(130)
    expect(stdout).toBe('') // it did not wait for the end of the run
  })

  it('ends with 3 for an invalid plan, and 2 for a command that there is not', async () => {
    const [invalid, unknown] = await Promise.all([
      planloom(['run', planFile('bad', 'nope'), ...tools]),
      planloom(['rnu']),
    ])
    expect(invalid).toMatchObject({ code: 3, stdout: '' })
    expect(invalid.stderr).toContain('TOOL_UNKNOWN')
    expect(unknown).toMatchObject({ code: 2, stdout: '' })
    expect(unknown.stderr).toContain('Did you mean run?')
  })

  it('ends quietly when its reader goes away', () => {
    const { stderr, status } = spawnSync(
      'bash',
      ['-c', `"$0" ${command.join(' ')} --help | head -n 1`, process.execPath],
      { encoding: 'utf8' },
    )
    expect({ stderr, status }).toEqual({ stderr: '', status: 0 })
  })

  it('reads a plan from its standard input', () => {
    const { stdout, status } = spawnSync(process.execPath, [...command, 'graph', '-', '--format', 'dot'], {
      input: readFileSync(planFile('stdin', 'wait')),
      encoding: 'utf8',
    })
    expect(status).toBe(0)
    expect(stdout).toMatch(/^digraph/)
  })
})
