// Whether two JSON values are equal, as their canonical texts are: what they share is not looked into.
export function sameJson(a: unknown, b: unknown): boolean {
  if (a === b) return true
  if (typeof a !== 'object' || typeof b !== 'object' || a === null || b === null) return false
  if (Array.isArray(a) || Array.isArray(b)) {
    return (
      Array.isArray(a) &&
      Array.isArray(b) &&
      a.length === b.length &&
      a.every((one, at) => sameJson(one, b[at] as unknown))
    )
  }
  const [own, other] = [definedIn(a), definedIn(b)]
  return (
    own.length === other.length &&
    own.every(([key, value]) => Object.hasOwn(b, key) && sameJson(value, Reflect.get(b, key)))
  )
}

function definedIn(object: object): [string, unknown][] {
  return Object.entries(object).filter(([, value]) => value !== undefined)
}
