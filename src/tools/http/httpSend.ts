// http_send: changes something at a host that is allowed, with a key by which the host can tell a repetition.
//
// S1. Every attempt of a step sends the same Idempotency-Key.
// S2. What the host may have seen is tried again only where that is safe: by the method, or because the host honours the key.
// S3. No redirect is followed: what was meant for one place is not sent to another.
import { z } from 'zod'
import type { Json } from '../../plan/json.ts'
import { defineTool } from '../defineTool.ts'
import { ToolError } from '../toolError.ts'
import { ask, requireSuccess, type Answer, type Question } from './ask.ts'
import { namesOf } from './httpFetch.ts'
import type { HttpLimits } from './httpLimits.ts'
import { answerSchema, bodyForms, readAnswer } from './readAnswer.ts'

export function httpSend(limits: HttpLimits) {
  return defineTool({
    name: 'http_send',
    description: `Sends a request that changes something (POST, PUT, PATCH, DELETE). Hosts: ${namesOf(limits)}.`,
    input: z.strictObject({
      url: z.string().min(1),
      method: z.enum(['POST', 'PUT', 'PATCH', 'DELETE']).default('POST'),
      headers: z.record(z.string(), z.string()).default({}),
      /** Sent as JSON. */
      json: z.custom<Json>((value) => value !== undefined, 'must be a JSON value').optional(),
      /** Sent as it is; not together with `json`. */
      text: z.string().optional(),
      as: z.enum(bodyForms).default('text'),
      onStatus: z.enum(['fail', 'give']).default('fail'),
    }),
    output: answerSchema,
    effects: 'external',
    idempotent: limits.honoursKey,
    run: async ({ url, method, headers, json, text, as, onStatus }, { signal, idempotencyKey }) => {
      if (json !== undefined && text !== undefined) throw twoBodies()
      const mayRepeat = limits.honoursKey || method === 'PUT' || method === 'DELETE'
      const body = json === undefined ? text : JSON.stringify(json)
      const type = json === undefined ? 'text/plain; charset=utf-8' : 'application/json'
      const question: Question = {
        url,
        method,
        headers: {
          ...(body !== undefined && { 'content-type': type }),
          ...lowerCased(headers),
          'idempotency-key': idempotencyKey, // S1
        },
        ...(body !== undefined && { body }),
        redirects: 0, // S3
        signal,
      }
      const answer = await send(question, limits, mayRepeat)
      if (onStatus === 'fail') requireSuccess(answer, mayRepeat)
      return readAnswer(answer, as)
    },
  })
}

/** Nothing that is known only after sending may lead to a second attempt that doubles the effect (S2). */
async function send(question: Question, limits: HttpLimits, mayRepeat: boolean): Promise<Answer> {
  try {
    return await ask(question, limits)
  } catch (error) {
    if (mayRepeat || !(error instanceof ToolError) || !error.retryable || error.code === 'HOST_UNREACHABLE') throw error
    throw new ToolError(error.code, error.message, {
      retryable: false,
      uncertain: true,
      hint: 'The host may have carried it out: look there before it is sent again.',
      where: error.where,
      cause: error.cause,
    })
  }
}

function lowerCased(headers: Readonly<Record<string, string>>): Record<string, string> {
  return Object.fromEntries(Object.entries(headers).map(([name, value]) => [name.toLowerCase(), value]))
}

function twoBodies(): ToolError {
  return new ToolError('INPUT_INVALID', 'Both "json" and "text" are given; one request has one body.', {
    retryable: false,
    hint: 'Leave one of them out.',
    where: { path: '/text' },
  })
}
