// The body of an answer as a JSON value: what stands in it, its text, or its bytes as base64.
import { z } from 'zod'
import type { Json } from '../../plan/json.ts'
import { ToolError } from '../toolError.ts'
import type { Answer } from './ask.ts'
import { placeOf } from './exchange.ts'

export const bodyForms = ['text', 'json', 'base64'] as const

export const answerSchema = z.strictObject({
  /** After redirects. */
  url: z.string(),
  status: z.int(),
  headers: z.record(z.string(), z.string()),
  /** As `as` asks for it. */
  body: z.custom<Json>((value) => value !== undefined, 'must be a JSON value'),
})

/** Reads an answer as asked for.
 *
 * @throws `BODY_NOT_JSON`, `BODY_NOT_TEXT`
 */
export function readAnswer(
  { url, status, headers, body }: Answer,
  as: (typeof bodyForms)[number],
): z.infer<typeof answerSchema> {
  return { url, status, headers, body: as === 'base64' ? body.toString('base64') : read(url, headers, body, as) }
}

function read(url: string, headers: Readonly<Record<string, string>>, body: Buffer, as: 'text' | 'json'): Json {
  const text = textOf(url, headers['content-type'] ?? '', body)
  if (as === 'text') return text
  if (text.trim() === '') return null // as after DELETE, or a status 204
  try {
    return JSON.parse(text) as Json
  } catch (error) {
    throw new ToolError(
      'BODY_NOT_JSON',
      `What ${placeOf(new URL(url))} answered is not JSON: ${JSON.stringify(text.slice(0, 100))}`,
      {
        retryable: false,
        hint: 'Ask for it as "text", or send the header Accept: application/json.',
        cause: error,
      },
    )
  }
}

function textOf(url: string, contentType: string, body: Buffer): string {
  const charset = /;\s*charset="?([^\s";]+)/i.exec(contentType)?.[1] ?? 'utf-8'
  try {
    return new TextDecoder(charset, { fatal: true }).decode(body)
  } catch (error) {
    throw new ToolError('BODY_NOT_TEXT', `What ${placeOf(new URL(url))} answered is not ${charset} text.`, {
      retryable: false,
      hint: 'Ask for it as "base64".',
      cause: error,
    })
  }
}
