// Plans as text, in JSON or YAML: read without surprises, and with the line where something is.
//
// X1. YAML is read as YAML 1.2 core: no dates, no tags that build objects, no merging of keys; one document.
// X2. Aliases that would blow a small text up to a large value are refused.
import { isAlias, isMap, isSeq, LineCounter, parseDocument, type Document, type Node } from 'yaml'
import { PlanloomError } from '../errors.ts'
import { findJsonFault } from './jsonFault.ts'
import { indexOf, parsePointer } from './pointer.ts'

export interface PlanTextOptions {
  /** @default JSON for a text that begins with `{` and is JSON, otherwise YAML (which most JSON is, too) */
  readonly format?: 'json' | 'yaml'
  /** What the text is called in messages: a file name. */
  readonly name?: string
}

export interface TextPlace {
  /** Both count from 1. */
  readonly line: number
  readonly column: number
}

/** Parses JSON or YAML text: the value, not yet checked.
 *
 * @throws `PLAN_SYNTAX` with line and column, and `place` holding them as numbers.
 * @example
 * import { parsePlanText } from 'planloom/plan'
 * parsePlanText('id: p') // { id: 'p' }
 */
export function parsePlanText(text: string, { format, name }: PlanTextOptions = {}): unknown {
  const source = text.startsWith('\ufeff') ? text.slice(1) : text
  if (format === 'json') return parseJson(source, name)
  if (format === undefined && source.trimStart().startsWith('{')) {
    try {
      return JSON.parse(source) as unknown
    } catch {
      // Perhaps it is YAML that begins like this; if not, YAML says where it goes wrong.
    }
  }
  try {
    return parseYaml(source, name)
  } catch (error) {
    // What begins as only JSON does was meant as JSON.
    return /^\s*[{[]\s*["{[]/.test(source) ? parseJson(source, name) : raise(error)
  }
}

function raise(error: unknown): never {
  throw error
}

/** Where in a text the value at a JSON Pointer stands: for findings about a plan that was read from it. The nearest place
 * above it where nothing is there; `undefined` for a text that cannot be read. */
export function findPlace(text: string, pointer: string): TextPlace | undefined {
  const lines = new LineCounter()
  try {
    const document = parseDocument(text, { lineCounter: lines, prettyErrors: false })
    const start = nodeAt(document, pointer)?.range?.[0]
    if (start === undefined) return undefined
    const { line, col } = lines.linePos(start)
    return { line, column: col }
  } catch {
    return undefined
  }
}

/** A text is neither JSON nor YAML. */
export class PlanSyntaxError extends PlanloomError {
  override readonly name = 'PlanSyntaxError'
  readonly place: TextPlace | undefined
  constructor(
    why: string,
    file: string | undefined,
    place: TextPlace | undefined,
    cause: unknown,
    format: 'JSON' | 'YAML',
  ) {
    const at = place === undefined ? '' : `, line ${place.line}, column ${place.column}`
    super('PLAN_SYNTAX', `${file ?? 'The text'}${at}: ${why}`, {
      hint: `Mend the ${format} at that place.`,
      where: file === undefined ? {} : { path: file },
      cause,
    })
    this.place = place
  }
}

function parseJson(text: string, name: string | undefined): unknown {
  try {
    return JSON.parse(text) as unknown
  } catch (cause) {
    const fault = findJsonFault(text)
    const why = fault?.why ?? (cause instanceof Error ? cause.message : String(cause))
    throw new PlanSyntaxError(why, name, placeOf(text, fault?.at ?? text.length), cause, 'JSON')
  }
}

function placeOf(text: string, offset: number): TextPlace {
  const before = text.slice(0, offset).split('\n')
  return { line: before.length, column: (before.at(-1)?.length ?? 0) + 1 }
}

const mostAliases = 100

function parseYaml(text: string, name: string | undefined): unknown {
  const lines = new LineCounter()
  try {
    const document = parseDocument(text, {
      lineCounter: lines,
      prettyErrors: false,
      uniqueKeys: true,
      merge: false,
      version: '1.2',
    })
    const [error] = document.errors
    if (error) {
      const { line, col } = lines.linePos(error.pos[0])
      throw new PlanSyntaxError(error.message, name, { line, column: col }, error, 'YAML')
    }
    return document.toJS({ maxAliasCount: mostAliases }) as unknown // X2
  } catch (cause) {
    if (cause instanceof PlanSyntaxError) throw cause
    throw new PlanSyntaxError(cause instanceof Error ? cause.message : String(cause), name, undefined, cause, 'YAML')
  }
}

function nodeAt(document: Document.Parsed, pointer: string): Node | undefined {
  let node: Node | undefined = document.contents ?? undefined
  for (const part of parsePointer(pointer)) {
    const target: Node | undefined = isAlias(node) ? node.resolve(document) : node
    let next: Node | undefined
    if (isMap<unknown, Node | undefined>(target)) next = target.get(part, true)
    else if (isSeq<Node | undefined>(target)) next = target.items[indexOf(part) ?? -1]
    if (next === undefined) return target
    node = next
  }
  return node
}
