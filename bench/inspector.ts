// What watching a run costs: making its entries, their size, and a run that a client watches beside one that nobody does.
//
//   npx tsx --expose-gc bench/inspector.ts [rounds]
import { fork } from 'node:child_process'
import { once } from 'node:events'
import { fileURLToPath } from 'node:url'
import { WebSocket } from 'ws'
import { inspectRuntime } from '../src/inspector/index.ts'
import { RunFeed } from '../src/inspector/feed/runFeed.ts'
import { parsePlan } from '../src/plan/parse.ts'
import type { Plan } from '../src/plan/schema.ts'
import { createRuntime } from '../src/runtime/index.ts'
import { median, noop, planOf } from './noops.ts'
import { shapes } from './shapes.ts'

interface Watched {
  readonly port: number
  readonly token: string
  readonly runId: string
}

if (process.send === undefined) await measureAll(Number(process.argv[2] ?? 5))
else await watch()

/** A client in a process of its own, so that what it costs is not counted. */
async function watch(): Promise<void> {
  const [{ port, token, runId }] = (await once(process, 'message')) as [Watched]
  const socket = new WebSocket(`ws://127.0.0.1:${String(port)}/socket`, ['planloom.v1', `auth.${token}`])
  await once(socket, 'open')
  socket.send(JSON.stringify({ type: 'hello', version: 1 }))
  socket.send(JSON.stringify({ type: 'subscribe', id: 1, topic: { kind: 'run', runId }, from: 0 }))
  await new Promise<void>((settle) => {
    socket.on('message', (data) => {
      const { type } = JSON.parse((data as Buffer).toString()) as { readonly type: string }
      if (type === 'welcome') process.send?.('ready')
      if (type === 'ended') settle()
    })
  })
  socket.close()
  process.disconnect()
}

async function measureAll(rounds: number): Promise<void> {
  console.log(`medians of ${String(rounds)} rounds; µs of processor time\n`)
  console.log(
    '| layered, steps | µs an entry | bytes an entry | µs a step, unwatched | inspector, no client | one client |',
  )
  console.log('|---:|---:|---:|---:|---:|---:|')
  const layered = shapes.find(({ name }) => name === 'layered')
  for (const size of [100, 1_000, 10_000]) {
    const plan = parsePlan(planOf(layered?.after(size) ?? []))
    const made: Cost[] = []
    const alone: number[] = []
    const idle: number[] = []
    const watched: number[] = []
    for (let round = -1; round < rounds; round++) {
      const costs = [
        await entries(plan),
        await run(plan, 'nobody'),
        await run(plan, 'inspector'),
        await run(plan, 'client'),
      ] as const
      if (round < 0) continue // warm-up
      made.push(costs[0])
      alone.push(costs[1])
      idle.push(costs[2])
      watched.push(costs[3])
    }
    const [base, quiet, seen] = [median(alone), median(idle), median(watched)]
    const cells = [
      median(made.map(({ us }) => us)).toFixed(1),
      median(made.map(({ bytes }) => bytes)).toFixed(0),
      base.toFixed(0),
      (quiet / base).toFixed(2),
      (seen / base).toFixed(2),
    ]
    console.log(`| ${String(size)} | ${cells.join(' | ')} |`)
  }
}

interface Cost {
  readonly us: number
  readonly bytes: number
}

/** Entries of a run that is over, without the first ones, which hold its plan. */
async function entries(plan: Plan): Promise<Cost> {
  await using runtime = createRuntime({ tools: [noop] })
  const started = runtime.start(plan)
  await started.result
  globalThis.gc?.()
  const before = process.cpuUsage()
  const feed = new RunFeed(started)
  while (!feed.isOver) await new Promise((settle) => setImmediate(settle))
  const { user, system } = process.cpuUsage(before)
  const written = feed.read(1, Infinity)
  const bytes = written.reduce((sum, { text }) => sum + Buffer.byteLength(text), 0) / written.length
  return { us: (user + system) / feed.next, bytes }
}

/** µs of processor time per step of a run. */
async function run(plan: Plan, by: 'nobody' | 'inspector' | 'client'): Promise<number> {
  await using runtime = createRuntime({ tools: [noop] })
  await using inspector = by === 'nobody' ? undefined : await inspectRuntime(runtime)
  globalThis.gc?.()
  const before = process.cpuUsage()
  const started = runtime.start(plan)
  if (by === 'client' && inspector !== undefined) {
    started.pause()
    const client = fork(fileURLToPath(import.meta.url), { execArgv: ['--import', 'tsx'] })
    client.send({ port: inspector.port, token: inspector.token, runId: started.id } satisfies Watched)
    await once(client, 'message')
    started.resume()
    await Promise.all([started.result, once(client, 'exit')])
  } else await started.result
  const { user, system } = process.cpuUsage(before)
  return (user + system) / plan.steps.length
}
