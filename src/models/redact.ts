// Taking keys out of what leaves the room: servers echo them, and so do errors of libraries.
//
// R1. No error holds the key: neither its message, nor its stack, nor any of its causes.

import { mark, secretsOf } from './secrets.ts'

export type Redact = (text: string) => string

/** Takes out these secrets in any writing, and whatever looks like a key or an `Authorization` header. */
export function redactor(secrets: readonly (string | undefined)[]): Redact {
  const known = secretsOf(secrets)
  return (text) =>
    known
      .takeOut(text)
      .replace(bearer, `$1 ${mark}`)
      .replace(keyHeader, `$1${mark}`)
      .replace(openAiKey, mark)
      .replace(userInfo, `$1${mark}@`)
}

const bearer = /\b(bearer|basic)\s+(?!\[redacted\])[\w.~+/=*-]{6,}/gi
const keyHeader =
  /\b((?:authorization|api-key|x-api-key)["']?\s*[:=]\s*["']?)(?!bearer|basic|\[redacted\])[\w.~+/=*-]{6,}/gi
const openAiKey = /\bsk-[\w*-]{6,}/g
const userInfo = /\b(https?:\/\/)[^\s/@]+@/gi

/** An error that says the same, without secrets: name, message, stack and causes, and nothing that hangs on them. */
export function redactedError(error: unknown, redact: Redact, depth = 0): Error | undefined {
  if (error === undefined || error === null || depth === mostCauses) return undefined
  if (!(error instanceof Error)) return new Error(redact(textOf(error)))
  const cause = redactedError(error.cause ?? firstOf(error), redact, depth + 1)
  const copy = new Error(redact(error.message), cause && { cause })
  const code = 'code' in error && typeof error.code === 'string' ? { code: redact(error.code) } : {}
  Object.defineProperty(copy, 'name', { value: error.name, configurable: true, writable: true })
  if (error.stack !== undefined) copy.stack = redact(error.stack)
  return Object.assign(copy, code)
}

const mostCauses = 5

/** Node gives an `AggregateError` without a message where no address of a host could be reached. */
function firstOf(error: Error): unknown {
  return error instanceof AggregateError ? (error.errors as readonly unknown[])[0] : undefined
}

function textOf(value: unknown): string {
  try {
    return typeof value === 'string' ? value : JSON.stringify(value)
  } catch {
    return 'something that cannot be read'
  }
}
