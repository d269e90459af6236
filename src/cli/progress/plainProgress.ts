// Progress where there is no terminal: a line for each thing that happens, fewer of them when the plan is large.
//
// N1. A plan of up to 200 steps has a line per outcome. In a larger one, successes are counted, and told of every 2 s.
// N2. Failures have their line in any plan, up to a number; then they are counted as well.
// N3. A long silence is broken by a sign of life.
import { duration } from '../duration.ts'
import { printable } from '../escape.ts'
import { lineOf, type Happening } from './happenings.ts'
import type { ProgressBook } from './progressBook.ts'
import { estimateInWords } from './progressLines.ts'

const linePerOutcome = 200
const mostFailures = 50
const countEveryMs = 2000
const signOfLifeMs = 30_000

export interface PlainProgress {
  /** Lines for what has just happened. */
  happened(happenings: readonly Happening[], now: number): string[]
  /** Lines that time alone brings: counts of a large plan, a sign of life. */
  tick(now: number): string[]
}

export function createPlainProgress(book: ProgressBook): PlainProgress {
  let failures = 0
  let untold = 0
  let toldAt: number | undefined
  let countedAt: number | undefined

  const isTold = (happening: Happening, total: number): boolean => {
    if (happening.type !== 'step') return true
    const { status } = happening.report
    if (status === 'failed' || status === 'uncertain') return ++failures <= mostFailures // N2
    return total <= linePerOutcome // N1
  }
  const countLine = (now: number): string => {
    const { counts, total, running, elapsedMs, estimate } = book.model(now, { estimateAnew: true })
    const failed = counts.failed ?? 0
    const parts = [
      `${counts.succeeded ?? 0} of ${total} steps succeeded`,
      ...(failed > 0 ? [`${failed} failed`] : []),
      `${running.length} running`,
      estimateInWords(estimate),
    ]
    return `${stamp(elapsedMs)} … ${parts.join(', ')}`
  }

  return {
    happened(happenings, now) {
      countedAt ??= now
      const steps = happenings.length > 0 ? book.total : 0
      const lines: string[] = []
      for (const happening of happenings) {
        if (!isTold(happening, steps)) {
          untold++
          continue
        }
        const line = lineOf(happening)
        if (line) lines.push(`${stamp(book.elapsedMs(now))} ${line.mark} ${line.text}`)
      }
      if (lines.length > 0) toldAt = now
      return [...lines, ...this.tick(now)]
    },

    tick(now) {
      toldAt ??= now
      countedAt ??= now
      if (untold > 0 && now - countedAt >= countEveryMs) {
        untold = 0
        countedAt = toldAt = now
        return [countLine(now)]
      }
      if (now - toldAt < signOfLifeMs) return []
      toldAt = now
      const { running } = book.model(now)
      const longest = running
        .slice(0, 3)
        .map(({ id, title, elapsedMs }) => `${id} ${printable(title)} (${duration(elapsedMs)})`)
      return [`${countLine(now)}${longest.length > 0 ? `; longest: ${longest.join(', ')}` : ''}`]
    },
  }
}

function stamp(elapsedMs: number): string {
  return duration(elapsedMs).padStart(8)
}
