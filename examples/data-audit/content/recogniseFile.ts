// What a file is, by its bytes.
//
// F1. The name decides nothing that the bytes can tell. Of bytes alone, a list of words and a line of prose are alike, and so are
//     the header of an empty table and a remark: there the name says what was meant.
// F2. The encoding is decided by all bytes, the structure by the first megabyte: a Latin-1 letter may come late.
import { open } from 'node:fs/promises'
import { z } from 'zod'
import { encodingSchema, extensionOf, formatSchema, promised, type Encoding, type Format } from '../formats.ts'
import { findDelimiter } from './delimiter.ts'
import { createEncodingDetector } from './encoding.ts'
import { unpacked } from './gunzip.ts'
import { jsonKindOf } from './jsonKind.ts'
import { outlineOf } from './jsonOutline.ts'
import { signatureOf } from './signature.ts'
import { findSingleColumn } from './singleColumn.ts'

export const recognitionSchema = z.strictObject({
  format: formatSchema,
  encoding: encodingSchema,
  newline: z.enum(['lf', 'crlf', 'mixed', 'none']).optional(),
  delimiter: z.string().optional(),
  /** Lines above the table that are no part of it. */
  skip: z.int().optional(),
  /** In words: what was seen. */
  because: z.string(),
  /** Whether the extension promised this format. */
  asNamed: z.boolean(),
  /** In words: what is broken, as far as can be seen. */
  damage: z.string().optional(),
})
export type Recognition = z.infer<typeof recognitionSchema>

const headBytes = 1024 * 1024
/** Beyond this size, the encoding is judged by the beginning. */
const readBytes = 256 * 1024 * 1024

/** Looks into a file and says what it is. @throws what the operating system says when it cannot be read. */
export async function recogniseFile(path: string, signal?: AbortSignal): Promise<Recognition> {
  const promise = promised.find((rule) => rule.extension === extensionOf(path))
  const looked = await look(path, signal)
  const seen = looked.isGzip ? await recognisePacked(path, promise?.format, signal) : judge(looked, promise?.format)
  return { ...seen, asNamed: promise?.format === seen.format }
}

/** A packed text is what it is inside; nothing else is unpacked. */
async function recognisePacked(path: string, promise: Format | undefined, signal?: AbortSignal): Promise<Seen> {
  const { head, tail, size, text, damage } = await lookInside(path, signal)
  const inside = judge({ head, tail, size, text }, promise)
  const { because } = inside
  const broken = damage !== undefined && { damage: `its archive is broken: ${damage}` }
  if (inside.encoding === 'binary')
    return { format: 'unknown', encoding: 'binary', because: `${gzipArchive}, and in it ${because}`, ...broken }
  return { ...inside, encoding: 'gzip', because: `${because}, in a gzip archive`, ...broken }
}

const gzipArchive = 'first bytes of: gzip archive'
type Seen = Omit<Recognition, 'asNamed'>
type TextSigns = ReturnType<ReturnType<typeof createEncodingDetector>['end']>

interface Looked {
  readonly head: Uint8Array
  readonly tail: Uint8Array
  readonly size: number
  /** Undefined where a signature says what it is. */
  readonly text: TextSigns | undefined
}

async function look(path: string, signal: AbortSignal | undefined): Promise<Looked & { readonly isGzip: boolean }> {
  const file = await open(path)
  try {
    const { size } = await file.stat()
    const detector = createEncodingDetector()
    let head = new Uint8Array()
    let tail = new Uint8Array()
    const piece = new Uint8Array(headBytes)
    for (let at = 0; at < Math.min(size, readBytes);) {
      signal?.throwIfAborted()
      const { bytesRead } = await file.read(piece, 0, piece.length, at)
      if (bytesRead === 0) break
      const bytes = piece.slice(0, bytesRead)
      if (at === 0) {
        head = bytes
        const signature = signatureOf(head, head)
        if (signature !== undefined) {
          const end = new Uint8Array(16)
          const last = await file.read(end, 0, 16, Math.max(0, size - 16))
          return { head, tail: end.slice(0, last.bytesRead), size, text: undefined, isGzip: signature.isGzip }
        }
      }
      detector.take(bytes)
      tail = bytes.slice(-64)
      at += bytesRead
    }
    return { head, tail, size, text: detector.end(), isGzip: false }
  } finally {
    await file.close()
  }
}

