import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { afterAll, describe, expect, expectTypeOf, it, vi } from 'vitest'
import { z } from 'zod'
import type { JsonObject } from '../../../src/plan/json.ts'
import { carryOut } from '../../../src/tools/carryOut.ts'
import { createToolRegistry } from '../../../src/tools/registry.ts'
import { shellCommand, shellTools, type ShellCommand } from '../../../src/tools/shell/shellTools.ts'
import { failureOf, outputOf } from '../results.ts'
import { toolContext } from '../toolContext.ts'

const input = z.strictObject({ args: z.array(z.string()).default([]), stdin: z.string().default('') })

/** A tool that runs this script in a Node of its own, with the arguments of the step. */
const script = (code: string, more: Partial<ShellCommand<typeof input>> = {}) =>
  shellCommand({
    command: process.execPath,
    description: 'A script.',
    input,
    args: ({ args }) => ['-e', code, '--', ...args],
    stdin: ({ stdin }) => stdin,
    ...more,
  })
const run = (command: ReturnType<typeof script>, given: JsonObject = {}, context = toolContext(), graceMs = 2_000) =>
  carryOut(createToolRegistry(shellTools({ commands: { it: command }, graceMs })).get('it'), given, context)

const echo = script('console.log(JSON.stringify(process.argv.slice(1)))')
/** Whether a process runs; one that is dead and only waits to be counted does not. */
const alive = (pid: number): boolean => {
  try {
    process.kill(pid, 0)
    return !existsSync('/proc/self/status') || !/State:\s+Z/.test(readFileSync(`/proc/${pid}/status`, 'utf8'))
  } catch {
    return false
  }
}

/** A killed process closes its output a moment before it is gone. */
const gone = (pids: readonly number[]): Promise<boolean> => vi.waitUntil(() => !pids.some(alive), { timeout: 30_000 })

describe('a command', () => {
  it('gets its arguments as they are: no shell reads them', async () => {
    const args = ['$HOME', '`id`', '$(id)', '; rm -rf /', '* ?', '"\'', 'a b', '', '\n', '&& false', '> file', 'ü😀']
    expect(JSON.parse(outputOf(await run(echo, { args }))['stdout'] as string)).toEqual(args)
  })

  it('gives exit code, stdout and stderr', async () => {
    const command = script('process.stdout.write("out"); process.stderr.write("err"); process.exitCode = 3', {
      successCodes: [0, 3],
    })
    expect(outputOf(await run(command))).toEqual({ exitCode: 3, stdout: 'out', stderr: 'err' })
  })

  it('reads its stdin, also when it is large, or not at all', async () => {
    const stdin = 'x'.repeat(500_000)
    expect(outputOf(await run(script('process.stdin.pipe(process.stdout)'), { stdin }))['stdout']).toBe(stdin)
    expect(outputOf(await run(script('process.exit(0)'), { stdin }))['exitCode']).toBe(0)
  })

  it('sees nothing of the environment but what it needs and is given', async () => {
    process.env['PLANLOOM_SECRET'] = 'secret'
    try {
      const command = script('console.log(JSON.stringify(process.env))', { env: { GIVEN: '1' } })
      const env = JSON.parse(outputOf(await run(command))['stdout'] as string) as Record<string, string>
      expect(env).toMatchObject({ GIVEN: '1', PATH: process.env['PATH'] })
      expect(env).not.toHaveProperty('PLANLOOM_SECRET')
    } finally {
      delete process.env['PLANLOOM_SECRET']
    }
  })

  it('fails with its exit code and what it said', async () => {
    const failure = failureOf(await run(script('console.error("no such table"); process.exit(2)')))
    expect(failure).toMatchObject({ code: 'COMMAND_FAILED', retryable: true })
    expect(failure.message).toBe('The command of "it" ended with exit code 2: no such table')
    expect(
      failureOf(await run(script('process.kill(process.pid, "SIGKILL"); setInterval(() => {}, 1000)'))).message,
    ).toContain('SIGKILL')
  })

  it.each([
    [{ command: '/no/such/program' }, 'COMMAND_MISSING'],
    [{ command: 'no-such-program-anywhere' }, 'COMMAND_MISSING'],
    [{ cwd: '/no/such/folder' }, 'COMMAND_MISSING'],
    [{ command: resolve('package.json') }, 'NO_PERMISSION'],
    [{ args: () => ['a\0b'] }, 'ARGUMENT_INVALID'],
  ])('that cannot be started says why: %j', async (more, code) => {
    expect(failureOf(await run(script('', more)))).toMatchObject({
      code,
      retryable: false,
      hint: expect.stringMatching(/./),
    })
  })

  it('is ended when it prints more than it may', async () => {
    const command = script('for (;;) process.stdout.write("x".repeat(10_000))', { maxBytes: 100_000 })
    const failure = failureOf(await run(command))
    expect(failure).toMatchObject({ code: 'COMMAND_OUTPUT_TOO_LARGE', retryable: false })
    expect(failure.message).toContain('100000 bytes')
  })

  it('takes only the input that its schema allows', async () => {
    expect(failureOf(await run(echo, { command: 'rm' }))).toMatchObject({ code: 'INPUT_INVALID' })
  })
})

