// Calls the command in this process, and gives what it wrote.
import { runCommand } from '../../src/cli/program.ts'
import type { Streams } from '../../src/cli/output.ts'

export interface Called {
  readonly code: number
  readonly stdout: string
  readonly stderr: string
  /** The document on stdout. */
  readonly json: unknown
}

export async function callCommand(...args: string[]): Promise<Called> {
  let stdout = ''
  let stderr = ''
  const streams = {
    stdout: { write: (text: string) => (stdout += text), columns: 100 },
    stderr: { write: (text: string) => (stderr += text), columns: 100 },
    stdin: { isTTY: false },
    env: {},
  } as unknown as Streams
  const code = await runCommand(args, streams)
  return {
    code,
    stdout,
    stderr,
    get json() {
      return JSON.parse(stdout) as unknown
    },
  }
}
