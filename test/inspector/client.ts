// A client of the inspector as tests need it: says what it is told to, and keeps what comes.
import { once } from 'node:events'
import { WebSocket } from 'ws'
import {
  RunView,
  serverFrameSchema,
  type ClientFrame,
  type Inspector,
  type ServerFrame,
} from '../../src/inspector/index.ts'

export interface ClientOptions {
  readonly token?: string
  readonly headers?: Readonly<Record<string, string>>
  readonly path?: string
}

/** A socket to an inspector, without a word said. */
export function openSocket({ port, token: own }: Inspector, options: ClientOptions = {}): WebSocket {
  const { token = own, headers = {}, path = '/socket' } = options
  return new WebSocket(`ws://127.0.0.1:${String(port)}${path}`, ['planloom.v1', `auth.${token}`], { headers })
}

/** HTTP status with which a socket is refused. */
export async function refusedWith(socket: WebSocket): Promise<number | undefined> {
  return new Promise((settle, reject) => {
    socket.on('unexpected-response', (_request, response) => {
      settle(response.statusCode)
      response.destroy()
    })
    socket.on('open', () => {
      reject(new Error('it was let in'))
    })
    socket.on('error', () => undefined)
  })
}

/** The code with which a socket is closed. */
export async function closedWith(socket: WebSocket): Promise<number> {
  socket.on('error', () => undefined)
  const [code] = (await once(socket, 'close')) as [number]
  return code
}

export class Client {
  readonly socket: WebSocket
  readonly frames: ServerFrame[] = []
  readonly #waiting = new Set<() => void>()

  private constructor(socket: WebSocket) {
    this.socket = socket
    socket.on('message', (data) => {
      this.frames.push(serverFrameSchema.parse(JSON.parse((data as Buffer).toString())))
      for (const look of this.#waiting) look()
    })
  }

  static async open(inspector: Inspector): Promise<Client> {
    const socket = openSocket(inspector)
    await once(socket, 'open')
    const client = new Client(socket)
    client.say({ type: 'hello', version: 1 })
    await client.until(({ type }) => type === 'welcome')
    return client
  }

  say(frame: ClientFrame): void {
    this.socket.send(JSON.stringify(frame))
  }

  /** Fulfilled with the first frame, of those that came or come, that is so. */
  async until(isSo: (frame: ServerFrame) => boolean): Promise<ServerFrame> {
    return new Promise((settle) => {
      const look = (): void => {
        const found = this.frames.find(isSo)
        if (found === undefined) return
        this.#waiting.delete(look)
        settle(found)
      }
      this.#waiting.add(look)
      look()
    })
  }

  /** Ends without a word, as a network does. */
  drop(): void {
    this.socket.terminate()
  }
}

/** What a client knows of a run, over all its connections. */
export class Follower {
  view = new RunView()
  hasEnded = false
  readonly numbers: number[] = []

  /** @returns what is wrong with it */
  take(frame: ServerFrame): string | undefined {
    switch (frame.type) {
      case 'snapshot':
        this.view = new RunView(frame.data.run)
        return undefined
      case 'entries': {
        const { next } = this.view.face
        if (frame.from > next) return `a gap: ${String(next)} to ${String(frame.from)}`
        for (const entry of frame.entries) {
          if (entry.n < next) continue
          this.numbers.push(entry.n)
          this.view.take(entry)
        }
        return undefined
      }
      case 'ended':
        this.hasEnded = true
        return frame.error?.message
      case 'welcome':
      case 'answer':
        return undefined
    }
  }
}
