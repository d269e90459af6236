// The HTTP tools: fetching what is read only, and sending what changes something, to hosts that are named.
import { ToolError } from '../toolError.ts'
import { parseHosts } from './allowedHosts.ts'
import { httpFetch } from './httpFetch.ts'
import type { HttpLimits } from './httpLimits.ts'
import { httpSend } from './httpSend.ts'

export interface HttpToolsOptions {
  /** Hosts that may be asked: `example.com` (its usual port only), `example.com:8443`, `*.example.com`. */
  readonly hosts: readonly string[]
  /** Largest answer, after decompression. @default 5,000,000 */
  readonly maxBytes?: number
  /** Longest wait for the whole answer, redirects included. @default 30,000 */
  readonly timeoutMs?: number
  /** Whether a host may lead to this machine or to a private network. @default false */
  readonly allowPrivate?: boolean
  /** Headers by entry of `hosts`, for what must not stand in a plan, as a token. They go to that host only. */
  readonly headers?: Readonly<Record<string, Readonly<Record<string, string>>>>
  /** Whether all the hosts honour the header `Idempotency-Key`, so that sending again is safe. @default false */
  readonly honoursKey?: boolean
}

/** The HTTP tools: `http_fetch` (GET, HEAD) and `http_send` (POST, PUT, PATCH, DELETE).
 *
 * @throws `HOST_INVALID` for an entry that is no host, `TOOL_INVALID` for headers of a host that is not allowed.
 * @example
 * import { createToolRegistry, httpTools } from 'planloom/tools'
 * createToolRegistry(httpTools({ hosts: ['api.example.com'] })).names // ['http_fetch', 'http_send']
 */
export function httpTools(options: HttpToolsOptions) {
  const { headers = {} } = options
  const stray = Object.keys(headers).find((entry) => !options.hosts.includes(entry))
  if (stray !== undefined) {
    throw new ToolError('TOOL_INVALID', `There are headers for "${stray}", which is not among the hosts.`, {
      hint: 'Write the host the same way in both places.',
    })
  }
  const limits: HttpLimits = {
    hosts: parseHosts(options.hosts),
    maxBytes: options.maxBytes ?? 5_000_000,
    timeoutMs: options.timeoutMs ?? 30_000,
    allowPrivate: options.allowPrivate ?? false,
    headers,
    honoursKey: options.honoursKey ?? false,
  }
  return [httpFetch(limits), httpSend(limits)] as const
}
