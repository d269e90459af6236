// The diagram of the rooms (.dependency-cruiser.cjs) holds, and the check has seen every room there is:
// a check that saw no files always passes.
import { spawnSync } from 'node:child_process'
import { readdirSync } from 'node:fs'

interface Violation {
  readonly from: string
  readonly to: string
  readonly rule: { readonly name: string }
  readonly comment?: string
  readonly cycle?: readonly { readonly name: string }[]
}
interface Report {
  readonly modules: readonly { readonly source: string }[]
  readonly summary: { readonly violations: readonly Violation[] }
}

const command = ['--config', '.dependency-cruiser.cjs', '--output-type', 'json', 'src']
const { stdout, stderr } = spawnSync(
  process.execPath,
  ['node_modules/dependency-cruiser/bin/dependency-cruise.mjs', ...command],
  {
    encoding: 'utf8',
    maxBuffer: 256 * 1024 * 1024,
  },
)
if (!stdout.startsWith('{')) throw new Error(`dependency-cruiser gave no report: ${stderr}`)

const { modules, summary } = JSON.parse(stdout) as Report
const unseen = readdirSync('src', { withFileTypes: true })
  .filter((entry) => entry.isDirectory())
  .map((entry) => `src/${entry.name}/`)
  .filter((room) => !modules.some((module) => module.source.startsWith(room)))
for (const room of unseen) console.error(`not seen: ${room}`)
for (const { from, to, rule, cycle } of summary.violations) {
  const way = cycle?.length ? cycle.map((module) => module.name).join(' → ') : to
  console.error(`${rule.name}: ${from} → ${way}`)
}

const failed = modules.length === 0 || unseen.length > 0 || summary.violations.length > 0
console.log(`${modules.length} modules seen, ${summary.violations.length} violations, ${unseen.length} rooms unseen`)
process.exitCode = failed ? 1 : 0
