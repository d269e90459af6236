// How likely is it that two sets agree so well by accident? Without that, every column of small numbers "joins" every other.

/** Natural logarithm of the probability that two random subsets (of sizes `a` and `b`) of `n` things share `shared` or more.
 *
 * @returns 0 where agreement says nothing (both cover everything), far below 0 where it can hardly be an accident.
 * @see hypergeometric distribution, upper tail.
 * @example
 * // one in C(56, 6), the ways to leave six out
 * Math.round(Math.exp(-lnChance({ n: 56, a: 50, b: 50, shared: 50 }))) // 32468436
 */
export function lnChance({ n, a, b, shared }: { n: number; a: number; b: number; shared: number }): number {
  if (shared <= Math.max(0, a + b - n)) return 0
  const most = Math.min(a, b)
  const total = lnChoose(n, b)
  let sum = -Infinity
  for (let k = shared; k <= most; k++) {
    const term = lnChoose(a, k) + lnChoose(n - a, b - k) - total
    sum = sum === -Infinity ? term : Math.max(sum, term) + Math.log1p(Math.exp(-Math.abs(sum - term)))
    if (term < sum - 40) break // what follows is smaller still, and no longer counts
  }
  return Math.min(0, sum)
}

function lnChoose(n: number, k: number): number {
  return k < 0 || k > n ? -Infinity : lnFactorial(n) - lnFactorial(k) - lnFactorial(n - k)
}

const small: number[] = [0]
/** Exact to about 1e-10: summed up to 256, Stirling's series beyond. */
function lnFactorial(n: number): number {
  if (n > 256) {
    return n * Math.log(n) - n + 0.5 * Math.log(2 * Math.PI * n) + 1 / (12 * n) - 1 / (360 * n ** 3)
  }
  for (let i = small.length; i <= n; i++) small[i] = (small[i - 1] ?? 0) + Math.log(i)
  return small[n] ?? 0
}
