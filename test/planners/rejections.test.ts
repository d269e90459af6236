// What the goal planner does when a person rejects its amendment: whole runs, with approval required.
import { describe, expect, it } from 'vitest'
import { z } from 'zod'
import { createRuntime, defineTool, type Run, type Tool } from '../../src/runtime/index.ts'
import type { Goal } from '../../src/plan/schema.ts'
import { settlePromises } from '../support/virtualClock.ts'

interface Giving {
  readonly cost: number
  readonly isDown?: boolean
}

/** A tool that gives a page, and says which one it is. */
function giving(name: string, { cost, isDown = false }: Giving) {
  return defineTool({
    name,
    description: `Gives a page: ${name}.`,
    input: z.object({}),
    output: z.object({ page: z.string() }),
    gives: { page: '/page' },
    cost,
    run: () => {
      if (isDown) throw new Error(`${name} is down`)
      return { page: name }
    },
  })
}

const parse = defineTool({
  name: 'parse',
  description: 'Takes the text out of a page.',
  input: z.object({ page: z.string() }),
  output: z.object({ text: z.string() }),
  needs: { page: 'page' },
  gives: { text: '/text' },
  run: ({ page }) => ({ text: `text by ${page}` }),
})
const fetch = giving('fetch', { cost: 1, isDown: true })
const text: Goal = { text: 'go', want: [{ fact: 'text' }] }

/** Approves the plan and rejects the first amendments; `seen` gets what each revision would have added. */
async function runRejecting(tools: readonly Tool[], reasons: readonly string[], goal: Goal = text) {
  await using runtime = createRuntime({ tools, approval: 'required' })
  const run = runtime.start(goal)
  await settlePromises()
  run.approve()
  await settlePromises()
  for (const because of reasons) {
    expect(run.state).toBe('approving')
    run.reject(because)
    await settlePromises()
  }
  if (run.state === 'approving') run.approve()
  return { outcome: await run.result, run }
}

function idsOf(run: Run): readonly string[] {
  return run.plan?.steps.map(({ id }) => id) ?? []
}

describe('a rejected amendment', () => {
  it('is not proposed again: the next cheapest is', async () => {
    const tools = [fetch, giving('mirror', { cost: 2 }), giving('archive', { cost: 3 }), parse]
    const { outcome, run } = await runRejecting(tools, ['not the mirror'])
    expect(outcome).toMatchObject({ reason: 'done' })
    expect(idsOf(run)).toEqual(['fetch', 'archive', 'parse'])
    expect(run.fact('text')?.value).toBe('text by archive')
    expect(run.revisions[1]?.because.text).toContain('not the mirror')
  })

  it('is not proposed again after a second one has been rejected, either', async () => {
    const tools = ['mirror', 'archive', 'paper', 'memory'].map((name, at) => giving(name, { cost: at + 2 }))
    const { run } = await runRejecting([fetch, ...tools, parse], ['not the mirror', 'too old'])
    expect(idsOf(run)).toEqual(['fetch', 'paper', 'parse'])
  })

  it('ends the run, with the reason of the person, where there is no other', async () => {
    const { outcome, run } = await runRejecting([fetch, giving('mirror', { cost: 2 }), parse], ['not the mirror'])
    expect(outcome).toMatchObject({ status: 'failed', reason: 'gave_up' })
    expect(outcome.message).toContain('no other way than what was rejected: not the mirror')
    expect(outcome.message).toContain('fetch is down')
    expect(run.revisions).toHaveLength(1)
  })

  it('leaves the plan without it where partial results are allowed', async () => {
    const other = defineTool({
      name: 'count',
      description: 'Counts.',
      input: z.object({}),
      output: z.object({ count: z.number() }),
      gives: { count: '/count' },
      run: () => ({ count: 3 }),
    })
    const goal: Goal = { text: 'go', want: [{ fact: 'text' }, { fact: 'count' }], partial: 'allow' }
    const { outcome, run } = await runRejecting([fetch, giving('mirror', { cost: 2 }), parse, other], ['no'], goal)
    expect(outcome.status).toBe('completed')
    expect(run.fact('count')?.value).toBe(3)
    expect(run.fact('text')).toBeUndefined()
  })

  it('may come again in part: one of its steps is done without', async () => {
    const download = defineTool({
      name: 'download',
      description: 'Gets an archive.',
      input: z.object({}),
      output: z.object({ zip: z.string() }),
      gives: { zip: '/zip' },
      run: () => ({ zip: 'zip' }),
    })
    const unpacking = (name: string, cost: number) =>
      defineTool({
        name,
        description: `Unpacks: ${name}.`,
        input: z.object({ zip: z.string() }),
        output: z.object({ page: z.string() }),
        needs: { zip: 'zip' },
        gives: { page: '/page' },
        cost,
        run: ({ zip }) => ({ page: `${name} of ${zip}` }),
      })
    const tools = [
      fetch,
      download,
      unpacking('unzip', 2),
      unpacking('explode', 4),
      giving('archive', { cost: 9 }),
      parse,
    ]
    const { run } = await runRejecting(tools, ['unzip is not to be trusted'])
    expect(idsOf(run)).toEqual(['fetch', 'download', 'explode', 'parse'])
  })
})
