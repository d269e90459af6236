// Text in another encoding, or packed, as a copy in UTF-8 that the readers take.
import { open, stat } from 'node:fs/promises'
import { createReadStream } from 'node:fs'
import { ToolError, confine, defineTool, unreadable, workPath } from 'planloom/tools'
import { z } from 'zod'
import { fileSchema, type Audit } from '../audit.ts'
import { createEncodingDetector } from '../content/encoding.ts'
import { unpacked } from '../content/gunzip.ts'
import { encodingSchema, type Encoding } from '../formats.ts'

/** A small archive may hold very much. */
const mostUnpackedBytes = 1024 * 1024 * 1024

export function transcodeTool({ db }: Audit) {
  return defineTool({
    name: 'transcode',
    description: 'Makes a copy of a text in UTF-8; what is packed is unpacked.',
    input: z.strictObject({ file: fileSchema, encoding: encodingSchema }),
    output: z.strictObject({ file: fileSchema, encoding: encodingSchema }),
    needs: {
      file: 'file',
      encoding: { fact: 'encoding', is: { enum: ['latin-1', 'utf-8-bom', 'utf-16le', 'utf-16be', 'gzip'] } },
    },
    gives: { file: '/file', encoding: { from: '/encoding', is: { const: 'utf-8' } } },
    cost: 2,
    effects: 'write',
    idempotent: true,
    run: async ({ file, encoding }, { signal }) => {
      const from = await confine(db.roots, file.path)
      const extension = file.extension.replace(/\.gz$/, '') // a reader would unpack it once more
      const path = await workPath(db, file.table, file.path, extension)
      const read = () => (encoding === 'gzip' ? unpackedUpTo(from, file.name, signal) : createReadStream(from))
      try {
        await copyAsUtf8(read, path, encoding === 'gzip' ? await encodingOf(read()) : encoding, signal)
        return { file: { ...file, path, extension, sizeBytes: (await stat(path)).size }, encoding: 'utf-8' as const }
      } catch (error) {
        signal.throwIfAborted()
        throw failureOf(error, file.name, path)
      }
    },
  })
}

type Pieces = AsyncIterable<Uint8Array>

async function* unpackedUpTo(path: string, name: string, signal: AbortSignal): Pieces {
  let size = 0
  for await (const piece of unpacked(path, signal)) {
    size += piece.length
    if (size > mostUnpackedBytes) {
      throw new ToolError('FILE_TOO_LARGE', `"${name}" has more than 1 GiB in it when it is unpacked.`, {
        retryable: false,
        hint: 'Unpack it, and give the part of it that is wanted.',
        where: { path: name },
      })
    }
    yield piece
  }
}

async function encodingOf(pieces: Pieces): Promise<Encoding> {
  const detector = createEncodingDetector()
  for await (const piece of pieces) detector.take(piece)
  return detector.end().encoding
}

async function copyAsUtf8(read: () => Pieces, to: string, encoding: Encoding, signal: AbortSignal): Promise<void> {
  const label = {
    'latin-1': 'windows-1252',
    'utf-8': 'utf-8',
    'utf-8-bom': 'utf-8',
    'utf-16le': 'utf-16le',
    'utf-16be': 'utf-16be',
    gzip: 'utf-8',
    binary: 'utf-8',
  }[encoding]
  const decoder = new TextDecoder(label)
  const target = await open(to, 'w').catch((error: unknown) => {
    throw new Unwritable(error)
  })
  const write = async (text: string) => {
    try {
      await target.writeFile(text)
    } catch (error) {
      throw new Unwritable(error)
    }
  }
  try {
    for await (const piece of read()) {
      signal.throwIfAborted()
      await write(decoder.decode(piece, { stream: true }))
    }
    await write(decoder.decode())
  } finally {
    await target.close()
  }
}

/** Of the two files at hand, it was the copy that failed. */
class Unwritable extends Error {
  constructor(cause: unknown) {
    super('the copy could not be written', { cause })
  }
}

function failureOf(error: unknown, name: string, path: string): ToolError {
  if (error instanceof Unwritable) {
    const { message } = unreadable(path, error.cause)
    return new ToolError('COPY_UNWRITABLE', `The copy of "${name}" in UTF-8 could not be written: ${message}`, {
      hint: 'Check the space and the rights in the folder of the report.',
      where: { path },
      cause: error.cause,
    })
  }
  if (error instanceof Error && 'code' in error && String(error.code).startsWith('Z_')) {
    return new ToolError('ARCHIVE_BROKEN', `"${name}" cannot be unpacked: ${error.message}.`, {
      retryable: false,
      hint: 'Get the file anew; it was not transferred whole.',
      where: { path: name },
      cause: error,
    })
  }
  return unreadable(name, error)
}
