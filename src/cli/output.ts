// Where the command writes: results on stdout, everything else on stderr.
//
// O1. With `--json`, stdout holds one JSON document (or JSON lines, where a command says so) and nothing else.
// O2. A reader that goes away (`planloom … | head`) ends the command quietly.
import { PlanloomError } from '../errors.ts'
import { coloursFor, type Colours } from './colours.ts'
import { columnsOfTerminal, type TerminalStream } from './terminal.ts'

export interface Streams {
  readonly stdout: TerminalStream & { readonly isTTY?: boolean | undefined }
  readonly stderr: TerminalStream & { readonly isTTY?: boolean | undefined }
  readonly stdin: NodeJS.ReadStream
  readonly env: NodeJS.ProcessEnv
}

export interface Output {
  readonly isJson: boolean
  /** For what goes to stdout, and to stderr. */
  readonly colours: Colours
  readonly errorColours: Colours
  readonly streams: Streams
  /** Width of the terminal that the result goes to; undefined where it goes elsewhere. */
  readonly columns: number | undefined
  /** The result, as lines for people; silent with `--json`. */
  print(lines: readonly string[]): void
  /** The result, as JSON; silent without `--json`. */
  document(value: unknown): void
  /** What is said beside the result. */
  note(lines: readonly string[]): void
}

/** Transitions are lines of JSON. @throws `USAGE` where they are wanted without it */
export function checkEvents({ events }: { readonly events?: boolean }, { isJson }: Output): void {
  if (!events || isJson) return
  throw new PlanloomError('USAGE', '--events writes lines of JSON, and goes with --json only.', { hint: 'Add --json.' })
}

export function createOutput(streams: Streams, isJson: boolean): Output {
  const write = (stream: TerminalStream, lines: readonly string[]): void => {
    if (lines.length > 0) stream.write(lines.map((line) => `${line}\n`).join(''))
  }
  return {
    isJson,
    streams,
    get columns() {
      return streams.stdout.isTTY ? columnsOfTerminal(streams.stdout) : undefined
    },
    colours: coloursFor(streams.stdout, streams.env),
    errorColours: coloursFor(streams.stderr, streams.env),
    print(lines) {
      if (!isJson) write(streams.stdout, lines)
    },
    document(value) {
      if (isJson) write(streams.stdout, [JSON.stringify(value)])
    },
    note(lines) {
      write(streams.stderr, lines)
    },
  }
}
