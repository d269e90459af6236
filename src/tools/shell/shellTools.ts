// Commands of the operating system as tools: only those that are named, each with the arguments that its owner lays down.
import { z } from 'zod'
import { PlanloomError } from '../../errors.ts'
import type { Effects } from '../../plan/toolDescription.ts'
import { defineTool } from '../defineTool.ts'
import type { Tool } from '../tool.ts'
import { ToolError } from '../toolError.ts'
import { runCommand, type CommandEnd } from './runCommand.ts'

export interface ShellCommand<I extends z.ZodType = z.ZodType> {
  /** A program: a name that is looked for in PATH, or a path. */
  readonly command: string
  readonly description: string
  /** What a step may choose. */
  readonly input: I
  /** The arguments, one each; no shell reads them. Put `'--'` before what a step chose, so that it cannot become an option. */
  args(input: z.output<I>): readonly string[]
  stdin?(input: z.output<I>): string
  /** What it does to the world. @default 'external' */
  readonly effects?: Effects
  /** @default true for effects `none` and `read`, else false */
  readonly idempotent?: boolean
  readonly cwd?: string
  /** Beside PATH, HOME, LANG and TMPDIR; nothing else of this process's environment is passed on. */
  readonly env?: Readonly<Record<string, string>>
  /** Exit codes that are no failure. @default [0] */
  readonly successCodes?: readonly number[]
  /** Most bytes of stdout and stderr together. @default 1,000,000 */
  readonly maxBytes?: number
  readonly timeoutMs?: number
  readonly concurrency?: number
}

export interface ShellToolsOptions {
  /** By tool name. What is not named cannot be run. */
  readonly commands: Readonly<Record<string, ShellCommand>>
  /** Time between asking a command to end and ending it. @default 2,000 */
  readonly graceMs?: number
}

/** Types a command, so that `args` knows its input.
 *
 * @example
 * import { z } from 'zod'
 * const command = shellCommand({
 *   command: 'git',
 *   description: 'The last commits that touched a file.',
 *   input: z.strictObject({ file: z.string(), count: z.int().max(100).default(10) }),
 *   args: ({ file, count }) => ['log', `--max-count=${count}`, '--oneline', '--', file],
 *   effects: 'read',
 * })
 * command.args({ file: 'README.md', count: 2 }) // ['log', '--max-count=2', '--oneline', '--', 'README.md']
 */
export function shellCommand<I extends z.ZodType>(command: ShellCommand<I>): ShellCommand<I> {
  return command
}

/** Makes one tool for each command; there is none that runs just anything.
 *
 * The output is `{ exitCode, stdout, stderr }`. An exit code that is no success is the failure `COMMAND_FAILED` with the code
 * and the end of stderr. When the attempt is stopped, the whole process group ends.
 * @throws `TOOL_INVALID`
 * @example
 * import { z } from 'zod'
 * const today = shellCommand({ command: 'date', description: 'The day.', input: z.strictObject({}), args: () => ['+%F'], effects: 'read' })
 * shellTools({ commands: { today } }).map(({ description }) => description.name) // ['today']
 */
export function shellTools({ commands, graceMs = 2_000 }: ShellToolsOptions): readonly Tool[] {
  return Object.entries(commands).map(([name, command]) => shellTool(name, command, graceMs))
}

const output = z.strictObject({ exitCode: z.int(), stdout: z.string(), stderr: z.string() })

function shellTool(name: string, shell: ShellCommand, graceMs: number): Tool {
  const { command, description, input, effects = 'external', idempotent, cwd, timeoutMs, concurrency } = shell
  if (typeof command !== 'string' || command === '') {
    throw new PlanloomError('TOOL_INVALID', `The command of tool "${name}" is empty.`, { hint: 'Name a program.' })
  }
  const successCodes = shell.successCodes ?? [0]
  return defineTool({
    name,
    description,
    input,
    output,
    effects,
    ...(idempotent !== undefined && { idempotent }),
    ...(timeoutMs !== undefined && { timeoutMs }),
    ...(concurrency !== undefined && { concurrency }),
    async run(given, { signal }) {
      const args = shell.args(given)
      const end = await runCommand(
        {
          command,
          args,
          cwd,
          env: environment(shell.env),
          stdin: shell.stdin?.(given),
          maxBytes: shell.maxBytes ?? 1_000_000,
          graceMs,
        },
        signal,
      )
      const { exitCode, stdout, stderr } = end
      if (exitCode === null || !successCodes.includes(exitCode)) throw commandFailed(name, end)
      return { exitCode, stdout, stderr }
    },
  })
}

/** What a program cannot do without; secrets of this process stay here. */
function environment(given: Readonly<Record<string, string>> = {}): Record<string, string> {
  const passed = [
    'PATH',
    'HOME',
    'LANG',
    'TMPDIR',
    ...(process.platform === 'win32' ? ['SystemRoot', 'TEMP', 'TMP', 'PATHEXT'] : []),
  ]
  const own = passed.flatMap((name) => (process.env[name] === undefined ? [] : [[name, process.env[name]] as const]))
  return { ...Object.fromEntries(own), ...given }
}

function commandFailed(tool: string, { exitCode, signal, stdout, stderr }: CommandEnd): ToolError {
  const how = exitCode === null ? `was ended by ${signal ?? 'a signal'}` : `ended with exit code ${String(exitCode)}`
  const said = lastLines(stderr) || lastLines(stdout)
  return new ToolError('COMMAND_FAILED', `The command of "${tool}" ${how}${said === '' ? '.' : `: ${said}`}`, {
    hint: 'What it said stands in the message; an exit code that is no failure belongs into successCodes.',
  })
}

function lastLines(text: string): string {
  const lines = text.trim().split('\n').slice(-5).join('\n')
  return lines.length > 500 ? `…${lines.slice(-500)}` : lines
}
