// What a file is, by its bytes. The name is only compared with the answer, never part of it.
//
// F1. The encoding is decided by all bytes, the structure by the first megabyte: a Latin-1 letter may come late.
import { open } from 'node:fs/promises'
import { extname } from 'node:path'
import { z } from 'zod'
import { encodingSchema, formatSchema, promised, type Encoding } from '../formats.ts'
import { findDelimiter } from './delimiter.ts'
import { createEncodingDetector } from './encoding.ts'
import { jsonKindOf } from './jsonKind.ts'
import { outlineOf } from './jsonOutline.ts'
import { signatureOf } from './signature.ts'

export const recognitionSchema = z.strictObject({
  format: formatSchema,
  encoding: encodingSchema,
  newline: z.enum(['lf', 'crlf', 'mixed', 'none']).optional(),
  delimiter: z.string().optional(),
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
  const { head, tail, size, text } = await look(path, signal)
  const seen = judge(head, tail, size, text)
  const extension = extname(path).toLowerCase()
  const promise = promised.find((rule) => rule.extension === extension)
  return { ...seen, asNamed: promise?.format === seen.format }
}

type Seen = Omit<Recognition, 'asNamed'>
type TextSigns = ReturnType<ReturnType<typeof createEncodingDetector>['end']>

async function look(path: string, signal: AbortSignal | undefined) {
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
        if (signatureOf(head, head) !== undefined) {
          const end = new Uint8Array(16)
          const last = await file.read(end, 0, 16, Math.max(0, size - 16))
          return { head, tail: end.slice(0, last.bytesRead), size, text: undefined }
        }
      }
      detector.take(bytes)
      tail = bytes.slice(-64)
      at += bytesRead
    }
    return { head, tail, size, text: detector.end() }
  } finally {
    await file.close()
  }
}

function judge(head: Uint8Array, tail: Uint8Array, size: number, text: TextSigns | undefined): Seen {
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
  const seen = judgeText(decode(head, text.encoding), whole, tail)
  return { ...seen, encoding: text.encoding, newline: text.newline }
}

function judgeText(
  text: string,
  isWhole: boolean,
  tail: Uint8Array,
): Pick<Recognition, 'format' | 'because' | 'delimiter' | 'damage'> {
  const first = text.trimStart()[0]
  if (first === undefined) return { format: 'empty', because: 'nothing but blanks' }
  if (first === '{' || first === '[') {
    const json = judgeJson(text, isWhole, tail)
    if (json !== undefined) return json
  }
  const delimited = findDelimiter(text, isWhole)
  if (delimited === undefined) return { format: 'text', because: 'text without columns' }
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

function decode(bytes: Uint8Array, encoding: Encoding): string {
  const label = {
    'utf-8': 'utf-8',
    'utf-8-bom': 'utf-8',
    'utf-16le': 'utf-16le',
    'utf-16be': 'utf-16be',
    'latin-1': 'windows-1252',
    binary: 'utf-8',
  }[encoding]
  return new TextDecoder(label).decode(bytes)
}
