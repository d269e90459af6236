// A host for tests of charts: it keeps what it is told, and lets a test wait for the message that it needs.
import { createActor, fromCallback } from '../../src/machines/xstate.ts'
import type { HostMessage, HostRef } from '../../src/machines/behaviour.messages.ts'

type MessageOf<T extends HostMessage['type']> = Extract<HostMessage, { readonly type: T }>

export interface Probe {
  readonly ref: HostRef
  readonly messages: HostMessage[]
  /** All messages of one type so far. */
  all<T extends HostMessage['type']>(type: T): readonly MessageOf<T>[]
  /** The message of this type that comes as the `count`th, waited for. */
  nth<T extends HostMessage['type']>(type: T, count?: number): Promise<MessageOf<T>>
  /** Called with each message, from now on. */
  onMessage: ((message: HostMessage) => void) | undefined
}

export function createProbe(): Probe {
  const messages: HostMessage[] = []
  const waiting = new Set<() => void>()
  const actor = createActor(
    fromCallback<HostMessage>(({ receive }) => {
      receive((message) => {
        messages.push(message)
        probe.onMessage?.(message)
        for (const look of waiting) look()
      })
    }),
  )
  const probe: Probe = {
    ref: actor,
    messages,
    onMessage: undefined,
    all: (type) => messages.filter((message) => message.type === type) as MessageOf<typeof type>[],
    nth(type, count = 1) {
      return new Promise((resolve) => {
        const look = () => {
          const found = probe.all(type)[count - 1]
          if (found === undefined) return
          waiting.delete(look)
          resolve(found)
        }
        waiting.add(look)
        look()
      })
    },
  }
  actor.start()
  return probe
}

/** Lets everything that is only waiting for microtasks come to rest. */
export function settle(): Promise<void> {
  return new Promise((resolve) => setImmediate(resolve))
}
