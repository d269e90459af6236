// A real HTTP server on loopback, for tests; what it was asked is kept.
import { createServer, type IncomingMessage, type RequestListener, type Server, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'

export interface Asked {
  readonly method: string
  readonly path: string
  readonly headers: IncomingMessage['headers']
  readonly body: string
}

export interface RealServer extends AsyncDisposable {
  readonly port: number
  /** `127.0.0.1:port` */
  readonly host: string
  readonly url: (path: string) => string
  readonly asked: readonly Asked[]
  /** Connections that are open now. */
  readonly connections: () => Promise<number>
}

export async function startServer(answer: (asked: Asked, response: ServerResponse) => void): Promise<RealServer> {
  const asked: Asked[] = []
  const listener: RequestListener = (request, response) => {
    const chunks: Buffer[] = []
    request.on('data', (chunk: Buffer) => chunks.push(chunk))
    request.on('end', () => {
      const { method = '', url: path = '', headers } = request
      const one = { method, path, headers, body: Buffer.concat(chunks).toString('utf8') }
      asked.push(one)
      answer(one, response)
    })
  }
  const server: Server = createServer(listener)
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const { port } = server.address() as AddressInfo
  const host = `127.0.0.1:${port}`
  return {
    port,
    host,
    asked,
    url: (path) => `http://${host}${path}`,
    connections: () =>
      new Promise((resolve, reject) => {
        server.getConnections((error, count) => {
          if (error === null) resolve(count)
          else reject(error)
        })
      }),
    async [Symbol.asyncDispose]() {
      server.closeAllConnections()
      await new Promise((resolve) => server.close(resolve))
    },
  }
}
