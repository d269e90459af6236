// Cancels that follow from one another: of a run, of its sub-runs, and of theirs. Each is heard within the one before it,
// so that a chain of them would need as much stack as runs are nested; here they are carried out one after another.

/** Makes a function that runs what it is given at once, or, when called from within such a run, right after it. */
export function createCascade(): (act: () => void) => void {
  const waiting: (() => void)[] = []
  let isRunning = false
  return (act) => {
    waiting.push(act)
    if (isRunning) return
    isRunning = true
    try {
      for (let next = waiting.shift(); next !== undefined; next = waiting.shift()) next()
    } finally {
      isRunning = false
    }
  }
}
