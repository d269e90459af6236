// Objects whose fields are made when they are looked at, each once.

type Thunks<T> = { readonly [K in keyof T]: () => T[K] }

/** An object with these fields; copying it makes all of them. */
export function lazily<T extends object>(fields: Thunks<T>): T {
  const made = {}
  for (const [key, make] of Object.entries<() => unknown>(fields)) {
    Object.defineProperty(made, key, { get: once(make), enumerable: true })
  }
  return made as T
}

/** Fields that are there already. */
export function always<T extends object>(fields: T): Thunks<T> {
  return Object.fromEntries(Object.entries(fields).map(([key, value]) => [key, () => value as unknown])) as Thunks<T>
}

export function once<T>(make: () => T): () => T {
  let made: { readonly value: T } | undefined
  return () => (made ??= { value: make() }).value
}
