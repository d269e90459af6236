// The progress of a run on a stream: live on a terminal, in lines elsewhere.
import type { Run } from '../../runtime/index.ts'
import type { Colours } from '../colours.ts'
import { showLive } from './liveProgress.ts'
import { createPlainProgress } from './plainProgress.ts'
import { createProgressBook } from './progressBook.ts'
import type { TerminalStream } from './redraw.ts'

/** Progress that is being shown. */
export interface Progress {
  /** Clears the screen's area for something else, such as a question. */
  suspend(): void
  resume(): void
  close(): void
}

export interface ProgressOptions {
  readonly stream: TerminalStream
  readonly colours: Colours
  /** Whether lines can be drawn over. */
  readonly isLive: boolean
}

export function showProgress(run: Run, { stream, colours, isLive }: ProgressOptions): Progress {
  return isLive ? showLive(run, stream, colours) : showLines(run, stream)
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
