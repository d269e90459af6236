#!/usr/bin/env node
// The executable: runs the command, and ends the process with its exit code.
//
// The process is ended, not left to run out: a module or a tool of the user may hold it open for ever.
import { listenForCrashes } from './crashes.ts'
import { exitCodes } from './exitCodes.ts'
import { errorDocument, errorLines } from './findingLines.ts'
import { createOutput } from './output.ts'
import { runCommand } from './program.ts'
import { endWithReader } from './readers.ts'

endWithReader()

// What nobody caught while there is no run that it came into: a module that is being loaded, a planner.
listenForCrashes((error) => {
  const output = createOutput(process, process.argv.includes('--json'))
  output.note(errorLines(error, output.errorColours))
  output.document(errorDocument(error))
  process.exit(exitCodes.failed)
})

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
