// Ctrl-C and its relatives: once asks for a clean end, twice ends at once.

const signals = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const

export interface Interrupts {
  /** The clean way out. */
  readonly once: () => void
  /** For those who ask again. */
  readonly twice: () => void
}

/** Listens until the returned function is called; without it the signals end the process, as they always do. */
export function listenForInterrupts({ once, twice }: Interrupts): () => void {
  let count = 0
  const interrupted = (): void => {
    if (++count === 1) once()
    else twice()
  }
  for (const signal of signals) process.on(signal, interrupted)
  return () => {
    for (const signal of signals) process.off(signal, interrupted)
  }
}
