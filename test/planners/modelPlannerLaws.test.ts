import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { z } from 'zod'
import { createModelPlanner, createRuntime, defineTool, type Step } from '../../src/index.ts'
import type { PlanAnswer } from '../../src/actors/planners/planner.ts'
import { gather } from '../../src/actors/planners/planStream.ts'
import type { AnswerEnd } from '../../src/models/model.ts'
import type { Plan } from '../../src/plan/schema.ts'
import { noopTools, plans } from '../arbitraries/plans.ts'
import { scriptedModel, type Said } from '../support/scriptedModel.ts'
import { contextAt, requestFor } from './requests.ts'

const pass = defineTool({
  name: 'pass',
  description: 'Passes a text on, unless it is "no".',
  input: z.object({ text: z.string() }),
  output: z.object({ text: z.string() }),
  run: ({ text }) => {
    if (text === 'no') throw new Error('no')
    return { text }
  },
})

const good = JSON.stringify({
  steps: [
    { id: 'a', tool: 'pass', input: { text: 'x' } },
    { id: 'b', tool: 'pass', input: { text: { $from: 'a', path: '/text' } } },
  ],
})
const failing = JSON.stringify({ steps: [{ id: 'a', tool: 'pass', input: { text: 'no' } }] })
const patch = JSON.stringify({
  patch: [{ op: 'replace', id: 'a', step: { id: 'a', tool: 'pass', input: { text: 'x' } } }],
})

/** A text with pieces of it cut out, doubled, or replaced. */
const damaged = fc
  .tuple(
    fc.constantFrom(good, failing, patch),
    fc.array(
      fc.record({
        at: fc.nat(),
        length: fc.nat(12),
        by: fc.constantFrom('', '"', '}', '{', '[', ',', 'null', '\\', '```', '𝄞', '\ud834'),
      }),
      { maxLength: 4 },
    ),
  )
  .map(([text, cuts]) =>
    cuts.reduce((now, { at, length, by }) => {
      const from = at % (now.length + 1)
      return now.slice(0, from) + by + now.slice(from + length)
    }, text),
  )

const texts = fc.oneof(
  fc.constantFrom(
    good,
    failing,
    patch,
    '{"keep":"fine"}',
    '{"giveUp":"no"}',
    '{"ask":[{"step":"a","path":""}]}',
    '{"steps":[]}',
  ),
  damaged,
  damaged,
  fc.json(),
  fc.string({ unit: 'binary' }),
  fc.tuple(fc.string(), damaged, fc.string()).map((parts) => parts.join('')),
)

const said: fc.Arbitrary<Said> = fc
  .record({
    text: texts,
    end: fc.constantFrom<AnswerEnd>('stop', 'stop', 'stop', 'stop', 'length', 'filtered', 'refused', 'calls'),
    sizes: fc.array(fc.integer({ min: 1, max: 9 }), { minLength: 1 }),
  })
  .map(({ text, end, sizes }) => ({ pieces: cut(text, sizes), end }))

/** A text in pieces of these sizes, counted round: also within a character. */
function cut(text: string, sizes: readonly number[]): string[] {
  const pieces: string[] = []
  for (let at = 0, index = 0; at < text.length; index++) {
    const size = sizes[index % sizes.length] ?? 1
    pieces.push(text.slice(at, at + size))
    at += size
  }
  return pieces
}

describe('whatever text a model gives', () => {
  it('ends a run in a valid plan or a clear failure, within its budget of calls', async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(said, { minLength: 1, maxLength: 12 }), async (script) => {
        const model = scriptedModel(script)
        const planner = createModelPlanner({ model, rounds: 1, asks: 1 })
        await using runtime = createRuntime({ tools: [pass], planner, limits: { replans: 3 } })
        const run = runtime.start('pass it on')
        const outcome = await run.result
        expect(['done', 'gave_up', 'invalid_plan', 'step_failed', 'stuck', 'budget_exhausted']).toContain(
          outcome.reason,
        )
        expect(outcome.message.length).toBeGreaterThan(5)
        const requests = 1 + outcome.usage.replans + 1
        expect(model.requests.length).toBeLessThanOrEqual(requests * (1 + 1) * (1 + 1))
        for (const { id, tool } of run.plan?.steps ?? []) expect([id, tool]).toEqual([expect.any(String), 'pass'])
      }),
      { numRuns: 100 },
    )
  })
})

async function answerOf(
  plan: Plan,
  pieces: readonly string[],
): Promise<{ streamed: Step[]; answer: PlanAnswer; ahead: number }> {
  const streamed: Step[] = []
  let ahead = 0
  let isOver = false
  async function* told() {
    for (const piece of pieces) {
      yield piece
      await Promise.resolve()
    }
    isOver = true
  }
  const planner = createModelPlanner(scriptedModel([{ pieces: told() }]))
  const request = requestFor({ goal: plan.goal, tools: [...noopTools.values()], executors: ['tool', 'person'] })
  async function* watched() {
    const iterator = (planner.plan(request, contextAt(0)) as AsyncGenerator<Step, unknown>)[Symbol.asyncIterator]()
    for (;;) {
      const next = await iterator.next()
      if (next.done === true) return next.value
      streamed.push(next.value)
      if (!isOver) ahead += 1
      yield next.value
    }
  }
  return { answer: await gather(watched()), streamed, ahead }
}

/** In the order in which a model is told to write: each after those that it depends on. */
function inOrder(plan: Plan): Plan {
  return { ...plan, steps: [...plan.steps].sort((a, b) => Number(a.id.slice(1)) - Number(b.id.slice(1))) }
}

describe('a correct plan', () => {
  const written = fc.record({
    plan: plans({ minSteps: 1 }),
    sorted: fc.boolean(),
    indent: fc.constantFrom(0, 2),
    nulls: fc.boolean(),
    sizes: fc.array(fc.integer({ min: 1, max: 40 }), { minLength: 1 }),
    around: fc.constantFrom(['', ''], ['```json\n', '\n```'], ['Here it is:\n', '\nDone.'], ['\n\n', '\n']),
  })

  it('is taken as it is, however it is written and however it comes', async () => {
    await fc.assert(
      fc.asyncProperty(written, async ({ plan: drawn, sorted, indent, nulls, sizes, around }) => {
        const plan = sorted ? inOrder(drawn) : drawn
        const { steps, assumptions } = plan
        const absent = { title: null, after: null, when: null, forEach: null, expect: null, why: null, approval: null }
        const value = {
          ...(nulls && { giveUp: null, ask: [] }),
          steps: nulls ? steps.map((step) => ({ ...absent, ...step })) : steps,
          assumptions,
        }
        const text = JSON.stringify(value, undefined, indent)
        const { answer, streamed, ahead } = await answerOf(
          plan,
          cut(`${around[0] ?? ''}${text}${around[1] ?? ''}`, sizes),
        )
        expect(answer).toMatchObject({ steps, model: 'scripted-1' })
        expect('assumptions' in answer ? answer.assumptions : []).toEqual(assumptions)
        expect(streamed).toEqual(steps)
        const beginsAsJson = around[0] !== 'Here it is:\n'
        if (sorted && beginsAsJson) expect(ahead).toBeGreaterThanOrEqual(steps.length - 1)
      }),
      { numRuns: 100 },
    )
  })
})
