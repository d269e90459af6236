// The seed of all random tests. It stands still, so that a test that fails tells of what was changed and not of luck;
// PLANLOOM_SEED=random looks for faults that nobody has found yet, and PLANLOOM_SEED=<number> repeats a find.
import fc from 'fast-check'

const asked = process.env['PLANLOOM_SEED'] ?? '2102989239'

export const seed = asked === 'random' ? Date.now() % 2 ** 31 : Number(asked)
if (!Number.isSafeInteger(seed))
  throw new TypeError(`PLANLOOM_SEED is "${asked}": it takes a whole number, or "random"`)

fc.configureGlobal({ seed })
