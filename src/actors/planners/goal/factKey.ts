// Facts as they are named in a run: `report` of the whole, `format[3]` of item 3, and, in a first plan, `format[*]` of
// whichever item of a list that is not known yet.

/** '' for the whole, an item (`3`), or `*` for each item of a list that is not known yet. */
export type Scope = string

export const everyItem: Scope = '*'

export function factKey(fact: string, scope: Scope): string {
  return scope === '' ? fact : `${fact}[${scope}]`
}

/** Takes a fact's key apart. */
export function splitFactKey(key: string): { readonly fact: string; readonly scope: Scope } {
  if (!key.endsWith(']')) return { fact: key, scope: '' }
  const match = /^(.+)\[(\d+(?:\.\d+)*|\*)\]$/.exec(key)
  return match?.[1] === undefined || match[2] === undefined
    ? { fact: key, scope: '' }
    : { fact: match[1], scope: match[2] }
}
