// Text as the bytes of a file, without losing any of it.
import { ToolError } from '../toolError.ts'
import type { FileEncoding } from './readFile.ts'

/** Makes bytes of a content.
 *
 * @throws `CONTENT_INVALID` for what the encoding cannot hold, and `FILE_TOO_LARGE`.
 */
export function encodeContent(
  content: string,
  encoding: FileEncoding,
  { maxBytes }: { readonly maxBytes: number },
): Buffer {
  const problem = problemOf(content, encoding)
  if (problem !== undefined) {
    throw new ToolError('CONTENT_INVALID', `The content ${problem}.`, {
      hint: 'Write text as "utf-8", and bytes as "base64".',
      retryable: false,
      where: { path: '/content' },
    })
  }
  const bytes = Buffer.from(content, encoding)
  if (bytes.length <= maxBytes) return bytes
  throw new ToolError(
    'FILE_TOO_LARGE',
    `The content has ${String(bytes.length)} bytes; ${String(maxBytes)} may be written.`,
    {
      hint: 'Write it in parts, or raise maxBytes of fileTools().',
      retryable: false,
      where: { path: '/content' },
    },
  )
}

function problemOf(content: string, encoding: FileEncoding): string | undefined {
  switch (encoding) {
    case 'utf-8':
      return /\p{Surrogate}/u.test(content)
        ? 'holds half of a character (a lone surrogate), which UTF-8 cannot write'
        : undefined
    case 'utf-16le':
      return undefined
    case 'latin1':
      return /[^\0-\xff]/.test(content) ? 'holds a character that latin1 does not have' : undefined
    case 'base64':
      return content.length % 4 === 0 && /^[A-Za-z0-9+/]*={0,2}$/.test(content) ? undefined : 'is not base64'
  }
}