/** The same for what is in a gzip archive, as far as it can be unpacked. */
async function lookInside(path: string, signal?: AbortSignal): Promise<Looked & { readonly damage?: string }> {
  const detector = createEncodingDetector()
  let head = Buffer.alloc(0)
  let tail: Uint8Array = new Uint8Array()
  let size = 0
  let damage: string | undefined
  try {
    for await (const piece of unpacked(path, signal)) {
      if (head.length < headBytes) head = Buffer.concat([head, piece.subarray(0, headBytes - head.length)])
      detector.take(piece)
      tail = piece.slice(-64)
      size += piece.length
      if (size > readBytes) break
    }
  } catch (error) {
    signal?.throwIfAborted()
    if (!(error instanceof Error && 'code' in error && String(error.code).startsWith('Z_'))) throw error
    damage = error.message
  }
  const text = signatureOf(head, tail) === undefined ? detector.end() : undefined
  return { head, tail, size, text, ...(damage !== undefined && { damage }) }
}

function judge({ head, tail, size, text }: Looked, promise: Format | undefined): Seen {
  if (size === 0) return { format: 'empty', encoding: 'utf-8', because: 'no bytes' }
  const signature = signatureOf(head, tail)
  if (signature !== undefined) {
    const because = `first bytes of: ${signature.name}`
    return {
      format: signature.format,
      encoding: 'binary',
      because,
      ...(signature.whole ? {} : { damage: 'its end is missing' }),
    }
  }
  if (text === undefined || text.encoding === 'binary')
    return { format: 'unknown', encoding: 'binary', because: 'bytes that are no text' }
  const whole = size <= head.length
  const seen = judgeText(decode(head, text.encoding), whole, tail, promise)
  return { ...seen, encoding: text.encoding, newline: text.newline }
}

function judgeText(
  text: string,
  isWhole: boolean,
  tail: Uint8Array,
  promise: Format | undefined,
): Pick<Recognition, 'format' | 'because' | 'delimiter' | 'skip' | 'damage'> {
  const start = text.trimStart()
  if (start === '') return { format: 'empty', because: 'nothing but blanks' }
  if (/^[{[]/.test(start) || (promise === 'json-rows' && isScalar(start))) {
    const json = judgeJson(text, isWhole, tail)
    if (json !== undefined) return json
  }
  const markup = /^<(!doctype html|html|\?xml|svg)\b/i.exec(start)?.[1]?.toLowerCase()
  if (markup !== undefined)
    return { format: 'text', because: `the markup of ${markup.includes('html') ? 'an HTML page' : 'XML'}` }
  const isPromised = promise === 'csv'
  const [named, separator] = /^sep=([,;\t|])\r?\n/i.exec(start) ?? []
  if (named !== undefined && separator !== undefined)
    return {
      format: 'csv',
      delimiter: separator,
      skip: 1,
      because: 'its first line names the separator, as Excel does',
    }
  const delimited = findDelimiter(text, isWhole, isPromised)
  if (delimited === undefined) {
    const delimiter = findSingleColumn(text, isWhole, isPromised)
    if (delimiter !== undefined) return { format: 'csv', delimiter, because: 'one value in each line' }
    return { format: 'text', because: 'text without columns' }
  }
  const name = { ',': 'commas', '\t': 'tabs', ';': 'semicolons', '|': 'bars' }[delimited.delimiter]
  return {
    format: 'csv',
    delimiter: delimited.delimiter,
    because: `${String(delimited.cells)} cells in each line, between ${name}`,
  }
}

function judgeJson(
  text: string,
  isWhole: boolean,
  tail: Uint8Array,
): Pick<Recognition, 'format' | 'because' | 'damage'> | undefined {
  const { outline, state, at } = outlineOf(text)
  if (outline === undefined || (state === 'broken' && at < 3)) return undefined
  if (state === 'lines') return { format: 'json-rows', because: 'an object in each line' }
  const kind = jsonKindOf(outline)
  const damage =
    state === 'broken'
      ? `it is no JSON any more from byte ${String(at)} on`
      : state === 'cut' && (isWhole || !/[}\]]\s*$/.test(new TextDecoder().decode(tail)))
        ? 'it breaks off in the middle'
        : undefined
  return { ...kind, ...(damage !== undefined && { damage }) }
}

function isScalar(text: string): boolean {
  try {
    return typeof JSON.parse(text) !== 'object' || text.trim() === 'null'
  } catch {
    return false
  }
}

function decode(bytes: Uint8Array, encoding: Encoding): string {
  const label = {
    'utf-8': 'utf-8',
    'utf-8-bom': 'utf-8',
    'utf-16le': 'utf-16le',
    'utf-16be': 'utf-16be',
    'latin-1': 'windows-1252',
    gzip: 'utf-8',
    binary: 'utf-8',
  }[encoding]
  return new TextDecoder(label).decode(bytes)
}
