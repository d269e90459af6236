// Whoever reads what a command writes (`planloom … | head`), or its terminal, may go away: there is nobody left to tell then.
import { exitCodes } from './exitCodes.ts'

/** Ends the process quietly when a reader has gone. A run with a journal can be gone on with, as after any end of its process. */
export function endWithReader(): void {
  for (const stream of [process.stdout, process.stderr]) {
    stream.on('error', (error: NodeJS.ErrnoException) => {
      if (process.exitCode === exitCodes.left) return // a run is being left, which takes a moment
      if (error.code === 'EPIPE' || error.code === 'EIO') process.exit(process.exitCode ?? 1)
      throw error
    })
  }
}
