// Which step it comes from: of each step that did not succeed, and of the run.
import { describe, expect, it } from 'vitest'
import { createFixedPlanner, createRuntime, type ReplanAnswer } from '../../src/runtime/index.ts'
import type { Goal, Operation, Step } from '../../src/plan/schema.ts'
import { from, planOf } from '../support/plans.ts'
import { statusesOf } from '../support/runs.ts'
import { echo, fail, hang, waitTool } from '../support/tools.ts'
import { VirtualClock } from '../support/virtualClock.ts'

interface Case {
  readonly steps: readonly Step[]
  readonly answers: readonly ReplanAnswer[]
  readonly goal?: Partial<Goal>
  readonly sameFailure?: number
}

async function carryOut({ steps, answers, goal = {}, sameFailure = 3 }: Case) {
  const clock = new VirtualClock()
  let asked = 0
  const planner = createFixedPlanner(planOf(steps), {
    replan: () => answers[asked++] ?? answers.at(-1) ?? { giveUp: 'no idea' },
  })
  await using runtime = createRuntime({
    tools: [echo, fail, hang, waitTool(clock)],
    planner,
    clock,
    limits: { sameFailure, graceMs: 100 },
  })
  const run = runtime.start({ text: 'goal', ...goal })
  const outcome = await clock.until(run.result)
  const causes = Object.fromEntries([...run.ledger()].map(({ id, causedBy }) => [id, causedBy]))
  return { run, outcome, causes, statuses: statusesOf(run), asked: () => asked }
}

const patchOf = (...patch: Operation[]): ReplanAnswer => ({ patch })

describe('causedBy', () => {
  const branch: Step[] = [
    { id: 'bad', tool: 'fail' },
    { id: 'next', tool: 'echo', after: ['bad'] },
    { id: 'last', tool: 'echo', after: ['next'] },
    { id: 'good', tool: 'echo' },
  ]

  it('of steps given up with their branch is the step that failed', async () => {
    for (const id of ['bad', 'next']) {
      const { causes, statuses, outcome } = await carryOut({
        steps: branch,
        answers: [patchOf({ op: 'abandon', id, because: 'no use' })],
        goal: { partial: 'allow' },
      })
      expect(statuses).toEqual({ bad: 'failed', next: 'abandoned', last: 'abandoned', good: 'succeeded' })
      expect(causes).toEqual({ bad: undefined, next: 'bad', last: 'bad', good: undefined })
      expect(outcome).toMatchObject({ reason: 'partial', stepId: 'bad' })
    }
  })

  it('of steps given up by hand is the head of the branch', async () => {
    const clock = new VirtualClock()
    await using runtime = createRuntime({ tools: [waitTool(clock), echo], clock })
    const run = runtime.start(
      planOf([
        { id: 'slow', tool: 'wait', input: { ms: 500 } },
        { id: 'next', tool: 'echo', after: ['slow'] },
        { id: 'last', tool: 'echo', after: ['next'] },
      ]),
    )
    await clock.runUntil(100)
    run.edit([{ op: 'abandon', id: 'slow', because: 'no time' }])
    await clock.until(run.result)
    expect(statusesOf(run)).toEqual({ slow: 'abandoned', next: 'abandoned', last: 'abandoned' })
    expect(['slow', 'next', 'last'].map((id) => run.step(id)?.causedBy)).toEqual([undefined, 'slow', 'slow'])
  })

  it('of steps that a revision takes out is the step that made it necessary', async () => {
    const { causes, outcome, statuses } = await carryOut({
      steps: branch,
      answers: [
        patchOf(
          { op: 'remove', id: 'last' },
          { op: 'remove', id: 'next' },
          { op: 'insert', step: { id: 'x', tool: 'echo' } },
        ),
      ],
    })
    expect(statuses).toMatchObject({ next: 'abandoned', last: 'abandoned', x: 'succeeded' })
    expect(causes).toMatchObject({ next: 'bad', last: 'bad', x: undefined })
    expect(outcome).toMatchObject({ reason: 'done' })
    expect(outcome.counts).toEqual({ succeeded: 2, failed: 1 }) // of the last revision: those taken out are not in it
  })

  it('of cancelled steps, running or not, is the step whose failure ended the run', async () => {
    const { causes, statuses } = await carryOut({
      steps: [
        { id: 'out', tool: 'wait', input: { ms: 9000 } },
        { id: 'deaf', tool: 'hang' },
        { id: 'never', tool: 'echo', after: ['out'] },
        { id: 'soon', tool: 'wait', input: { ms: 10 } },
        { id: 'bad', tool: 'fail', onFailure: 'fail', after: ['soon'] },
      ],
      answers: [],
    })
    expect(statuses).toMatchObject({ out: 'cancelled', deaf: 'cancelled', never: 'cancelled', bad: 'failed' })
    expect(causes).toMatchObject({ out: 'bad', deaf: 'bad', never: 'bad', bad: undefined })
  })

  it('of steps behind one whose condition does not hold is that one', async () => {
    const { causes, outcome, statuses } = await carryOut({
      steps: [
        { id: 'ask', tool: 'echo', input: { yes: false } },
        { id: 'when', tool: 'echo', when: { value: from('ask', '/yes'), is: { const: true } } },
        { id: 'next', tool: 'echo', after: ['when'] },
        { id: 'last', tool: 'echo', after: ['next'] },
      ],
      answers: [],
    })
    expect(statuses).toMatchObject({ when: 'skipped', next: 'skipped', last: 'skipped' })
    expect(causes).toMatchObject({ when: undefined, next: 'when', last: 'when' })
    expect(outcome).toMatchObject({ reason: 'done' })
  })
})

