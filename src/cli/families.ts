// Long lists about the items of lists: what is said alike of many of them is said once.

/** What is said of a step or fact. */
export interface Said {
  /** As `read[3]` for what belongs to an item; such form families. */
  readonly id: string
  /** Lines of a family that are of one kind say much the same. */
  readonly kind: string
  readonly line: string
  /** Lines that belong to it. */
  readonly below?: readonly string[] | undefined
}

/** As many of a family are told one by one. */
const mostTold = 2

/** Families in the order in which they come up; of each only the first few, and how many more there are. */
export function foldFamilies(all: readonly Said[]): readonly string[] {
  const families = new Map<string, Said[]>()
  for (const said of all) {
    const family = familyOf(said)
    const known = families.get(family)
    if (known) known.push(said)
    else families.set(family, [said])
  }
  return [...families.values()].flatMap((family) => {
    const more = family.length - mostTold
    if (more < 2) return family.flatMap(linesOf)
    return [...family.slice(0, mostTold).flatMap(linesOf), `  … and ${more} more of ${nameOf(family[0]?.id ?? '')}`]
  })
}

function linesOf({ line, below = [] }: Said): readonly string[] {
  return [line, ...below.map((one) => `    ${one}`)]
}

function familyOf({ id, kind }: Said): string {
  return `${nameOf(id)} ${kind}`
}

function nameOf(id: string): string {
  return id.replaceAll(/\[[^\]]*\]/g, '[…]')
}
