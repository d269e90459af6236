// A process of its own: carries the work out, from the start or from where its journal ends, until it is killed.
import { open, plan } from './work.ts'

const [journal = '', effects = '', what] = process.argv.slice(2)
const runtime = open(journal, effects)
const run = what === 'start' ? runtime.start(plan, { runId: 'run' }) : await runtime.resume('run')
run.transitions(what === 'start' ? 0 : 1).subscribe(({ n }) => process.stdout.write(`${String(n)}\n`))
const { reason } = await run.result
process.stdout.write(`over ${reason}\n`)
await runtime.close()
