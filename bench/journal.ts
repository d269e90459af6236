// What the SQLite journal costs: writing events beside one prepared INSERT per event in a grouped transaction on the same
// kind of file, bytes per step, and replaying.
//
//   npx tsx --expose-gc bench/journal.ts [rounds]
import { mkdtempSync, readdirSync, rmSync, statSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { DatabaseSync } from '@photostructure/sqlite'
import { parsePlan } from '../src/plan/parse.ts'
import { createRuntime, replayJournal, sqliteJournal, type JournalEvent } from '../src/runtime/index.ts'
import { median, noop, planOf } from './noops.ts'
import { shapes } from './shapes.ts'

const rounds = Number(process.argv[2] ?? 5)
const groupSize = 64
const folder = mkdtempSync(join(tmpdir(), 'planloom-bench-'))
let files = 0
const layered = shapes.find(({ name }) => name === 'layered')

function freshFile(): string {
  return join(folder, `${String(files++)}.db`)
}

/** Runs `steps` steps with the journal in a file. @returns the file and processor time in µs per step */
async function record(steps: number, path: string | undefined): Promise<number> {
  const runtime = createRuntime({ tools: [noop], ...(path !== undefined && { journal: sqliteJournal(path) }) })
  const plan = parsePlan(planOf(layered?.after(steps) ?? []))
  globalThis.gc?.()
  const before = process.cpuUsage()
  const { reason } = await runtime.start(plan, { runId: 'run' }).result
  const { user, system } = process.cpuUsage(before)
  if (reason !== 'done') throw new Error(`The run ended as ${reason}.`)
  await runtime.close()
  return (user + system) / steps
}

/** Writes the events again, as the runtime does, in groups. @returns µs per event */
async function writeOurs(events: readonly JournalEvent[]): Promise<number> {
  const journal = sqliteJournal(freshFile())
  const run = journal.create('run')
  const before = process.hrtime.bigint()
  for (let at = 0; at < events.length; at += groupSize) {
    for (const event of events.slice(at, at + groupSize)) run.append(event)
    await run.flush()
  }
  const time = Number(process.hrtime.bigint() - before) / 1_000 / events.length
  await run.close()
  await journal.close()
  return time
}

function writeBare(events: readonly JournalEvent[]): number {
  const database = new DatabaseSync(freshFile())
  database.exec('PRAGMA journal_mode = WAL; PRAGMA synchronous = NORMAL')
  database.exec('CREATE TABLE events (run INTEGER, seq INTEGER, body TEXT, PRIMARY KEY (run, seq)) WITHOUT ROWID')
  const insert = database.prepare('INSERT INTO events VALUES (?, ?, ?)')
  const before = process.hrtime.bigint()
  for (let at = 0; at < events.length; at += groupSize) {
    database.exec('BEGIN IMMEDIATE')
    for (const event of events.slice(at, at + groupSize)) insert.run(1, event.seq, JSON.stringify(event))
    database.exec('COMMIT')
  }
  const time = Number(process.hrtime.bigint() - before) / 1_000 / events.length
  database.close()
  return time
}

function bytesOf(path: string): number {
  const name = path.slice(folder.length + 1)
  return readdirSync(folder)
    .filter((file) => file.startsWith(name))
    .reduce((sum, file) => sum + statSync(join(folder, file)).size, 0)
}

console.log(
  '| steps | bytes per step | run, µs per step: memory | file | reading and replaying, µs per event |\n|---:|---:|---:|---:|---:|',
)
let events: readonly JournalEvent[] = []
for (const steps of [100, 1_000, 10_000]) {
  const path = freshFile()
  await record(steps, undefined)
  const inMemory = await record(steps, undefined)
  const inFile = await record(steps, path)
  const journal = sqliteJournal(path)
  const before = process.hrtime.bigint()
  replayJournal(journal.read('run'))
  const replayed = Number(process.hrtime.bigint() - before) / 1_000 / steps
  events = [...journal.read('run')]
  await journal.close()
  console.log(
    `| ${String(steps)} | ${(bytesOf(path) / steps).toFixed(0)} | ${inMemory.toFixed(0)} | ${inFile.toFixed(0)} | ${replayed.toFixed(1)} |`,
  )
}

const ours: number[] = []
const bare: number[] = []
for (let round = -1; round < rounds; round++) {
  const [a, b] = [await writeOurs(events), writeBare(events)]
  if (round < 0) continue // warm-up
  ours.push(a)
  bare.push(b)
}
console.log(
  `\nwriting ${String(events.length)} events in groups of ${String(groupSize)}: ${median(ours).toFixed(1)} µs an event, bare ${median(bare).toFixed(1)} µs, ratio ${(median(ours) / median(bare)).toFixed(2)}`,
)
rmSync(folder, { recursive: true })
