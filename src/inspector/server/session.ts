// One client: what it says is checked, and what it follows is sent as fast as it takes it, and no faster.
//
// S1. The first frame is `hello`, and comes in time; whoever breaks the protocol is told why, and the connection is closed.
// S2. What a client does harms nobody else: what it sends is bounded in size and number, and what is sent waits for it in the feeds.
import { clientFrameSchema, closeCodes, type ClientFrame, type Problem, type ServerFrame } from '../protocol/frames.ts'
import { protocolVersion } from '../protocol/version.ts'
import type { Feeds } from './feeds.ts'
import type { InspectorLimits } from './limits.ts'
import { lookUp } from './lookUp.ts'
import { RunSubscription } from './subscription.ts'

/** As much of a WebSocket as a session needs. */
export interface Socket {
  /** Bytes that are written and not sent. */
  readonly bufferedAmount: number
  send(text: string): void
  close(code: number, reason: string): void
}

export interface SessionOptions {
  readonly socket: Socket
  readonly feeds: Feeds
  readonly epoch: string
  readonly limits: InspectorLimits
  /** ms since any moment. */
  readonly now: () => number
  /** There may be something to send. */
  readonly onNews: () => void
}

interface Followed {
  readonly subscription: RunSubscription
  readonly stop: () => void
}

export class Session {
  readonly #options: SessionOptions
  readonly #followed = new Map<number, Followed>()
  #hasSaidHello = false
  #isClosed = false
  /** The second in hand, and how many frames have come in it. */
  #second = -1
  #frames = 0

  constructor(options: SessionOptions) {
    this.#options = options
  }

  /** Takes in what the client has sent. */
  hear(text: string): void {
    if (this.#isClosed) return
    if (this.#isTooFast()) return this.#refuse(closeCodes.tooManyRequests, 'too many frames in a second')
    const frame = readFrame(text)
    if (frame === undefined) return this.#refuse(closeCodes.malformed, 'that is no frame of the protocol')
    if (this.#hasSaidHello === (frame.type === 'hello'))
      return this.#refuse(closeCodes.noHello, 'the first frame is "hello", and no other')
    switch (frame.type) {
      case 'hello':
        return this.#greet(frame.version)
      case 'subscribe':
        return this.#subscribe(frame)
      case 'unsubscribe':
        return this.#unsubscribe(frame.id)
      case 'get':
        return this.#answer(frame)
    }
  }

  /** Sends what is new, as long as the client takes it. @returns whether there was more than it could take */
  pump(): boolean {
    const { socket, limits } = this.#options
    for (const { subscription } of this.#followed.values()) {
      for (;;) {
        if (this.#isClosed) return false
        if (socket.bufferedAmount > limits.bufferedBytes) return true
        const frame = subscription.frame()
        if (frame === undefined) break
        socket.send(frame)
      }
    }
    return false
  }

  close(): void {
    this.#isClosed = true
    for (const { stop } of this.#followed.values()) stop()
    this.#followed.clear()
  }

  /** S1 */
  refuseSilence(): void {
    if (!this.#hasSaidHello) this.#refuse(closeCodes.noHello, 'no "hello" came in time')
  }

  #greet(version: number): void {
    if (version !== protocolVersion)
      return this.#refuse(closeCodes.version, `this server speaks version ${String(protocolVersion)}`)
    this.#hasSaidHello = true
    this.#send({ type: 'welcome', version: protocolVersion, epoch: this.#options.epoch, readOnly: true })
  }

  #subscribe({ id, topic, from, types }: Extract<ClientFrame, { readonly type: 'subscribe' }>): void {
    const { feeds, limits, onNews } = this.#options
    if (this.#followed.has(id)) return this.#endSubscription(id, problems.idTaken(id))
    if (this.#followed.size >= limits.subscriptions)
      return this.#endSubscription(id, problems.tooMany(limits.subscriptions))
    const feed = feeds.find(topic.runId)
    if (feed === undefined) return this.#endSubscription(id, problems.unknownRun(topic.runId))
    const subscription = new RunSubscription({
      id,
      feed,
      from,
      ...(types && { types: new Set(types) }),
    })
    this.#followed.set(id, { subscription, stop: feed.onMore(onNews) })
    onNews()
  }

  #unsubscribe(id: number): void {
    this.#followed.get(id)?.stop()
    this.#followed.delete(id)
  }

  #answer({ id, runId, what }: Extract<ClientFrame, { readonly type: 'get' }>): void {
    const feed = this.#options.feeds.find(runId)
    const found = feed === undefined ? { error: problems.unknownRun(runId) } : lookUp(feed, what)
    this.#send({ type: 'answer', id, ...found })
  }

  #endSubscription(id: number, error: Problem): void {
    this.#send({ type: 'ended', id, error })
  }

  #send(frame: ServerFrame): void {
    if (!this.#isClosed) this.#options.socket.send(JSON.stringify(frame))
  }

  #refuse(code: number, reason: string): void {
    this.close()
    this.#options.socket.close(code, reason)
  }

  #isTooFast(): boolean {
    const second = Math.floor(this.#options.now() / 1000)
    if (second !== this.#second) {
      this.#second = second
      this.#frames = 0
    }
    this.#frames += 1
    return this.#frames > this.#options.limits.framesPerSecond
  }
}

function readFrame(text: string): ClientFrame | undefined {
  try {
    return clientFrameSchema.parse(JSON.parse(text))
  } catch {
    return undefined
  }
}

const problems = {
  idTaken: (id: number): Problem => ({
    code: 'SUBSCRIPTION_EXISTS',
    message: `This client has a subscription ${String(id)} already.`,
    hint: 'Take another id, or unsubscribe first.',
  }),
  tooMany: (most: number): Problem => ({
    code: 'SUBSCRIPTIONS_FULL',
    message: `A client follows at most ${String(most)} topics at once.`,
    hint: 'Unsubscribe from one first.',
  }),
  unknownRun: (runId: string): Problem => ({
    code: 'RUN_UNKNOWN',
    message: `There is no run "${runId}" here.`,
    hint: 'Runs that were over long ago are no longer kept; look for it in its journal.',
  }),
}
