// Bytes as they stand in a cassette: as text wherever they are text.
import type { Piece, RecordedResponse } from './cassetteFile.ts'
import type { Blank } from './blank.ts'

/** What is written of a body that came whole. */
export function bodyOf(bytes: Uint8Array, blank: Blank): Pick<RecordedResponse, 'json' | 'body'> {
  if (bytes.length === 0) return {}
  const text = decoded(bytes)
  if (text === undefined) return { body: blankedBytes(bytes, blank) }
  const value = exactJson(text)
  return value === undefined ? { body: blank.text(text) } : { json: blank.json(value) }
}

/** What is written of a body that came in chunks: blanked in each or, where something reaches over several of them, in one. */
export function chunksOf(chunks: readonly Uint8Array[], blank: Blank): Piece[] {
  const whole = Buffer.concat(chunks)
  const text = decoded(whole)
  if (text === undefined) return chunks.length === 0 ? [] : [blankedBytes(whole, blank)]
  const blanked = blank.text(text)
  const pieces = chunks.map((chunk): Piece => {
    const one = decoded(chunk)
    return one === undefined ? { base64: Buffer.from(chunk).toString('base64') } : blank.text(one)
  })
  return Buffer.concat(pieces.map(bytesOf)).toString('utf8') === blanked ? pieces : [blanked]
}

function bytesOf(piece: Piece): Buffer {
  return typeof piece === 'string' ? Buffer.from(piece) : Buffer.from(piece.base64, 'base64')
}

/** What a recorded answer sends, in its chunks. */
export function sentChunks({ json, body, chunks }: RecordedResponse): Buffer[] {
  if (chunks !== undefined) return chunks.map(bytesOf)
  if (json !== undefined) return [Buffer.from(JSON.stringify(json))]
  return body === undefined ? [] : [bytesOf(body)]
}

function blankedBytes(bytes: Uint8Array, blank: Blank): Piece {
  return { base64: Buffer.from(blank.text(Buffer.from(bytes).toString('latin1')), 'latin1').toString('base64') }
}

/** A value that, written again, gives the same text. */
function exactJson(text: string): unknown {
  try {
    const value: unknown = JSON.parse(text)
    return JSON.stringify(value) === text ? value : undefined
  } catch {
    return undefined
  }
}

/** `undefined` for what is no UTF-8 from beginning to end. */
function decoded(bytes: Uint8Array): string | undefined {
  try {
    return new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes)
  } catch {
    return undefined
  }
}
