// Reading server-sent events from bytes that are cut anywhere.
//
// S1. What comes out does not depend on where the bytes are cut. Time grows with the bytes, whatever the cuts.
// S2. Lines end with LF, CR LF or CR. Comments and fields other than `data` and `event` are left out.
// @see https://html.spec.whatwg.org/multipage/server-sent-events.html

export interface ServerSentEvent {
  readonly event: string
  readonly data: string
}

export class ServerSentEvents {
  readonly #decoder = new TextDecoder()
  /** Of the line that is not complete: pieces, so that nothing is copied twice (S1). */
  #line: string[] = []
  #endedWithReturn = false
  #event = ''
  #data: string[] = []

  push(bytes: Uint8Array): ServerSentEvent[] {
    return this.#read(this.#decoder.decode(bytes, { stream: true }))
  }

  /** The last event, where the empty line after it is missing. */
  end(): ServerSentEvent[] {
    return this.#read(`${this.#decoder.decode()}\n\n`)
  }

  #read(text: string): ServerSentEvent[] {
    const events: ServerSentEvent[] = []
    let start = 0
    for (let at = 0; at < text.length; at++) {
      const code = text.charCodeAt(at)
      if (code !== lineFeed && code !== carriageReturn) {
        this.#endedWithReturn = false
        continue
      }
      if (code === lineFeed && this.#endedWithReturn) {
        this.#endedWithReturn = false // of CR LF, the second half
        start = at + 1
        continue
      }
      this.#line.push(text.slice(start, at))
      start = at + 1
      this.#endedWithReturn = code === carriageReturn
      const event = this.#takeLine(this.#line.length === 1 ? (this.#line[0] ?? '') : this.#line.join(''))
      this.#line = []
      if (event !== undefined) events.push(event)
    }
    if (start < text.length) this.#line.push(text.slice(start))
    return events
  }

  #takeLine(line: string): ServerSentEvent | undefined {
    if (line === '') return this.#dispatch()
    const colon = line.indexOf(':')
    const field = colon === -1 ? line : line.slice(0, colon)
    const value = colon === -1 ? '' : line.slice(line[colon + 1] === ' ' ? colon + 2 : colon + 1)
    if (field === 'data') this.#data.push(value)
    else if (field === 'event') this.#event = value
    return undefined
  }

  #dispatch(): ServerSentEvent | undefined {
    const event = { event: this.#event, data: this.#data.join('\n') }
    const isOne = this.#data.length > 0
    this.#event = ''
    this.#data = []
    return isOne ? event : undefined
  }
}

const lineFeed = 10
const carriageReturn = 13
