import { createRuntime, type Planner } from 'planloom'
import { defineTool } from 'planloom/tools'
import { describe, expect, it } from 'vitest'
import { z } from 'zod'
import { recordPlanner } from '../../../examples/data-audit/recordPlanner.ts'
import { historyOf } from '../../../examples/data-audit/report/history.ts'

const nothing = z.object({})
const tool = (name: string, run: () => object) =>
  defineTool({ name, description: name, input: nothing, output: nothing, run: () => run() as Record<string, never> })
const works = tool('works', () => ({}))
const breaks = tool('breaks', () => {
  throw new Error('broken')
})

const planner: Planner = {
  name: 'plain',
  plan: () => ({ steps: [{ id: 'a', tool: 'breaks' }, { id: 'b', tool: 'works' }] }), // prettier-ignore
  replan: () => ({
    patch: [
      { op: 'abandon', id: 'a', because: 'it breaks' },
      { op: 'insert', step: { id: 'c', tool: 'works' } },
    ],
    because: 'c does as well',
  }),
}

describe('recordPlanner', () => {
  it('tells the revisions of a run as the run itself does', async () => {
    const recorded = recordPlanner(planner)
    await using runtime = createRuntime({ tools: [works, breaks], planner: recorded.planner })
    const run = runtime.start({ text: 'go', partial: 'allow' })
    await run.result
    const known = historyOf(run).revisions
    const told = recorded.history(run.id)?.revisions
    expect(known).toHaveLength(2)
    expect(told?.map((revision) => ({ ...revision, by: 'plain' }))).toEqual(
      known.map((revision) => ({ ...revision, by: 'plain' })),
    )
    expect(told?.[1]).toMatchObject({
      because: 'c does as well',
      inserted: ['c'],
      abandoned: [{ id: 'a', because: 'it breaks' }],
    })
    expect(recorded.history(run.id)?.steps.find(({ id }) => id === 'a')).toMatchObject({
      tool: 'breaks',
      abandoned: 'it breaks',
    })
  })

  it('knows nothing of other runs', () => {
    expect(recordPlanner(planner).history('another')).toBeUndefined()
  })
})