describe.skipIf(process.platform === 'win32')('a command that is stopped', () => {
  const place = mkdtempSync(join(tmpdir(), 'planloom-shell-'))
  afterAll(() => {
    rmSync(place, { recursive: true })
  })
  const startsAnother = (file: string, stubborn: boolean) => `
    const { spawn } = require('node:child_process')
    ${stubborn ? "process.on('SIGTERM', () => {})" : ''}
    const child = spawn(process.execPath, ['-e', ${JSON.stringify(`${stubborn ? "process.on('SIGTERM', () => {});" : ''}setInterval(() => {}, 1000)`)}], { stdio: 'inherit' })
    child.once('spawn', () => require('node:fs').writeFileSync(${JSON.stringify(file)}, process.pid + ' ' + child.pid))
    setInterval(() => {}, 1000)`
  const pidsIn = async (file: string) => {
    while (!existsSync(file) || readFileSync(file, 'utf8') === '')
      await new Promise((resolve) => setTimeout(resolve, 5))
    return readFileSync(file, 'utf8').split(' ').map(Number)
  }

  it.each([false, true])('ends with all that it started (deaf to SIGTERM: %s)', async (stubborn) => {
    const file = join(place, `pids-${String(stubborn)}`)
    const context = toolContext()
    const running = run(script(startsAnother(file, stubborn)), {}, context, 100)
    const pids = await pidsIn(file)
    expect(pids.map(alive)).toEqual([true, true])
    context.abort(new Error('enough'))
    expect(failureOf(await running)).toMatchObject({
      code: 'ABORTED',
      message: expect.stringContaining('enough'),
      retryable: false,
    })
    await gone(pids)
  })

  it('takes along what it left in the background when it ends by itself', async () => {
    const file = join(place, 'background')
    const running = run(
      script(`const child = require('node:child_process').spawn(process.execPath, ['-e', 'setInterval(() => {}, 1000)'], { stdio: 'inherit' })
        child.once('spawn', () => { require('node:fs').writeFileSync(${JSON.stringify(file)}, String(child.pid)); process.exit(0) })`),
    )
    expect(outputOf(await running)['exitCode']).toBe(0)
    await gone(await pidsIn(file))
  })

  it('does not wait for ever for a daemon that left its group and keeps the output open', async () => {
    const file = join(place, 'daemon')
    const daemon = `require('node:child_process').spawn(process.execPath, ['-e', 'setInterval(() => {}, 1000)'], { stdio: 'inherit', detached: true })`
    const code = `const child = ${daemon}; child.once('spawn', () => {
      require('node:fs').writeFileSync(${JSON.stringify(file)}, String(child.pid)); console.log('started'); process.exitCode = 0; child.unref() })`
    const result = await run(script(code), {}, toolContext(), 50)
    const [pid = 0] = await pidsIn(file)
    process.kill(pid, 'SIGKILL')
    expect(outputOf(result)['stdout']).toBe('started\n')
  })

  it('does not start when it was stopped before', async () => {
    const context = toolContext()
    context.abort()
    const file = join(place, 'never')
    expect(
      failureOf(await run(script(`require('node:fs').writeFileSync(${JSON.stringify(file)}, '')`), {}, context)).code,
    ).toBe('ABORTED')
    expect(existsSync(file)).toBe(false)
  })
})

describe('the shell tools', () => {
  it('are none unless commands are named, and are external unless they say otherwise', () => {
    expect(shellTools({ commands: {} })).toEqual([])
    const [tool] = shellTools({ commands: { it: script('') } })
    expect(tool?.description).toMatchObject({ name: 'it', effects: 'external', idempotent: false })
    const [read] = shellTools({ commands: { it: script('', { effects: 'read', timeoutMs: 5, concurrency: 2 }) } })
    expect(read?.description).toMatchObject({ effects: 'read', idempotent: true, timeoutMs: 5, concurrency: 2 })
    expect(() => shellTools({ commands: { it: script('', { command: '' }) } })).toThrow(
      expect.objectContaining({ code: 'TOOL_INVALID' }),
    )
  })

  it('know the input of their arguments', () => {
    shellCommand({
      command: 'git',
      description: '',
      input: z.strictObject({ count: z.int().default(1) }),
      args: (given) => {
        expectTypeOf(given).toEqualTypeOf<{ count: number }>()
        return [String(given.count)]
      },
    })
  })
})
