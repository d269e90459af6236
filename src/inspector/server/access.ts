// Who may speak to the inspector: the rules that keep other sites, other users of the machine and rebound names out.
//
// A1. `Host` must be one of the names that the server is reached by: a name that somebody has pointed here is not (DNS rebinding).
// A2. `Origin`, where a browser sends one, must be the page's own: no other site opens a socket here. Without one, the token decides.
// A3. The token comes in a header or in the list of subprotocols, never in an address or a cookie: cookies of one loopback port
//     reach every other, and addresses stand in logs.
// A4. Tokens are compared in a time that does not tell how much of them was right.
import { createHash, randomBytes, timingSafeEqual } from 'node:crypto'
import type { IncomingHttpHeaders } from 'node:http'
import { subprotocol } from '../protocol/version.ts'

export interface AccessRules {
  readonly token: string
  /** Names with ports, as browsers send them: `127.0.0.1:4711`. Absent: whatever server it is mounted in decides. */
  readonly hosts?: ReadonlySet<string>
}

export interface AccessRefusal {
  /** HTTP status. */
  readonly status: 401 | 403 | 421
  readonly message: string
}

/** What speaks for a request. */
export interface Credentials {
  readonly host: string | undefined
  readonly origin: string | undefined
  readonly token: string | undefined
}

export function createToken(): string {
  return randomBytes(24).toString('base64url')
}

/** Why a request is not let in; `undefined` where it is. */
export function refusalOf({ host, origin, token }: Credentials, rules: AccessRules): AccessRefusal | undefined {
  const { hosts } = rules
  if (hosts !== undefined && (host === undefined || !hosts.has(host.toLowerCase())))
    return { status: 421, message: 'This name does not lead here. Use the address that was printed.' } // A1
  if (origin !== undefined && !isOwn(origin, host))
    return { status: 403, message: 'Pages of other sites may not speak to the inspector.' } // A2
  if (token === undefined || !isSame(token, rules.token))
    return {
      status: 401,
      message: 'The token is missing or wrong. Open the address that was printed when the inspector started.',
    }
  return undefined
}

/** The token of a request for a WebSocket: subprotocol `auth.<token>`, beside that of the protocol (A3). */
export function subprotocolTokenOf(headers: IncomingHttpHeaders): string | undefined {
  const offered = (headers['sec-websocket-protocol'] ?? '').split(',').map((one) => one.trim())
  if (!offered.includes(subprotocol)) return undefined
  return offered.find((one) => one.startsWith('auth.'))?.slice('auth.'.length)
}

function isOwn(origin: string, host: string | undefined): boolean {
  return URL.canParse(origin) && new URL(origin).host === host?.toLowerCase()
}

/** A4 */
function isSame(given: string, wanted: string): boolean {
  const hashed = (text: string): Buffer => createHash('sha256').update(text).digest()
  return timingSafeEqual(hashed(given), hashed(wanted))
}
