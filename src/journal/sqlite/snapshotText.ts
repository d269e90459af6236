// A snapshot as it stands in the file: its parts, each compressed by itself, behind a table of where they lie.
//
// P1. A part is read without reading the others.
// P2. A value that is large, or that an event has named already, stands there by the hash of its content.
import { deflateRawSync, inflateRawSync } from 'node:zlib'
import type { Json } from '../../plan/json.ts'
import type { RunSnapshot } from '../journal.ts'
import { contentOf, knownContent, shortText, type Content } from './eventText.ts'

/** A value that stands where it is, in a list of its own, or the hash of one that does not. */
type WrittenValue = readonly [Json] | string

/** Where the parts lie, by name. */
type Places = Readonly<Record<string, readonly [offset: number, bytes: number]>>

const headBytes = 4

export interface WrittenSnapshot {
  readonly body: Buffer
  readonly contents: readonly Content[]
  /** Those that an event has named: most likely they are in the file. */
  readonly known: readonly { readonly hash: Buffer; readonly value: Json }[]
}

export function writeSnapshot({ parts, values }: RunSnapshot): WrittenSnapshot {
  const contents: Content[] = []
  const known: { readonly hash: Buffer; readonly value: Json }[] = []
  const written = values.map((value): WrittenValue => {
    const hash = knownContent(value)
    if (hash !== undefined) {
      known.push({ hash, value })
      return hash.toString('base64url')
    }
    const text = JSON.stringify(value)
    if (text.length < shortText) return [value]
    const content = contentOf(text)
    contents.push(content)
    return content.hash.toString('base64url')
  })
  const places: Record<string, readonly [number, number]> = {}
  const pieces: Buffer[] = []
  let offset = 0
  for (const [name, part] of Object.entries({ ...parts, values: written as unknown as Json })) {
    const piece = deflateRawSync(JSON.stringify(part), { level: 1 })
    places[name] = [offset, piece.length]
    pieces.push(piece)
    offset += piece.length
  }
  const table = Buffer.from(JSON.stringify(places))
  const head = Buffer.alloc(headBytes)
  head.writeUInt32LE(table.length)
  return { body: Buffer.concat([head, table, ...pieces]), contents, known }
}

export class SnapshotText {
  readonly #body: Buffer
  readonly #places: Places
  readonly #textOf: (hash: Uint8Array) => string
  #values: readonly WrittenValue[] | undefined

  /** @param textOf gives the text of a content by its hash */
  constructor(body: Buffer, textOf: (hash: Uint8Array) => string) {
    this.#body = body
    this.#textOf = textOf
    const tableBytes = body.readUInt32LE()
    this.#places = JSON.parse(body.toString('utf8', headBytes, headBytes + tableBytes)) as Places
  }

  part(name: string): Json | undefined {
    const place = Object.hasOwn(this.#places, name) ? this.#places[name] : undefined
    if (place === undefined) return undefined
    const start = headBytes + this.#body.readUInt32LE() + place[0]
    return JSON.parse(inflateRawSync(this.#body.subarray(start, start + place[1])).toString()) as Json
  }

  value(index: number): Json {
    this.#values ??= this.part('values') as unknown as readonly WrittenValue[]
    const written = this.#values[index]
    if (typeof written !== 'string') return written?.[0] ?? null
    return JSON.parse(this.#textOf(Buffer.from(written, 'base64url'))) as Json
  }
}
