// A cassette on disk: model traffic as one JSON file that people can read and edit.
//
// F1. The file is written beside its place and renamed into it: who reads it finds the former one, or one that is whole up to an
//     exchange, whenever the process that records dies.
// F2. What was taken from the wire comes back to the byte: JSON stands as JSON only where writing it again gives the same text.
// F3. A file of a newer version, and one that is damaged, are refused with the place at fault; nothing is guessed.
import { readFileSync } from 'node:fs'
import { z } from 'zod'
import { PlanloomError } from '../../errors.ts'
import { findJsonFault } from '../../plan/jsonFault.ts'
import type { Json } from '../../plan/json.ts'
import { formatPointer } from '../../plan/pointer.ts'
import { replaceFile } from '../../replaceFile.ts'

const json: z.ZodType<Json> = z.json()

/** A piece of a body: text, or bytes that are none. */
const piece = z.union([z.string(), z.strictObject({ base64: z.base64() })])

const recordedResponse = z.strictObject({
  status: z.int().min(200).max(599),
  headers: z.record(z.string(), z.string()),
  /** One of these three, or none for an empty body. */
  json: json.optional(),
  body: piece.optional(),
  /** As they came, so that a stream is played as a stream. */
  chunks: z.array(piece).optional(),
  /** The connection was lost after this. */
  brokeOff: z.literal(true).optional(),
})

const recordedRequest = z.strictObject({
  method: z.string(),
  /** With the query; without the host, so that a cassette plays at any address. */
  path: z.string(),
  json: json.optional(),
  text: z.string().optional(),
})

const exchange = z.strictObject({ request: recordedRequest, response: recordedResponse })

const cassetteSchema = z.strictObject({ cassette: z.literal(1), exchanges: z.array(exchange) })

export type Piece = z.infer<typeof piece>
export type RecordedRequest = z.infer<typeof recordedRequest>
export type RecordedResponse = z.infer<typeof recordedResponse>
export type Exchange = z.infer<typeof exchange>

const version = 1

/** @returns `undefined` where there is no such file. @throws `CASSETTE_DAMAGED`, `CASSETTE_NEWER` */
export function readCassette(path: string): readonly Exchange[] | undefined {
  let text: string
  try {
    text = readFileSync(path, 'utf8')
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'ENOENT') return undefined
    throw damaged(path, error instanceof Error ? error.message : String(error), error)
  }
  let value: unknown
  try {
    value = JSON.parse(text)
  } catch (error) {
    const fault = findJsonFault(text)
    const line = text.slice(0, fault?.at).split('\n').length
    throw damaged(path, `it is not JSON. Line ${line}: ${fault?.why ?? String(error)}`, error)
  }
  const found = z.object({ cassette: z.number() }).safeParse(value).data?.cassette
  if (found !== undefined && found > version) {
    throw new PlanloomError(
      'CASSETTE_NEWER',
      `"${path}" is a cassette of version ${found}; this one reads version ${version}.`,
      {
        hint: 'Use the version of planloom that recorded it, or record it anew.',
        where: { path },
      },
    )
  }
  const parsed = cassetteSchema.safeParse(value)
  if (parsed.success) return parsed.data.exchanges
  const issue = parsed.error.issues[0]
  const place = formatPointer((issue?.path ?? []).map((part) => (typeof part === 'symbol' ? '' : part)))
  throw damaged(path, `${issue?.message ?? 'it is no cassette'}${place === '' ? '' : `, at ${place}`}`, parsed.error)
}

/** Writes a cassette (F1). @throws `FOLDER_UNMAKEABLE`, or what the file system says. */
export function writeCassette(path: string, exchanges: readonly Exchange[]): Promise<void> {
  return replaceFile(path, `${JSON.stringify({ cassette: version, exchanges }, null, 2)}\n`)
}

function damaged(path: string, why: string, cause: unknown): PlanloomError {
  return new PlanloomError('CASSETTE_DAMAGED', `The cassette "${path}" cannot be read: ${why}.`, {
    hint: "Restore it, or record it anew with mode: 'record'.",
    where: { path },
    cause,
  })
}
