// The command as a process, as a shell starts it: exit codes, streams, signals.
import { spawn, spawnSync } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, describe, expect, it } from 'vitest'
import { importJournal, replayJournal, sqliteJournal } from '../../src/runtime/index.ts'

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

/** A list, then a long step, then one that is never begun. */
function planFile(name: string, tool: string, ...more: object[]): string {
  const path = join(folder, `${name}.json`)
  const steps = [
    { id: 'list', tool: 'list', input: { length: 1 } },
    { id: 'long', tool, after: ['list'] },
    { id: 'never', tool: 'list', input: { length: 1 }, after: ['long'] },
    ...more,
  ]
  writeFileSync(path, JSON.stringify({ id: 'p', goal: { text: 'Wait' }, steps }))
  return path
}

/** Presses Ctrl-C, so to speak, once each time one of these texts has come. */
function interruptAt(...texts: string[]): (stderr: string, pid: number) => void {
  return signalAt('SIGINT', ...texts)
}

function signalAt(signal: NodeJS.Signals, ...texts: string[]): (stderr: string, pid: number) => void {
  let next = 0
  return (stderr, pid) => {
    const text = texts[next]
    if (text === undefined || !stderr.includes(text)) return
    next++
    process.kill(pid, signal)
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
    expect(stderr).toContain('cancelling: waiting up to 5 s for 1 step; Ctrl-C again to stop at once')
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
    const { code, stdout } = await planloom(args, interruptAt('ignoring', 'cancelling'))
    expect(code).toBe(130)
    // It did not wait for the end of the run, and says so.
    expect(JSON.parse(stdout)).toMatchObject({
      state: 'stopping',
      outcome: { status: 'cancelled', message: expect.stringContaining('while long had not stopped yet') },
      steps: [{ id: 'list', status: 'succeeded' }, { id: 'long', status: 'running' }, { id: 'never' }],
    })
  })

  it('leaves a run of a journal at SIGTERM, where Ctrl-C cancels it; without a journal SIGTERM cancels', async () => {
    const file = planFile('deployed', 'wait')
    const journal = join(folder, 'deployed.db')
    const args = ['run', file, ...tools, '--json', '--journal', journal]
    const [left, cancelled, unrecorded] = await Promise.all([
      planloom(args, signalAt('SIGTERM', '✓ list')),
      planloom(args, interruptAt('✓ list')),
      planloom(['run', file, ...tools, '--json'], signalAt('SIGTERM', '✓ list')),
    ])
    expect([left.code, cancelled.code, unrecorded.code]).toEqual([75, 130, 130])
    const { runId, left: said } = JSON.parse(left.stdout) as { runId: string; left: { goOn: string } }
    expect(said.goOn).toBe(`planloom resume ${file} ${runId} --journal ${journal} ${tools.join(' ')}`)
    const kept = sqliteJournal(journal)
    expect(kept.ownerOf(runId)).toBeUndefined()
    const run = replayJournal([...kept.read(runId)])
    expect([...run.ledger()].map(({ status }) => status)).toEqual(['succeeded', 'running', 'waiting'])
    await kept.close()
  })

  it('goes on waiting for approval by the command that is named, or without --people, where there is no terminal', async () => {
    const journal = join(folder, 'waiting.db')
    const wants = ['run', planFile('approved', 'wait'), ...tools, '-j', journal, '--people', 'journal']
    const left = await planloom([...wants, '--approval', 'required'], signalAt('SIGTERM', 'planloom approve'))
    expect(left.code).toBe(75)
    expect(left.stdout).toMatch(/--people journal\nIt waits for\n {2}the plan {2}planloom approve run-/)
    const resume = ['resume', planFile('approved', 'wait'), ...tools, '-j', journal]
    for (const people of [[], ['--people', 'journal']]) {
      const again = await planloom([...resume, ...people], signalAt('SIGTERM', 'planloom approve'))
      expect(again).toMatchObject({ code: 75, stdout: expect.stringContaining('left unfinished') })
    }
  })

  it('stops at once when SIGTERM comes twice, and what it was leaving can be gone on with', async () => {
    const journal = join(folder, 'twice.db')
    const args = ['run', planFile('twice', 'ignore'), ...tools, '--journal', journal]
    const { code, stdout } = await planloom(args, signalAt('SIGTERM', 'ignoring', 'leaving it unfinished'))
    expect(code).toBe(75)
    expect(stdout).toMatch(/left unfinished: run-\w+, with 1 of 3 steps done; go on with it:\n {2}planloom resume /)
  })

  it.each([
    ['timer', 'thrown in a timer'],
    ['promise', 'rejected for nobody'],
  ])(
    'says in which run a tool broke outside of its call (%s), cancels it in order, and ends with 1',
    async (tool, words) => {
      const journal = join(folder, `${tool}.jsonl`)
      const args = ['run', planFile(tool, tool), ...tools, '--tools', 'test/cli/fixtures/stray.ts', '-j', journal]
      const [plain, json] = await Promise.all([planloom(args), planloom([...args.slice(0, -2), '--json'])])
      expect(plain.code).toBe(1)
      expect(plain.stderr).toContain(`Nobody caught RangeError: ${words}`)
      expect(plain.stderr).toMatch(
        /It came into the run run-\w+, with long running\.[^]*hint A tool threw outside of its own call/,
      )
      expect(plain.stderr).toContain(`What happened so far stands in ${journal}.`)
      expect(plain.stderr).toMatch(/at .*stray\.ts:\d+/)
      expect(plain.stdout).toContain('■ cancelled: Cancelled by planloom: an error that nobody caught')
      expect(json.code).toBe(1)
      expect(JSON.parse(json.stdout)).toMatchObject({
        error: { code: 'UNCAUGHT', message: expect.stringContaining(words) },
        outcome: { status: 'cancelled', counts: { succeeded: 1, cancelled: 2 } },
      })
      const { state } = replayJournal(importJournal(readFileSync(journal, 'utf8')))
      expect(state).toBe('cancelled')
    },
  )

  it('stops the others in order where a listener of a tool throws at the abort, and does not hide it', async () => {
    const plan = planFile('listener', 'listener', { id: 'other', tool: 'wait' })
    const args = ['run', plan, ...tools, '--tools', 'test/cli/fixtures/stray.ts', '--json']
    const { code, stdout, stderr } = await planloom(args, interruptAt('✓ list'))
    expect(code).toBe(1)
    expect(stderr).toContain('waiting up to 5 s for 2 steps')
    expect(stderr).toContain('Nobody caught RangeError: thrown in a listener')
    expect(JSON.parse(stdout)).toMatchObject({
      error: { code: 'UNCAUGHT' },
      outcome: { status: 'cancelled', counts: { succeeded: 1, cancelled: 3 } },
    })
  })

  it('says what broke while a module was being loaded', async () => {
    const path = join(folder, 'loading.mjs')
    writeFileSync(
      path,
      'setTimeout(() => { throw new Error("too early") })\nawait new Promise((go) => setTimeout(go, 1e6))',
    )
    const { code, stdout, stderr } = await planloom(['tools', path, '--json'])
    expect(code).toBe(1)
    expect(stderr).toMatch(/^error Error: too early\n/)
    expect(JSON.parse(stdout)).toEqual({ error: { code: 'UNEXPECTED', message: 'too early' } })
  })

  it('has the journal in its file at any moment: what a killed process leaves can be replayed', async () => {
    const journal = join(folder, 'killed.jsonl')
    const { signal } = await planloom(['run', planFile('killed', 'ignore'), ...tools, '-j', journal], (stderr, pid) => {
      if (stderr.includes('✓ list')) process.kill(pid, 'SIGKILL')
    })
    expect(signal).toBe('SIGKILL')
    const refused = await planloom(['replay', journal])
    expect(refused).toMatchObject({ code: 2, stdout: '' })
    expect(refused.stderr).toMatch(/has no end: it was cut short.* Up to event \d+ .*\[JOURNAL_BROKEN\][^]*--unchecked/)
    const told = await planloom(['replay', journal, '--unchecked'])
    expect(told.code).toBe(0)
    expect(told.stderr).toContain('What is taken of it ends with event')
    expect(told.stdout).toContain('The journal ends while the run is awaiting')
    const replayed = replayJournal(importJournal(readFileSync(journal, 'utf8'), { unchecked: true }))
    expect(replayed.state).toBe('awaiting')
    expect([...replayed.ledger()]).toMatchObject([
      { id: 'list', status: 'succeeded' },
      { id: 'long', status: 'running' },
      { id: 'never', status: 'waiting' },
    ])
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
