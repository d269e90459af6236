// The progress of a run on a stream: live on a terminal, in lines elsewhere.
import type { Run } from '../../runtime/index.ts'
import type { Output } from '../output.ts'
import { showLive } from './liveProgress.ts'
import { createPlainProgress } from './plainProgress.ts'
import type { Progress } from './progress.ts'
import { createProgressBook } from './progressBook.ts'
import type { TerminalStream } from '../terminal.ts'

/** Shows how a run goes, on stderr, until it is closed. */
export function showProgress(run: Run, { streams: { stderr, env }, errorColours }: Output): Progress {
  const canRedraw = stderr.isTTY === true && env.TERM !== 'dumb'
  return canRedraw ? showLive(run, stderr, errorColours) : showLines(run, stderr)
}

function showLines(run: Run, stream: TerminalStream): Progress {
  const book = createProgressBook(run)
  const plain = createPlainProgress(book)
  const print = (lines: readonly string[]): void => {
    if (lines.length > 0) stream.write(lines.map((line) => `${line}\n`).join(''))
  }
  const transitions = run.transitions().subscribe((transition) => {
    print(plain.happened(book.take(transition), transition.at))
  })
  const timer = setInterval(() => {
    print(plain.tick(Date.now()))
  }, 500)
  return {
    say: print,
    suspend() {
      // Nothing is drawn over.
    },
    resume() {
      // Nothing was taken away.
    },
    close() {
      clearInterval(timer)
      transitions.unsubscribe()
    },
  }
}
