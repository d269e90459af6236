// How long a journal file is, and how long it says that it is: one that lost its end cannot be opened as it stands.
//
// Source of the numbers: https://www.sqlite.org/fileformat.html (1.3, the database header; 4.1, the write-ahead log).
import { closeSync, openSync, readSync, statSync } from 'node:fs'

export interface FileLength {
  readonly bytes: number
  /** What the file's header says; absent where there is no header, or where it says nothing. */
  readonly of?: number
  readonly pageBytes?: number
  /** Bytes of the write-ahead log beside it. */
  readonly logBytes: number
}

/** How much is left of a file that was cut short. */
export interface CutShort {
  readonly bytes: number
  /** Bytes that it had. */
  readonly of: number
}

/** What a file begins with that is not empty. */
export const headerBytes = 100

const magic = 'SQLite format 3\0'

/** @returns nothing where there is no file that could be looked at. */
export function lengthOf(path: string): FileLength | undefined {
  try {
    const stats = statSync(path)
    if (!stats.isFile()) return undefined
    const header = headOf(path)
    const said = header.length < headerBytes ? undefined : saidLength(header)
    return { bytes: stats.size, ...said, logBytes: sizeOf(`${path}-wal`) }
  } catch {
    return undefined
  }
}

/** The first bytes of a file: as many as a header has, or as there are. */
function headOf(path: string): Buffer {
  const head = Buffer.alloc(headerBytes)
  const descriptor = openSync(path, 'r')
  try {
    return head.subarray(0, readSync(descriptor, head, 0, headerBytes, 0))
  } finally {
    closeSync(descriptor)
  }
}

/** @returns how much is left, where the file is shorter than its header says. */
export function cutOf(length: FileLength | undefined): CutShort | undefined {
  if (length?.of === undefined || length.bytes >= length.of) return undefined
  return { bytes: length.bytes, of: length.of }
}

function saidLength(header: Buffer): { readonly of: number; readonly pageBytes: number } | undefined {
  if (header.toString('latin1', 0, magic.length) !== magic) return undefined
  // Only then was the number of pages written by who wrote last.
  if (header.readUInt32BE(24) !== header.readUInt32BE(92)) return undefined
  const said = header.readUInt16BE(16)
  const pageBytes = said === 1 ? 65_536 : said
  return { of: pageBytes * header.readUInt32BE(28), pageBytes }
}

function sizeOf(path: string): number {
  return statSync(path, { throwIfNoEntry: false })?.size ?? 0
}
