// Ending what a connection does when a signal fires.
import type { DuckDBConnection } from '@duckdb/node-api'

const againAfterMs = 10

/** Interrupts whatever runs on the connection from the moment the signal fires until the returned function is called.
 *
 * Once is not enough: a query clears the interrupt when it starts, which happens on another thread a little after it was
 * asked for; one that is interrupted in between would run to its end.
 */
export function interruptOnAbort(connection: Pick<DuckDBConnection, 'interrupt'>, signal: AbortSignal): () => void {
  let again: NodeJS.Timeout | undefined
  const interrupt = () => {
    connection.interrupt()
    // eslint-disable-next-line no-restricted-globals -- the query runs in real time, whatever the clock of the run says
    again = setTimeout(interrupt, againAfterMs)
  }
  if (signal.aborted) interrupt()
  else signal.addEventListener('abort', interrupt, { once: true })
  return () => {
    signal.removeEventListener('abort', interrupt)
    clearTimeout(again)
  }
}
