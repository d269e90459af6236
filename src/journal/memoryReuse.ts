// What runs keep for each other, in memory.
import { defaultReuseLimits, largestShare, type Reusable, type ReuseLimits, type ReuseStore } from './reuse.ts'

interface Entry extends Reusable {
  readonly keptAt: number
  readonly bytes: number
}

export function memoryReuse(limits: ReuseLimits | undefined, now: () => number): ReuseStore {
  const { maxAgeMs, maxBytes } = { ...defaultReuseLimits, ...limits }
  const entries = new Map<string, Entry>() // in order of last use
  let bytes = 0

  function remove(name: string): void {
    bytes -= entries.get(name)?.bytes ?? 0
    entries.delete(name)
  }

  const isOld = ({ keptAt }: Entry): boolean => now() - keptAt > maxAgeMs

  return {
    find(kind, key) {
      const name = `${kind} ${key}`
      const entry = entries.get(name)
      if (entry === undefined || isOld(entry)) return undefined // U2
      entries.delete(name)
      entries.set(name, entry)
      return entry
    },
    keep(kept) {
      const name = `${kept.kind} ${kept.key}`
      remove(name)
      const size = Buffer.byteLength(JSON.stringify(kept.value))
      if (size > maxBytes * largestShare) return // U3
      entries.set(name, { ...kept, keptAt: now(), bytes: size })
      bytes += size
      for (const oldest of entries.keys()) {
        if (bytes <= maxBytes) break
        remove(oldest)
      }
    },
    forget(kind, key) {
      remove(`${kind} ${key}`)
    },
    drop(which) {
      const before = { entries: entries.size, bytes }
      for (const [name, entry] of entries) if (which === 'all' || isOld(entry)) remove(name)
      return { entries: before.entries - entries.size, bytes: before.bytes - bytes }
    },
  }
}
