// Says how many tests passed and failed, over all the runs that vitest wrote down as JSON in a folder.
//
//   node .ci/countTests.mjs FOLDER
//
// The last line is `N passed, N failed` and nothing else, for programs to read; it needs nothing that is installed, since the
// installing may be what failed. A test file that could not be loaded counts as one failed test.
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import process from 'node:process'

const folder = process.argv[2] ?? '.'
let passed = 0
let failed = 0
let skipped = 0
for (const name of readdirSync(folder).filter((name) => name.endsWith('.json'))) {
  const run = JSON.parse(readFileSync(join(folder, name), 'utf8'))
  passed += run.numPassedTests
  failed += run.numFailedTests
  failed += run.testResults.filter((file) => file.status === 'failed' && file.assertionResults.length === 0).length
  skipped += run.numPendingTests + run.numTodoTests
}
if (skipped > 0) process.stdout.write(`${skipped} skipped\n`)
process.stdout.write(`${passed} passed, ${failed} failed\n`)
