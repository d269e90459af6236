// Which hosts may be asked: an allow-list of names and ports, and the addresses that no name may lead to.
//
// H1. A host is allowed with its port, or not at all: `example.com` means the usual port of the scheme and no other.
// H2. What a name leads to is judged when the connection is made, by the address that is connected to: a name that is
//     allowed and leads into the private network is refused, also when it changes between two look-ups.
import { lookup } from 'node:dns'
import { BlockList, isIP, type LookupFunction } from 'node:net'
import { ToolError } from '../toolError.ts'

export interface AllowedHost {
  /** As it was written. */
  readonly entry: string
  readonly hostname: string
  /** `hostname` is the ending of the names that are allowed: from `*.example.com`. */
  readonly isEnding: boolean
  /** Absent: the usual port of the scheme. */
  readonly port?: string
}

/** Reads an allow-list: `example.com`, `example.com:8443`, `*.example.com` (not `example.com` itself), `[::1]:8080`.
 *
 * @throws `HOST_INVALID`
 * @example
 * parseHosts(['*.Example.com:8443'])[0]?.hostname // '.example.com'
 * parseHosts(['https://example.com/']) // throws HOST_INVALID
 */
export function parseHosts(entries: readonly string[]): readonly AllowedHost[] {
  return entries.map((entry) => {
    const isEnding = entry.startsWith('*.')
    const rest = isEnding ? entry.slice(2) : entry
    const port = /:(\d{1,5})$/.exec(rest)?.[1]
    if (rest === '' || /[\s/?#@\\*]/.test(rest) || !URL.canParse(`http://${rest}`)) throw invalidHost(entry)
    const url = new URL(`http://${rest}`)
    if (isEnding && isIP(unbracketed(url.hostname)) !== 0) throw invalidHost(entry)
    const hostname = `${isEnding ? '.' : ''}${nameOf(url)}`
    return { entry, hostname, isEnding, ...(port !== undefined && { port: String(Number(port)) }) }
  })
}

/** The entry that allows a URL; `undefined` if none does. */
export function findAllowed(hosts: readonly AllowedHost[], url: URL): AllowedHost | undefined {
  const hostname = nameOf(url)
  const usual = url.protocol === 'https:' ? '443' : '80'
  const port = url.port === '' ? usual : url.port
  return hosts.find((host) => {
    const fits = host.isEnding ? hostname.endsWith(host.hostname) : hostname === host.hostname
    return fits && port === (host.port ?? usual) // H1
  })
}

/** Whether an address is of this machine or of a private network, where nobody outside should be able to ask. */
export function isPrivateAddress(address: string): boolean {
  const bare = unbracketed(address)
  return closed.check(bare, isIP(bare) === 6 ? 'ipv6' : 'ipv4')
}

/** Looks a name up as usual, and refuses it when any of its addresses is private (H2). */
export const publicLookup: LookupFunction = (hostname, options, callback) => {
  lookup(hostname, { ...options, all: true }, (error, addresses) => {
    if (error !== null) {
      callback(error, '')
      return
    }
    const [first] = addresses
    if (first === undefined || addresses.some(({ address }) => isPrivateAddress(address))) {
      callback(privateAddress(hostname), '')
    } else if (options.all === true) callback(null, addresses)
    else callback(null, first.address, first.family)
  })
}

export function privateAddress(hostname: string): ToolError {
  return new ToolError('HOST_PRIVATE', `"${hostname}" leads to this machine or to a private network.`, {
    retryable: false,
    hint: 'If that is meant, give httpTools({ allowPrivate: true }).',
  })
}

/** Without the dot that a name may end with: `example.com.` is the same host. */
function nameOf({ hostname }: URL): string {
  return hostname.toLowerCase().replace(/\.$/, '')
}

function unbracketed(hostname: string): string {
  return hostname.startsWith('[') ? hostname.slice(1, -1) : hostname
}

function invalidHost(entry: string): ToolError {
  return new ToolError('HOST_INVALID', `"${entry}" is not a host that can be allowed.`, {
    retryable: false,
    hint: 'Write a name with or without a port, as "example.com", "*.example.com" or "localhost:8080"; no scheme, no path.',
  })
}

/** IANA special-purpose addresses that do not lead to the public network, and those that carry such an address inside. */
const closed = new BlockList()
for (const [network, prefix] of [
  ['0.0.0.0', 8],
  ['10.0.0.0', 8],
  ['100.64.0.0', 10],
  ['127.0.0.0', 8],
  ['169.254.0.0', 16],
  ['172.16.0.0', 12],
  ['192.0.0.0', 24],
  ['192.0.2.0', 24],
  ['192.168.0.0', 16],
  ['198.18.0.0', 15],
  ['198.51.100.0', 24],
  ['203.0.113.0', 24],
  ['224.0.0.0', 4],
  ['240.0.0.0', 4],
] as const) {
  closed.addSubnet(network, prefix, 'ipv4')
}
for (const [network, prefix] of [
  ['::', 128],
  ['::1', 128],
  ['64:ff9b::', 96],
  ['64:ff9b:1::', 48],
  ['100::', 64],
  ['2001:db8::', 32],
  ['2002::', 16],
  ['fc00::', 7],
  ['fe80::', 10],
  ['ff00::', 8],
] as const) {
  closed.addSubnet(network, prefix, 'ipv6')
}
