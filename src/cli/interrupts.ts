// Ctrl-C and its relatives: once asks for a clean end, twice ends at once.

/** Ctrl-C; what ends services, at a deploy; and the end of a terminal. */
export type Interrupt = (typeof signals)[number]

const signals = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const

export interface Interrupts {
  /** The clean way out. */
  readonly once: (signal: Interrupt) => void
  /** For those who ask again. */
  readonly twice: () => void
}

/** Listens until the returned function is called; without it the signals end the process, as they always do. */
export function listenForInterrupts({ once, twice }: Interrupts): () => void {
  let count = 0
  const interrupted = (signal: NodeJS.Signals): void => {
    if (++count === 1) once(signal as Interrupt)
    else twice()
  }
  for (const signal of signals) process.on(signal, interrupted)
  return () => {
    for (const signal of signals) process.off(signal, interrupted)
  }
}
