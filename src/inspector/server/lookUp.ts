// What a client asks about a run beside what it follows: values, which no entry holds.
import { take } from 'rxjs'
import type { Json } from '../../plan/index.ts'
import type { RunFeed } from '../feed/runFeed.ts'
import type { ClientFrame, Problem } from '../protocol/frames.ts'

type What = Extract<ClientFrame, { readonly type: 'get' }>['what']
type Found = { readonly value: Json } | { readonly error: Problem }

/** Entries in one answer at most. */
const mostEntries = 2_000

export function lookUp(feed: RunFeed, what: What): Found {
  switch (what.kind) {
    case 'entries': {
      const read = feed.read(what.from, Math.min(mostEntries, what.to - what.from))
      return {
        value: {
          from: what.from,
          to: what.from + read.length,
          entries: read.map(({ text }) => JSON.parse(text) as Json),
        },
      }
    }
    case 'event':
      return eventOf(feed, what.n)
    case 'step':
      return stepOf(feed, what.stepId)
    case 'questions':
      return { value: feed.run.questions.map((question) => ({ ...question })) }
  }
}

function eventOf({ run, next }: RunFeed, n: number): Found {
  if (n >= next) return unknown('EVENT_UNKNOWN', `Run "${run.id}" has no event ${String(n)} yet.`)
  let found: Found | undefined
  run
    .transitions(n)
    .pipe(take(1))
    .subscribe(({ event }) => {
      found = { value: event as unknown as Json }
    })
  return found ?? unknown('EVENT_UNKNOWN', `Run "${run.id}" has no event ${String(n)}.`)
}

function stepOf({ run }: RunFeed, stepId: string): Found {
  const step = run.plan?.steps.find(({ id }) => id === stepId)
  const report = run.step(stepId)
  if (step === undefined && report === undefined)
    return unknown('STEP_UNKNOWN', `Run "${run.id}" has no step "${stepId}".`)
  const output = run.output(stepId)
  const value = { step: step ?? null, report: report ?? null, ...(output !== undefined && { output }) }
  return { value: value as unknown as Json }
}

function unknown(code: string, message: string): Found {
  return { error: { code, message } }
}
