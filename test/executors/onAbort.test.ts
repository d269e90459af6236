import { getEventListeners } from 'node:events'
import { describe, expect, it, vi } from 'vitest'
import { onAbort } from '../../src/actors/onAbort.ts'

describe('following a signal', () => {
  it('tells all that follow, on one listener', () => {
    const run = new AbortController()
    const stops = Array.from({ length: 128 }, () => vi.fn())
    for (const stop of stops) onAbort(run.signal, stop)
    expect(getEventListeners(run.signal, 'abort')).toHaveLength(1)
    run.abort()
    for (const stop of stops) expect(stop).toHaveBeenCalledTimes(1)
  })

  it('leaves the signal alone when nobody follows any more, and can begin again', () => {
    const run = new AbortController()
    const stop = vi.fn()
    const leave = onAbort(run.signal, stop)
    leave()
    leave()
    expect(getEventListeners(run.signal, 'abort')).toHaveLength(0)
    const again = vi.fn()
    onAbort(run.signal, again)
    run.abort()
    expect([stop.mock.calls.length, again.mock.calls.length]).toEqual([0, 1])
  })
})
