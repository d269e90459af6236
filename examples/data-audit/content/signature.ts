// Files that say what they are in their first (and last) bytes.
import type { Format } from '../formats.ts'

interface Signature {
  readonly format: Format
  readonly name: string
  readonly head: readonly number[]
  /** Some formats repeat themselves at the end: where they do not, the file is cut short. */
  readonly tail?: readonly number[]
}

const ascii = (text: string) => Array.from(text, (letter) => letter.charCodeAt(0))

const gzip = 'gzip archive'
const signatures: readonly Signature[] = [
  {
    format: 'png',
    name: 'PNG image',
    head: [0x89, ...ascii('PNG'), 0x0d, 0x0a, 0x1a, 0x0a],
    tail: [...ascii('IEND'), 0xae, 0x42, 0x60, 0x82],
  },
  { format: 'parquet', name: 'Apache Parquet', head: ascii('PAR1'), tail: ascii('PAR1') },
  { format: 'arrow', name: 'Apache Arrow IPC file', head: ascii('ARROW1'), tail: ascii('ARROW1') },
  { format: 'unknown', name: 'JPEG image', head: [0xff, 0xd8, 0xff] },
  { format: 'unknown', name: 'GIF image', head: ascii('GIF8') },
  { format: 'unknown', name: 'PDF document', head: ascii('%PDF-') },
  { format: 'unknown', name: 'ZIP archive (also: XLSX, DOCX)', head: [0x50, 0x4b, 0x03, 0x04] },
  { format: 'unknown', name: gzip, head: [0x1f, 0x8b] },
  { format: 'unknown', name: 'SQLite database', head: ascii('SQLite format 3') },
]

/** The format that the bytes announce, and whether the end of the file agrees. */
export function signatureOf(
  head: Uint8Array,
  tail: Uint8Array,
): { readonly format: Format; readonly name: string; readonly whole: boolean; readonly isGzip: boolean } | undefined {
  const found = signatures.find((signature) => signature.head.every((byte, index) => head[index] === byte))
  if (found === undefined) return undefined
  const end = found.tail ?? []
  const whole = end.every((byte, index) => tail[tail.length - end.length + index] === byte)
  return { format: found.format, name: found.name, whole, isGzip: found.name === gzip }
}
