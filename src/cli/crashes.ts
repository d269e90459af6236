// Errors that nobody caught: of a tool's timer, of a promise that nobody waits for, of a listener. Without anybody who
// listens for them, Node ends the process and prints the bare stack.

type Listener = (error: unknown) => void

const listeners: Listener[] = []

/** Listens until the returned function is called; of several listeners, the latest hears of an error. */
export function listenForCrashes(listener: Listener): () => void {
  // Rejections that nobody handles come here as well, as long as there is no listener of their own.
  if (listeners.push(listener) === 1) process.on('uncaughtException', tellLatest)
  return () => {
    listeners.splice(listeners.lastIndexOf(listener), 1)
    if (listeners.length === 0) process.off('uncaughtException', tellLatest)
  }
}

function tellLatest(error: unknown): void {
  listeners.at(-1)?.(error)
}
