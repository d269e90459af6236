// The clients of one inspector: let in or refused, looked at whether they are there, and told what is new.
//
// C1. What is new is sent in frames, at most some 60 a second, however many events there are.
// C2. Who takes nothing costs what the socket has buffered, and is caught up later; who does not answer is given up.
import { randomUUID } from 'node:crypto'
import type { IncomingMessage } from 'node:http'
import type { Duplex } from 'node:stream'
import { WebSocketServer, type WebSocket } from 'ws'
import { subprotocol } from '../protocol/version.ts'
import { refusalOf, subprotocolTokenOf, type AccessRules } from './access.ts'
import type { Feeds } from './feeds.ts'
import type { InspectorLimits } from './limits.ts'
import { Session } from './session.ts'

const socketPath = '/socket'
/** Between two frames for what is new (C1). */
const frameMs = 16

export class Connections {
  readonly #feeds: Feeds
  readonly #limits: InspectorLimits
  readonly #epoch = randomUUID()
  readonly #sockets: WebSocketServer
  readonly #open = new Map<WebSocket, { readonly session: Session; unanswered: number }>()
  #pump: NodeJS.Timeout | undefined
  readonly #pings: NodeJS.Timeout

  constructor(feeds: Feeds, limits: InspectorLimits) {
    this.#feeds = feeds
    this.#limits = limits
    this.#sockets = new WebSocketServer({
      noServer: true,
      maxPayload: limits.frameBytes,
      perMessageDeflate: false,
      handleProtocols: () => subprotocol, // never the one with the token
    })
    this.#pings = setInterval(() => {
      this.#pingAll()
    }, limits.pingMs).unref()
  }

  admit(request: IncomingMessage, socket: Duplex, head: Buffer, rules: AccessRules): void {
    socket.on('error', () => {
      socket.destroy()
    })
    const { host, origin } = request.headers
    const refusal =
      request.url === socketPath
        ? refusalOf({ host, origin, token: subprotocolTokenOf(request.headers) }, rules)
        : { status: 404, message: `WebSockets are at ${socketPath}.` }
    if (refusal !== undefined) return refuse(socket, refusal.status, refusal.message)
    if (this.#open.size >= this.#limits.clients)
      return refuse(socket, 503, `At most ${String(this.#limits.clients)} clients watch at once.`)
    this.#sockets.handleUpgrade(request, socket, head, (opened) => {
      this.#begin(opened)
    })
  }

  close(): void {
    clearTimeout(this.#pump)
    clearInterval(this.#pings)
    for (const [socket, { session }] of this.#open) {
      session.close()
      socket.close(1001, 'the inspector was closed')
      socket.terminate()
    }
    this.#open.clear()
    this.#feeds.close()
    this.#sockets.close()
  }

  #begin(socket: WebSocket): void {
    const session = new Session({
      socket,
      feeds: this.#feeds,
      epoch: this.#epoch,
      limits: this.#limits,
      now: () => performance.now(),
      onNews: () => {
        this.#pumpSoon()
      },
    })
    const client = { session, unanswered: 0 }
    this.#open.set(socket, client)
    const silence = setTimeout(() => {
      session.refuseSilence()
    }, this.#limits.helloMs).unref()
    socket.on('message', (data, isBinary) => {
      session.hear(isBinary ? '' : (data as Buffer).toString())
    })
    socket.on('pong', () => {
      client.unanswered = 0
    })
    socket.on('error', () => {
      socket.terminate() // a broken frame: `ws` has told the client its code
    })
    socket.on('close', () => {
      clearTimeout(silence)
      session.close()
      this.#open.delete(socket)
    })
  }

  #pumpSoon(): void {
    this.#pump ??= setTimeout(() => {
      this.#pump = undefined
      let isMore = false
      for (const { session } of this.#open.values()) isMore = session.pump() || isMore
      if (isMore) this.#pumpSoon()
    }, frameMs)
  }

  #pingAll(): void {
    for (const [socket, client] of this.#open) {
      if (client.unanswered >= 2) socket.terminate()
      client.unanswered += 1
      socket.ping()
    }
  }
}

function refuse(socket: Duplex, status: number, message: string): void {
  const body = `${message}\n`
  socket.end(
    `HTTP/1.1 ${String(status)} Refused\r\nConnection: close\r\nContent-Type: text/plain; charset=utf-8\r\nContent-Length: ${String(Buffer.byteLength(body))}\r\n\r\n${body}`,
  )
}
