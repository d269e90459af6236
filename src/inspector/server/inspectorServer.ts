// The inspector of a runtime: its runs over WebSockets, event by event, for whoever has the token.
//
// I1. It listens on loopback only, unless it is told otherwise by name and with a token of the user's own.
// I2. Watching never holds a run up, and the end of the inspector is not that of any run.
import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { PlanloomError } from '../../errors.ts'
import type { Runtime } from '../../runtime/index.ts'
import { createToken, type AccessRules } from './access.ts'
import { Connections } from './connections.ts'
import { Feeds } from './feeds.ts'
import { defaultInspectorLimits, type InspectorLimits } from './limits.ts'

export interface InspectorOptions {
  /** @default one that is free */
  readonly port?: number
  /** Where it listens. Any other than loopback needs a `token`. @default '127.0.0.1' */
  readonly host?: string
  /** What clients have to show. @default a new one each time, of 24 random bytes */
  readonly token?: string
  readonly limits?: Partial<InspectorLimits>
}

/** A running inspector. */
export interface Inspector extends AsyncDisposable {
  /** With the token in its fragment, which no server and no log gets to see. */
  readonly url: string
  readonly port: number
  readonly token: string
  /** Closes all connections, and leaves no handle behind. The runs go on. */
  close(): Promise<void>
}

/** Lets people and programs watch the runs of a runtime over WebSockets.
 *
 * @returns a promise of the inspector, once it listens
 * @throws `INSPECTOR_EXPOSED` for a host beyond loopback without a token; `INSPECTOR_PORT` where it cannot listen there
 * @example
 * import { createRuntime } from 'planloom'
 * import { inspectRuntime } from 'planloom/inspector'
 * await using runtime = createRuntime()
 * await using inspector = await inspectRuntime(runtime)
 * inspector.url.startsWith('http://127.0.0.1:') // true
 */
export async function inspectRuntime(
  runtime: Pick<Runtime, 'runs'>,
  options: InspectorOptions = {},
): Promise<Inspector> {
  const { port = 0, host = '127.0.0.1', token = createToken() } = options
  if (!isLoopback(host) && options.token === undefined) throw exposed(host)
  const http = createServer((_request, response) => {
    response.writeHead(404).end() // the page comes here
  })
  await listen(http, port, host)
  const { port: bound } = http.address() as AddressInfo
  const connections = new Connections(new Feeds(runtime), { ...defaultInspectorLimits, ...options.limits })
  const rules: AccessRules = { token, ...(isLoopback(host) && { hosts: loopbackNames(bound) }) }
  http.on('upgrade', (request, socket, head) => {
    connections.admit(request, socket, head, rules)
  })
  const close = async (): Promise<void> => {
    connections.close()
    http.closeAllConnections()
    await new Promise((settle) => http.close(settle))
  }
  return {
    url: `http://${host.includes(':') ? `[${host}]` : host}:${String(bound)}/#token=${token}`,
    port: bound,
    token,
    close,
    [Symbol.asyncDispose]: close,
  }
}

function listen(http: Server, port: number, host: string): Promise<void> {
  return new Promise((settle, reject) => {
    http.once('error', (cause) => {
      reject(
        new PlanloomError(
          'INSPECTOR_PORT',
          `The inspector cannot listen at ${host}:${String(port)}: ${cause.message}`,
          {
            hint: 'Choose another port, or none: then one that is free is taken.',
            cause,
          },
        ),
      )
    })
    http.listen(port, host, settle)
  })
}

function isLoopback(host: string): boolean {
  return host === 'localhost' || host === '::1' || /^127\.\d+\.\d+\.\d+$/.test(host)
}

function loopbackNames(port: number): ReadonlySet<string> {
  return new Set(['127.0.0.1', 'localhost', '[::1]'].map((name) => `${name}:${String(port)}`))
}

function exposed(host: string): PlanloomError {
  return new PlanloomError('INSPECTOR_EXPOSED', `At "${host}" others than this machine could reach the inspector.`, {
    hint: 'Give a `token` of your own to have it listen there; leave `host` out to have it listen on loopback.',
  })
}