describe('the outcome', () => {
  it('names the step that broke, whatever the names of those that were lost because of it', async () => {
    // Ids are looked at in the order of their hashes: among many, some come before the one that broke.
    const behind = Array.from({ length: 40 }, (_, at): Step => ({ id: `b${String(at)}`, tool: 'echo', after: ['bad'] }))
    for (const answer of [{ keep: 'fine' }, patchOf({ op: 'abandon', id: 'bad', because: 'no use' })]) {
      const { outcome } = await carryOut({ steps: [{ id: 'bad', tool: 'fail' }, ...behind], answers: [answer] })
      expect(outcome).toMatchObject({ reason: 'step_failed', stepId: 'bad', failure: { code: 'BROKEN' } })
    }
  })

  it('names the step that broke where others are given up that had nothing to do with it', async () => {
    const others = Array.from({ length: 40 }, (_, at): Step => ({
      id: `o${String(at)}`,
      tool: 'echo',
      after: ['wait'],
    }))
    const { outcome } = await carryOut({
      steps: [{ id: 'bad', tool: 'fail' }, { id: 'wait', tool: 'wait', input: { ms: 10 } }, ...others],
      answers: [
        patchOf(
          { op: 'abandon', id: 'bad', because: 'no use' },
          ...others.map(({ id }): Operation => ({ op: 'abandon', id, because: 'no use' })),
        ),
      ],
    })
    expect(outcome).toMatchObject({ reason: 'step_failed', stepId: 'bad', failure: { code: 'BROKEN' } })
  })

  it('counts a step once that succeeded and was given up afterwards', async () => {
    const { outcome } = await carryOut({
      steps: [
        { id: 'first', tool: 'echo' },
        { id: 'second', tool: 'echo' },
        { id: 'bad', tool: 'fail', after: ['first'] },
      ],
      answers: [patchOf({ op: 'abandon', id: 'first', because: 'it was no good' })],
      goal: { partial: 'allow' },
    })
    expect(outcome.message).toBe('Done in part: 1 step succeeded, 2 were lost.')
  })
})

describe('a failed step', () => {
  const behind: Step[] = [
    { id: 'bad', tool: 'fail' },
    { id: 'behind', tool: 'echo', after: ['bad'] },
  ]
  const again: Step = { id: 'bad', tool: 'fail' }

  it('that is replaced by the same again is stuck where nothing has come of anything else', async () => {
    const { outcome } = await carryOut({ steps: behind, answers: [patchOf({ op: 'replace', id: 'bad', step: again })] })
    expect(outcome).toMatchObject({ status: 'failed', reason: 'stuck' })
  })

  const late: Step = { ...again, after: ['good'] }
  it.each([
    ['replaced', [{ op: 'replace', id: 'bad', step: late }]],
    [
      'taken out and put in again',
      [
        { op: 'remove', id: 'bad' },
        { op: 'insert', step: late },
      ],
    ],
  ] satisfies [string, Operation[]][])(
    'that is %s as it was is tried again after there was progress, and the same failure again is stuck',
    async (_how, operations) => {
      const { outcome, run } = await carryOut({
        steps: [{ id: 'good', tool: 'echo' }, late],
        answers: [patchOf(...operations)],
        sameFailure: 2,
      })
      expect(outcome).toMatchObject({ status: 'failed', reason: 'stuck', cycle: ['bad', 'bad'] })
      expect(run.step('bad')).toMatchObject({ status: 'failed', attempt: 2 })
    },
  )

  it('whose likeness under another name fails in the same way is stuck', async () => {
    let round = 0
    const { outcome } = await carryOut({
      steps: [again],
      answers: Array.from({ length: 4 }, () =>
        patchOf({ op: 'insert', step: { id: `bad${String(round++)}`, tool: 'fail' } }),
      ),
    })
    expect(outcome).toMatchObject({ reason: 'stuck', cycle: ['bad', 'bad0', 'bad1'] })
  })

  it('that was taken out and comes back in a later revision runs', async () => {
    const { outcome, run } = await carryOut({
      steps: [again, { id: 'good', tool: 'echo' }],
      answers: [
        patchOf(
          { op: 'remove', id: 'bad' },
          { op: 'insert', step: { id: 'other', tool: 'fail', input: { message: 'x' } } },
        ),
        patchOf(
          { op: 'replace', id: 'other', step: { id: 'other', tool: 'echo' } },
          { op: 'insert', step: { id: 'bad', tool: 'echo', input: { n: 1 } } },
        ),
      ],
    })
    expect(outcome).toMatchObject({ reason: 'done', counts: { succeeded: 3 } })
    expect(run.output('bad')).toEqual({ n: 1 })
  })

  it.each([
    ['only changes the order', [{ op: 'reorder', ids: ['bad'] }]],
    ['adds something, and leaves waiting who needs the step', [{ op: 'insert', step: { id: 'x', tool: 'echo' } }]],
  ] satisfies [string, Operation[]][])('is lost where the patch %s', async (_what, operations) => {
    const { outcome, statuses } = await carryOut({
      steps: [...behind, { id: 'good', tool: 'echo' }],
      answers: [patchOf(...operations)],
    })
    expect(outcome).toMatchObject({ status: 'failed', reason: 'step_failed', stepId: 'bad' })
    expect(statuses['behind']).toBe('skipped')
  })

  it('is worked around where another takes its place for those that need it', async () => {
    const { outcome } = await carryOut({
      steps: behind,
      answers: [
        patchOf(
          { op: 'insert', step: { id: 'x', tool: 'echo' }, before: 'behind' },
          { op: 'rewire', id: 'behind', from: 'bad', to: 'x' },
        ),
      ],
    })
    expect(outcome).toMatchObject({ status: 'completed', reason: 'done', counts: { failed: 1, succeeded: 2 } })
  })
})
