// Whether to colour what is written to a stream, and with what.
import pc from 'picocolors'
import type { Tone } from './progress/happenings.ts'

export type Colours = ReturnType<typeof pc.createColors>

export interface Environment {
  readonly NO_COLOR?: string | undefined
  readonly FORCE_COLOR?: string | undefined
  readonly TERM?: string | undefined
}

/** Colours on a terminal only; `FORCE_COLOR` (anything but `0` and `false`) and `NO_COLOR` decide otherwise, the latter first. */
export function coloursFor(stream: { readonly isTTY?: boolean | undefined }, environment: Environment): Colours {
  return pc.createColors(wantsColours(stream.isTTY === true, environment))
}

function wantsColours(isTerminal: boolean, { NO_COLOR, FORCE_COLOR, TERM }: Environment): boolean {
  if (NO_COLOR) return false
  if (FORCE_COLOR !== undefined) return FORCE_COLOR !== '0' && FORCE_COLOR !== 'false'
  return isTerminal && TERM !== 'dumb'
}

export function inTone(colours: Colours, tone: Tone, text: string): string {
  switch (tone) {
    case 'good':
      return colours.green(text)
    case 'bad':
      return colours.red(text)
    case 'change':
      return colours.cyan(text)
    case 'quiet':
      return colours.dim(text)
  }
}
