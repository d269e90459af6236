// One command of the operating system: started without a shell, bounded, and gone with all that it started.
//
// S1. Arguments are passed as they are: nothing in them is read as quotes, variables, wildcards or further commands.
// S2. When the signal fires or too much is printed, its whole process group ends: SIGTERM, and SIGKILL after the grace.
//     What it left behind in its group when it ended by itself is killed as well.
// S3. It is over when its output is: nothing of its group is alive once the promise has settled. A daemon that has left the
//     group and keeps the output open is waited for no longer than the grace.
import { spawn, type ChildProcess } from 'node:child_process'
import { ToolError } from '../toolError.ts'

export interface CommandLine {
  readonly command: string
  readonly args: readonly string[]
  readonly cwd: string | undefined
  readonly env: Readonly<Record<string, string>>
  readonly stdin: string | undefined
  /** Most bytes of stdout and stderr together. */
  readonly maxBytes: number
  /** Time between asking it to end and ending it. */
  readonly graceMs: number
}

export interface CommandEnd {
  /** `null` where a signal ended it. */
  readonly exitCode: number | null
  readonly signal: string | null
  readonly stdout: string
  readonly stderr: string
}

const isWindows = process.platform === 'win32'

/** Runs a command to its end, whatever its exit code.
 *
 * @throws `COMMAND_MISSING`, `NO_PERMISSION`, `COMMAND_OUTPUT_TOO_LARGE`, `ARGUMENT_INVALID`; the signal's reason once it fired.
 */
export async function runCommand(line: CommandLine, signal: AbortSignal): Promise<CommandEnd> {
  signal.throwIfAborted()
  const { command, cwd, env, stdin, maxBytes, graceMs } = line
  if ([command, ...line.args].some((text) => text.includes('\0'))) throw zeroByte(command)
  const child = start(line, { ...(cwd !== undefined && { cwd }), env })
  const output = { stdout: [] as Buffer[], stderr: [] as Buffer[], bytes: 0 }
  const tooMuch = new AbortController()
  const stop = (): void => {
    endGroup(child, 'SIGTERM')
    AbortSignal.timeout(graceMs).addEventListener('abort', () => {
      if (child.exitCode === null && child.signalCode === null) endGroup(child, 'SIGKILL')
    })
  }
  for (const name of ['stdout', 'stderr'] as const) {
    child[name]?.on('data', (chunk: Buffer) => {
      output.bytes += chunk.length
      if (output.bytes <= maxBytes) output[name].push(chunk)
      else if (!tooMuch.signal.aborted) {
        tooMuch.abort()
        stop()
      }
    })
  }
  child.stdin?.on('error', () => undefined) // it ended without reading all: its exit code tells
  child.stdin?.end(stdin)
  signal.addEventListener('abort', stop)
  try {
    const [exitCode, ended] = await endOf(child, line)
    signal.throwIfAborted()
    if (tooMuch.signal.aborted) throw outputTooLarge(command, maxBytes)
    return {
      exitCode,
      signal: ended,
      stdout: Buffer.concat(output.stdout).toString('utf8'),
      stderr: Buffer.concat(output.stderr).toString('utf8'),
    }
  } finally {
    signal.removeEventListener('abort', stop)
  }
}

function start(
  { command, args }: CommandLine,
  options: { readonly cwd?: string; readonly env: Readonly<Record<string, string>> },
): ChildProcess {
  return spawn(command, [...args], {
    ...options,
    shell: false, // S1
    detached: !isWindows, // S2: a group of its own
    windowsHide: true,
    stdio: ['pipe', 'pipe', 'pipe'],
  })
}

function endOf(
  child: ChildProcess,
  { command, cwd, graceMs }: CommandLine,
): Promise<readonly [number | null, string | null]> {
  return new Promise((resolve, reject) => {
    child.once('error', (error) => {
      reject(startFailure(command, cwd, error))
    })
    child.once('exit', () => {
      endGroup(child, 'SIGKILL') // S2: those it left behind would keep the output open
      AbortSignal.timeout(graceMs).addEventListener('abort', () => {
        child.stdout?.destroy() // S3
        child.stderr?.destroy()
      })
    })
    child.once('close', (code, signal) => {
      resolve([code, signal]) // S3
    })
  })
}

function endGroup({ pid }: ChildProcess, signal: 'SIGTERM' | 'SIGKILL'): void {
  if (pid === undefined) return
  try {
    process.kill(isWindows ? pid : -pid, signal)
  } catch {
    // Nobody is left in the group.
  }
}

function startFailure(command: string, cwd: string | undefined, error: Error): ToolError {
  const code = 'code' in error ? error.code : ''
  const place = cwd === undefined ? '' : ` in "${cwd}"`
  if (code === 'ENOENT') {
    return new ToolError('COMMAND_MISSING', `The command "${command}" could not be found${place}.`, {
      hint: 'Install it, give its whole path, or check that the folder it runs in exists.',
      retryable: false,
      cause: error,
    })
  }
  if (code === 'EACCES' || code === 'EPERM') {
    return new ToolError('NO_PERMISSION', `This user may not run "${command}"${place}.`, {
      hint: 'Make the file executable, or run another one.',
      retryable: false,
      cause: error,
    })
  }
  return new ToolError('COMMAND_FAILED', `The command "${command}" could not be started: ${error.message}`, {
    cause: error,
  })
}

function outputTooLarge(command: string, maxBytes: number): ToolError {
  return new ToolError(
    'COMMAND_OUTPUT_TOO_LARGE',
    `The command "${command}" printed more than ${String(maxBytes)} bytes and was ended.`,
    {
      hint: 'Let it write to a file, or raise maxBytes of its command.',
      retryable: false,
    },
  )
}

function zeroByte(command: string): ToolError {
  return new ToolError(
    'ARGUMENT_INVALID',
    `An argument of "${command}" holds a zero byte, which no command can be given.`,
    {
      hint: 'Pass such data by stdin.',
      retryable: false,
    },
  )
}
