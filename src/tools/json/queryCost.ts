// How long a JSONPath query may take at most, told from its text before it runs: a query runs in one go and cannot be stopped.
//
// Q1. Each `..`, and each `$` inside a filter, may look through all values once more for each value found so far: a factor n.
// Q2. Several selectors in one pair of brackets may give each value that often: a factor of their number.

/** Counts the steps that a query may take for a value of `size` values: never fewer than it really takes, up to a constant.
 *
 * @example
 * queryCost('$.rows[*].id', 1000) // 1000
 * queryCost('$..a..b', 1000) // 1000000
 * queryCost("$['a','b','c'][0,1]", 10) // 60
 */
export function queryCost(query: string, size: number): number {
  const bare = query.replace(/'(?:[^'\\]|\\.)*'|"(?:[^"\\]|\\.)*"/gs, '')
  const descents = bare.split('..').length - 1
  const inner = Math.max(0, bare.split('$').length - 2)
  return size ** Math.max(1, descents + inner) * selectors(bare) // Q1, Q2
}

function selectors(bare: string): number {
  let product = 1
  const open: number[] = []
  for (const letter of bare) {
    if (letter === '[' || letter === '(') open.push(1)
    else if (letter === ',') open.push((open.pop() ?? 1) + 1)
    else if (letter === ']' || letter === ')') product *= open.pop() ?? 1
  }
  return product
}
