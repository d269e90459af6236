// What a program in JavaScript may hand over by mistake is told in words, whichever door it comes to.
import { describe, expect, it } from 'vitest'
import {
  createCachedPlanner,
  createFixedPlanner,
  importJournal,
  replayJournal,
  type Planner,
} from '../../src/runtime/index.ts'
import { definePlan } from '../../src/plan/index.ts'

const nonsense = [undefined, null, 5, 'text', [], {}, () => undefined]

describe.each([
  ['createFixedPlanner', (given: unknown) => createFixedPlanner(given as never), 'OPTIONS_INVALID'],
  ['createCachedPlanner', (given: unknown) => createCachedPlanner(given as Planner), 'OPTIONS_INVALID'],
  ['importJournal', (given: unknown) => importJournal(given as string), 'JOURNAL_FORMAT'],
  ['replayJournal', (given: unknown) => replayJournal(given as never), 'JOURNAL_BROKEN'],
  ['definePlan', (given: unknown) => definePlan(given as never), 'PLAN_INVALID'],
])('%s', (_, door, code) => {
  it.each(nonsense.map((given) => [given]))('refuses %s in words', (given) => {
    expect(() => door(given)).toThrow(expect.objectContaining({ code }))
  })
})
