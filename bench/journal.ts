// What the SQLite journal costs: writing events beside one prepared INSERT per event in a grouped transaction on the same
// kind of file, bytes per step, replaying, resuming and opening.
//
//   npx tsx --expose-gc bench/journal.ts [rounds]
import { mkdtempSync, rmSync, statSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { DatabaseSync } from '@photostructure/sqlite'
import { parsePlan } from '../src/plan/parse.ts'
import { createRuntime, readRun, replayJournal, sqliteJournal, type JournalEvent } from '../src/runtime/index.ts'
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

/** A journal file that is closed is one file. @returns bytes of all of it, and of the snapshots in it */
function sizeOf(path: string): { readonly whole: number; readonly snapshots: number } {
  const database = new DatabaseSync(path, { readOnly: true })
  const { bytes } = database.prepare('SELECT COALESCE(SUM(LENGTH(body)), 0) AS bytes FROM snapshots').get() as {
    readonly bytes: number
  }
  database.close()
  return { whole: statSync(path).size, snapshots: bytes }
}

async function sizeOfEmpty(): Promise<number> {
  const path = freshFile()
  const journal = sqliteJournal(path)
  await journal.create('run').close()
  await journal.close()
  return sizeOf(path).whole
}

/** @returns ms of real time */
async function timed(work: () => unknown): Promise<number> {
  const before = process.hrtime.bigint()
  await work()
  return Number(process.hrtime.bigint() - before) / 1e6
}

async function medianTime(work: () => unknown): Promise<number> {
  const times: number[] = []
  for (let round = 0; round < rounds; round++) times.push(await timed(work))
  return median(times)
}

/** Records runs of three sizes, and tells what they cost. @returns the events of the largest */
async function tellSizes(): Promise<readonly JournalEvent[]> {
  const empty = await sizeOfEmpty()
  console.log(`An empty file has ${String(empty)} bytes. Beyond it, and µs of processor time:\n`)
  console.log(
    '| steps | bytes per step | of them snapshots | run, µs per step: memory | file | reading, µs per event | replaying, first | later |',
  )
  console.log('|---:|---:|---:|---:|---:|---:|---:|---:|')
  let largest: readonly JournalEvent[] = []
  for (const steps of [100, 1_000, 10_000]) {
    const path = freshFile()
    await record(steps, undefined)
    const inMemory = await record(steps, undefined)
    const inFile = await record(steps, path)
    const { whole, snapshots } = sizeOf(path)
    const journal = sqliteJournal(path)
    const events = [...journal.read('run')]
    const each = (ms: number): string => ((ms * 1_000) / events.length).toFixed(1)
    const first = await timed(() => replayJournal(events))
    const later = await medianTime(() => replayJournal(events))
    const reading = await medianTime(() => [...journal.read('run')])
    await journal.close()
    const sizes = `${((whole - empty) / steps).toFixed(0)} | ${(snapshots / steps).toFixed(0)}`
    const running = `${inMemory.toFixed(0)} | ${inFile.toFixed(0)}`
    console.log(`| ${String(steps)} | ${sizes} | ${running} | ${each(reading)} | ${each(first)} | ${each(later)} |`)
    largest = events
  }
  return largest
}

async function tellWriting(events: readonly JournalEvent[]): Promise<void> {
  const undecided = events.map(({ decided: _decided, ...event }) => event as JournalEvent)
  const [ours, bare, without]: [number[], number[], number[]] = [[], [], []]
  for (let round = -1; round < rounds; round++) {
    const times = [await writeOurs(events), writeBare(events), await writeOurs(undecided)] as const
    if (round < 0) continue // warm-up
    ours.push(times[0])
    bare.push(times[1])
    without.push(times[2])
  }
  const bytes = JSON.stringify(events).length - JSON.stringify(undecided).length
  console.log(`
writing ${String(events.length)} events in groups of ${String(groupSize)}: ${median(ours).toFixed(1)} µs an event, bare ${median(bare).toFixed(1)} µs, ratio ${(median(ours) / median(bare)).toFixed(2)}
without what was decided: ${median(without).toFixed(1)} µs an event; it takes ${(bytes / events.length).toFixed(0)} bytes an event`)
}

/** Going on with a run whose process ended halfway: until it is carried out again. */
async function tellResuming(events: readonly JournalEvent[]): Promise<void> {
  const times: number[] = []
  for (let round = 0; round < rounds; round++) {
    const path = freshFile()
    const journal = sqliteJournal(path)
    const writer = journal.create('run')
    for (const event of events.slice(0, events.length / 2)) writer.append(event)
    await writer.flush()
    await writer.close()
    const runtime = createRuntime({ tools: [noop], journal })
    let going: Promise<unknown> = Promise.resolve()
    times.push(await timed(async () => (going = (await runtime.resume('run')).result.catch(() => undefined))))
    await going
    await runtime.close()
  }
  console.log(`resuming a run of ${String(events.length - 1)} steps half done: ${median(times).toFixed(0)} ms`)
}

async function tellOpening(steps: number): Promise<void> {
  const path = freshFile()
  await record(steps, path)
  const times: number[] = []
  for (let round = 0; round < rounds; round++) {
    times.push(
      await timed(async () => {
        const journal = sqliteJournal(path)
        const { state, outcome } = await readRun(journal, 'run')
        if (state !== 'completed' || outcome?.reason !== 'done') throw new Error('That is not the run.')
        await journal.close()
      }),
    )
  }
  console.log(
    `opening a finished run of ${String(steps)} events: ${(times[0] ?? NaN).toFixed(0)} ms at first, ${median(times).toFixed(0)} later`,
  )
}

const events = await tellSizes()
await tellWriting(events)
await tellResuming(events)
await tellOpening(100_000)
rmSync(folder, { recursive: true })
