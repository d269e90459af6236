import { afterEach, beforeEach, expect, it, vi } from 'vitest'
import { interruptOnAbort } from '../../../src/tools/duckdb/interruptOnAbort.ts'

beforeEach(() => {
  vi.useFakeTimers()
})
afterEach(() => {
  vi.useRealTimers()
})

function watched() {
  const controller = new AbortController()
  const interrupt = vi.fn()
  return { controller, interrupt, stop: interruptOnAbort({ interrupt }, controller.signal) }
}

it('interrupts again and again from the abort on, until it is stopped', () => {
  const { controller, interrupt, stop } = watched()
  vi.advanceTimersByTime(1000)
  expect(interrupt).not.toHaveBeenCalled()
  controller.abort()
  expect(interrupt).toHaveBeenCalledOnce()
  vi.advanceTimersByTime(100)
  expect(interrupt.mock.calls.length).toBeGreaterThan(5)
  stop()
  interrupt.mockClear()
  vi.advanceTimersByTime(1000)
  expect(interrupt).not.toHaveBeenCalled()
  expect(vi.getTimerCount()).toBe(0)
})

it('does nothing when the signal fires after the stop', () => {
  const { controller, interrupt, stop } = watched()
  stop()
  controller.abort()
  vi.advanceTimersByTime(1000)
  expect(interrupt).not.toHaveBeenCalled()
})

it('interrupts at once where the signal has fired before', () => {
  const interrupt = vi.fn()
  const stop = interruptOnAbort({ interrupt }, AbortSignal.abort())
  expect(interrupt).toHaveBeenCalledOnce()
  stop()
  expect(vi.getTimerCount()).toBe(0)
})
