// PNG images: what the header says, which chunks there are, and whether their checksums hold.
import { crc32 } from 'node:zlib'
import { z } from 'zod'

export const imageSchema = z.strictObject({
  width: z.int(),
  height: z.int(),
  bitDepth: z.int(),
  colour: z.string(),
  interlaced: z.boolean(),
  /** Bytes that a plain bitmap of it would take, for one byte of file. */
  compression: z.number(),
  chunks: z.array(z.strictObject({ type: z.string(), count: z.int(), bytes: z.int() })),
  /** Dots per inch, where the file tells. */
  dpi: z.number().optional(),
  /** In words: what is broken. */
  damage: z.array(z.string()),
})
export type Image = z.infer<typeof imageSchema>

const colours: Readonly<Record<number, readonly [string, number]>> = {
  0: ['grey', 1],
  2: ['RGB', 3],
  3: ['palette', 1],
  4: ['grey with alpha', 2],
  6: ['RGB with alpha', 4],
}

/** Reads header and chunks of a PNG file. @throws RangeError when there is no header to read. @see PNG, third edition (W3C). */
export function inspectPng(bytes: Buffer): Image {
  if (bytes.length < 33 || bytes.toString('latin1', 12, 16) !== 'IHDR')
    throw new RangeError('the image has no header (IHDR)')
  const [width, height, bitDepth, colourType] = [
    bytes.readUInt32BE(16),
    bytes.readUInt32BE(20),
    bytes.readUInt8(24),
    bytes.readUInt8(25),
  ]
  const [colour, channels] = colours[colourType] ?? [`unknown colour type ${String(colourType)}`, 1]
  const damage: string[] = []
  const chunks = new Map<string, { count: number; bytes: number }>()
  let dpi: number | undefined
  let at = 8
  let ended = false
  while (at + 12 <= bytes.length && !ended) {
    const length = bytes.readUInt32BE(at)
    const type = bytes.toString('latin1', at + 4, at + 8)
    const end = at + 8 + length
    if (end + 4 > bytes.length) {
      damage.push(`the chunk ${type} at byte ${String(at)} is cut off`)
      break
    }
    if (crc32(bytes.subarray(at + 4, end)) !== bytes.readUInt32BE(end))
      damage.push(`the checksum of the chunk ${type} at byte ${String(at)} is wrong`)
    const known = chunks.get(type) ?? { count: 0, bytes: 0 }
    chunks.set(type, { count: known.count + 1, bytes: known.bytes + length })
    if (type === 'pHYs' && bytes.readUInt8(at + 16) === 1) dpi = Math.round(bytes.readUInt32BE(at + 8) * 0.0254)
    ended = type === 'IEND'
    at = end + 4
  }
  if (!ended) damage.push('the end (IEND) is missing')
  else if (at < bytes.length) damage.push(`${String(bytes.length - at)} bytes follow the end of the image`)
  return {
    width,
    height,
    bitDepth,
    colour,
    interlaced: bytes.readUInt8(28) === 1,
    compression: Math.round(((width * height * channels * bitDepth) / 8 / bytes.length) * 100) / 100,
    chunks: [...chunks].map(([type, counted]) => ({ type, ...counted })),
    ...(dpi !== undefined && { dpi }),
    damage,
  }
}
