// http_fetch: reads from a host that is allowed.
import { z } from 'zod'
import { defineTool } from '../defineTool.ts'
import { ask, requireSuccess } from './ask.ts'
import type { HttpLimits } from './httpLimits.ts'
import { answerSchema, bodyForms, readAnswer } from './readAnswer.ts'

/** As many as browsers and curl take for a loop, and then some fewer. */
const mostRedirects = 10

export function httpFetch(limits: HttpLimits) {
  return defineTool({
    name: 'http_fetch',
    description: `Fetches a URL (GET or HEAD) as text, parsed JSON or base64. Hosts: ${namesOf(limits)}.`,
    input: z.strictObject({
      url: z.string().min(1),
      method: z.enum(['GET', 'HEAD']).default('GET'),
      headers: z.record(z.string(), z.string()).default({}),
      as: z.enum(bodyForms).default('text'),
      /** Whether a status such as 404 fails the step, or is given like any other answer. */
      onStatus: z.enum(['fail', 'give']).default('fail'),
    }),
    output: answerSchema,
    needs: { url: 'url' },
    effects: 'read',
    run: async ({ url, method, headers, as, onStatus }, { signal }) => {
      const answer = await ask({ url, method, headers, redirects: mostRedirects, signal }, limits)
      if (onStatus === 'fail') requireSuccess(answer, true)
      return readAnswer(answer, as)
    },
  })
}

/** For the description, which a model reads: it should not propose what would be refused. */
export function namesOf({ hosts }: HttpLimits): string {
  return hosts.length === 0 ? 'none' : hosts.map(({ entry }) => entry).join(', ')
}
