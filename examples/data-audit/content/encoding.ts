// Which encoding a text is in, from its bytes. Only UTF-8 can be proved; the others are what is left.
import type { Encoding } from '../formats.ts'

/** Takes the bytes of a file in order, in pieces of any size, and says at the end what they are. */
export function createEncodingDetector() {
  const utf8 = new TextDecoder('utf-8', { fatal: true })
  let isUtf8 = true
  let bytes = 0
  let controls = 0
  const zeros: [number, number] = [0, 0] // at even and at odd places
  let lineFeeds = 0
  let returns = 0
  let beyondAscii = 0
  let mark: Encoding | undefined

  function take(piece: Uint8Array): void {
    if (bytes === 0) mark = byteOrderMark(piece)
    if (isUtf8) {
      try {
        utf8.decode(piece, { stream: true })
      } catch {
        isUtf8 = false
      }
    }
    for (let index = 0; index < piece.length; index++) {
      const byte = piece[index] ?? 0
      if (byte >= 32 && byte < 127) continue
      if (byte === 0) zeros[(bytes + index) % 2 === 0 ? 0 : 1] += 1
      else if (byte === 10) lineFeeds += 1
      else if (byte === 13) returns += 1
      else if (byte >= 127) beyondAscii += 1
      else if (byte !== 9 && byte !== 12) controls += 1
    }
    bytes += piece.length
  }

  function end(): {
    readonly encoding: Encoding
    readonly newline: 'lf' | 'crlf' | 'mixed' | 'none'
    readonly ascii: boolean
  } {
    if (isUtf8) {
      try {
        utf8.decode()
      } catch {
        isUtf8 = false // the last letter is cut off
      }
    }
    const newline =
      lineFeeds === 0
        ? returns > 0
          ? 'mixed'
          : 'none'
        : returns === 0
          ? 'lf'
          : returns === lineFeeds
            ? 'crlf'
            : 'mixed'
    return { encoding: encoding(), newline, ascii: beyondAscii === 0 }
  }

  function encoding(): Encoding {
    if (mark !== undefined) return mark
    const [even, odd] = zeros
    if (odd > bytes * 0.3 && even < bytes * 0.05) return 'utf-16le'
    if (even > bytes * 0.3 && odd < bytes * 0.05) return 'utf-16be'
    if (even + odd > 0 || controls > bytes * 0.01) return 'binary'
    return isUtf8 ? 'utf-8' : 'latin-1'
  }
  return { take, end }
}

function byteOrderMark(head: Uint8Array): Encoding | undefined {
  if (head[0] === 0xef && head[1] === 0xbb && head[2] === 0xbf) return 'utf-8-bom'
  if (head[0] === 0xff && head[1] === 0xfe) return 'utf-16le'
  if (head[0] === 0xfe && head[1] === 0xff) return 'utf-16be'
  return undefined
}
