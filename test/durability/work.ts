// What the crash test carries out: steps that leave a line in a file outside the journal for each time they have their effect.
import { appendFileSync, existsSync, readFileSync } from 'node:fs'
import { setTimeout as wait } from 'node:timers/promises'
import { z } from 'zod'
import type { Plan } from '../../src/plan/index.ts'
import { createFixedPlanner, createRuntime, defineTool, sqliteJournal, type Runtime } from '../../src/runtime/index.ts'
import { from, planOf } from '../support/plans.ts'

/** Has its effect once for each key, however often it is called. */
const write = (effects: string) =>
  defineTool({
    name: 'write',
    description: 'Writes a line, unless it is there.',
    effects: 'write',
    idempotent: true,
    input: z.object({ n: z.number() }),
    output: z.object({ n: z.number() }),
    run: async ({ n }, { idempotencyKey: key }) => {
      await wait(3)
      const lines = existsSync(effects) ? readFileSync(effects, 'utf8').split('\n') : []
      if (!lines.includes(`write ${key}`)) appendFileSync(effects, `write ${key}\n`)
      await wait(2)
      return { n: n + 1 }
    },
  })

/** Has its effect each time it is called. */
const pay = (effects: string) =>
  defineTool({
    name: 'pay',
    description: 'Pays.',
    effects: 'external',
    input: z.object({}),
    output: z.object({}),
    run: async (_, { idempotencyKey: key }) => {
      await wait(2)
      appendFileSync(effects, `pay ${key}\n`)
      await wait(2)
      return {}
    },
  })

const chains = 3
const length = 8

/** Chains of writing, and a payment behind each; whoever is uncertain whether it was paid leaves it so. */
export const plan: Plan = planOf(
  Array.from({ length: chains }, (_, chain) => [
    ...Array.from({ length }, (_, place) => ({
      id: `w${String(chain)}.${String(place)}`,
      tool: 'write',
      input: { n: place === 0 ? 0 : from(`w${String(chain)}.${String(place - 1)}`, '/n') },
    })),
    { id: `pay${String(chain)}`, tool: 'pay', after: [`w${String(chain)}.${String(length - 1)}`] },
  ]).flat(),
  { goal: { partial: 'allow' } },
)

export function open(journal: string, effects: string): Runtime {
  return createRuntime({
    tools: [write(effects), pay(effects)],
    planner: createFixedPlanner(plan, { replan: () => ({ keep: 'leave it' }) }),
    journal: sqliteJournal(journal),
  })
}
