#!/usr/bin/env node
// The executable: runs the command, and ends the process with its exit code.
//
// The process is ended, not left to run out: a module or a tool of the user may hold it open for ever.
import { runCommand } from './program.ts'

for (const stream of [process.stdout, process.stderr]) {
  stream.on('error', (error: NodeJS.ErrnoException) => {
    // The reader has gone away (`planloom … | head`), or the terminal has: there is nobody left to tell.
    if (error.code === 'EPIPE' || error.code === 'EIO') process.exit(process.exitCode ?? 1)
    throw error
  })
}

const code = await runCommand(process.argv.slice(2), process)
await Promise.all([process.stdout, process.stderr].map(flushed))
process.exit(code)

async function flushed(stream: NodeJS.WriteStream): Promise<void> {
  await new Promise<void>((done) => {
    stream.write('', () => {
      done()
    })
  })
}
