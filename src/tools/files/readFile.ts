// Reading a file whole: as text, or as base64 where it is none.
import { ToolError } from '../toolError.ts'
import { fileFailure } from './fileFailure.ts'
import { openFile, type OpenFile } from './openInside.ts'
import type { Roots } from './resolveInside.ts'

export const encodings = ['utf-8', 'utf-16le', 'latin1', 'base64'] as const
export type FileEncoding = (typeof encodings)[number]

export interface ReadOptions {
  readonly path: string
  readonly encoding: FileEncoding
  readonly maxBytes: number
  readonly signal: AbortSignal
}

const chunkBytes = 1 << 20

/** Reads a file.
 *
 * @returns the content; a byte order mark is left out of text.
 * @throws `FILE_MISSING`, `NOT_A_FILE`, `NO_PERMISSION`, `PATH_OUTSIDE`, `FILE_TOO_LARGE`, `NOT_TEXT`
 */
export async function readWhole(
  roots: Roots,
  options: ReadOptions,
): Promise<{ readonly content: string; readonly sizeBytes: number }> {
  const { path, encoding, maxBytes, signal } = options
  await using file = await openFile(roots, path)
  if (file.found.size > maxBytes) throw tooLarge(path, maxBytes, file.found.size)
  const chunks: Buffer[] = []
  let sizeBytes = 0
  for await (const chunk of chunksOf(file, path, signal)) {
    sizeBytes += chunk.length
    if (sizeBytes > maxBytes) throw tooLarge(path, maxBytes, sizeBytes) // it has grown, or says no size (/proc)
    chunks.push(Buffer.from(chunk))
  }
  return { content: decode(Buffer.concat(chunks), encoding, path), sizeBytes }
}

/** The file's content, piece by piece; each piece is good until the next one is asked for. */
export async function* chunksOf(file: OpenFile, path: string, signal: AbortSignal): AsyncGenerator<Buffer> {
  const buffer = Buffer.allocUnsafe(Math.min(chunkBytes, Math.max(4096, file.found.size + 1)))
  for (;;) {
    signal.throwIfAborted()
    const { bytesRead } = await file.handle.read(buffer, 0, buffer.length, null).catch((error: unknown) => {
      throw fileFailure(path, error)
    })
    if (bytesRead === 0) return
    yield buffer.subarray(0, bytesRead)
  }
}

function decode(bytes: Buffer, encoding: FileEncoding, path: string): string {
  if (encoding === 'base64' || encoding === 'latin1') return bytes.toString(encoding)
  try {
    return new TextDecoder(encoding, { fatal: true }).decode(bytes)
  } catch (cause) {
    throw new ToolError('NOT_TEXT', `"${path}" is not text in ${encoding}.`, {
      hint: 'Read it with encoding "latin1" (any bytes are valid there), "utf-16le", or "base64" where it is no text.',
      retryable: false,
      where: { path },
      cause,
    })
  }
}

function tooLarge(path: string, maxBytes: number, sizeBytes: number): ToolError {
  return new ToolError(
    'FILE_TOO_LARGE',
    `"${path}" has ${String(sizeBytes)} bytes or more; ${String(maxBytes)} may be read.`,
    {
      hint: 'Hand on its path instead of its content, or raise maxBytes of fileTools().',
      retryable: false,
      where: { path },
    },
  )
}
