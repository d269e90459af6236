// Laws of the steps that a model follows, whatever the model answers (X2, X3, X4, A2): random texts, calls, arguments, ends, errors.
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { z } from 'zod'
import { createRuntime, defineTool, ToolError, type Tool } from '../../src/runtime/index.ts'
import type { Model, ModelAnswer, ToolCall } from '../../src/models/model.ts'
import { planOf } from '../support/plans.ts'
import { VirtualClock } from '../support/virtualClock.ts'
import { usageOfCall } from '../support/toolCallingModel.ts'

const allowed = ['read', 'send']
const names = fc.oneof(
  { weight: 6, arbitrary: fc.constantFrom(...allowed) },
  {
    weight: 2,
    arbitrary: fc.constantFrom('hidden', 'report_surprise', 'read_more', 'ask_person', '__proto__', 'READ', 'read '),
  },
  { weight: 1, arbitrary: fc.string() },
)
const written = fc.oneof(
  { weight: 4, arbitrary: fc.record({ n: fc.nat(9) }).map((input) => JSON.stringify(input)) },
  { weight: 2, arbitrary: fc.json() },
  {
    weight: 1,
    arbitrary: fc.constantFrom(
      '',
      '{',
      '{}',
      '{"n": 1',
      '{"n": "1"}',
      '{"reason": "x"}',
      '{"of": "call-1", "from": 3}',
      '{"question": "?"}',
      '{"__proto__": {"n": 1}}',
    ),
  },
  { weight: 1, arbitrary: fc.string({ unit: 'binary' }) },
)
const calls: fc.Arbitrary<ToolCall[]> = fc.array(
  fc.record({ id: fc.constantFrom('', 'a', 'b', 'c'), name: names, arguments: written }),
  { maxLength: 5 },
)
const numbers = fc.oneof(
  { weight: 6, arbitrary: fc.nat(400) },
  { weight: 1, arbitrary: fc.constantFrom(-5, Number.NaN, Infinity) },
)
const usages = fc.record({ tokens: numbers, cost: numbers }).map((some) => ({ ...usageOfCall, ...some }))
const texts = fc.oneof(
  fc.string({ unit: 'binary' }),
  fc.json(),
  fc.constantFrom('', '{"sum": 3}', '```json\n{"sum": 3}\n```', 'So: {"sum": "x"}', '{"sum": 3} {"sum": 4}', 'null'),
)

type Turn =
  | { readonly kind: 'answer'; readonly answer: ModelAnswer; readonly pieces: readonly string[] }
  | { readonly kind: 'throw'; readonly value: unknown }
  | { readonly kind: 'odd'; readonly value: unknown }
  | { readonly kind: 'hang' }

const turns: fc.Arbitrary<Turn> = fc.oneof(
  {
    weight: 30,
    arbitrary: fc.record({
      kind: fc.constant('answer' as const),
      answer: fc.record({
        end: fc.constantFrom('stop', 'calls', 'stop', 'calls', 'stop', 'length', 'filtered', 'refused'),
        text: texts,
        calls,
        model: fc.constant('m'),
        usage: usages,
      }),
      pieces: fc.array(fc.string(), { maxLength: 3 }),
    }),
  },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant('throw' as const), value: fc.anything() }) },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant('odd' as const), value: fc.anything() }) },
  { weight: 1, arbitrary: fc.constant({ kind: 'hang' } as const) },
)

interface Reached {
  readonly tool: string
  readonly input: unknown
  readonly attempt: number
  readonly key: string
}

/** How each call of a tool comes out, by the next number. */
type Fates = readonly number[]

function fateOf(fates: Fates, nth: number): number {
  return fates[nth % Math.max(1, fates.length)] ?? 0
}

function toolsThat(fates: Fates, reached: Reached[], clock: VirtualClock): Tool[] {
  const made = (name: string, effects: 'read' | 'external'): Tool =>
    defineTool({
      name,
      description: name,
      effects,
      timeoutMs: 20,
      input: z.strictObject({ n: z.number() }),
      output: z.object({ n: z.number() }),
      run: async (input, { attempt, idempotencyKey, signal }) => {
        reached.push({ tool: name, input, attempt, key: idempotencyKey })
        const fate = fateOf(fates, reached.length)
        if (fate === 1) throw new ToolError('BROKEN', 'It broke.')
        if (fate === 2) throw new ToolError('LOST', 'Who knows.', { uncertain: true })
        if (fate === 3) return new Promise<never>(() => undefined)
        if (fate === 4) await clock.wait(5, signal)
        return { n: fate === 5 ? ('one' as never) : 1 }
      },
    })
  return [made('read', 'read'), made('send', 'external'), made('hidden', 'external')]
}

const limits = { turns: 5, tokens: 1_000, timeoutMs: 200, repairs: 2, callsAtOnce: 4 }
const expectation = { type: 'object', properties: { sum: { type: 'number' } }, required: ['sum'] } as const

describe('a step that a model follows', () => {
  it('ends within its limits, and reaches only what it may, whatever the model answers', async () => {
    const seen = { reached: 0, succeeded: 0, uncertain: 0, attempts: 0 }
    await fc.assert(
      fc.asyncProperty(
        fc.array(turns, { minLength: 1, maxLength: 12 }),
        fc.array(fc.nat(5), { maxLength: 6 }),
        fc.boolean(),
        fc.boolean(),
        async (script, fates, expects, asks) => {
          const clock = new VirtualClock()
          const reached: Reached[] = []
          const asked: { readonly attempt: number; readonly used: number }[] = []
          let turn = 0
          let used = 0
          let attempt = 0
          const model: Model = {
            name: 'any',
            complete: async ({ messages }, { onText }) => {
              const isFirst = !messages.some(({ role }) => role === 'assistant') && messages.length === 2
              if (isFirst && !(messages[1]?.text ?? '').includes('Answer again')) {
                attempt += 1
                used = 0
              }
              asked.push({ attempt, used })
              const next = script[turn++ % script.length]!
              if (next.kind === 'hang') return new Promise(() => undefined)
              if (next.kind === 'throw') throw next.value
              if (next.kind === 'odd') return next.value as never
              for (const piece of next.pieces) onText?.(piece)
              const { tokens } = next.answer.usage
              used += Number.isFinite(tokens) && tokens > 0 ? tokens : 0
              return next.answer
            },
          }
          await using runtime = createRuntime({
            tools: toolsThat(fates, reached, clock),
            clock,
            model,
            modelSteps: limits,
            uncertain: 'fail',
            ...(asks && { ask: async () => 'yes' }),
          })
          const run = runtime.start(
            planOf([
              {
                id: 'sum',
                instruction: 'Sum up.',
                tools: [...allowed],
                onFailure: 'fail',
                retry: { attempts: 2, backoffMs: 0, factor: 1, maxBackoffMs: 0, jitter: 0 },
                ...(expects && { expect: expectation }),
              },
            ]),
          )
          const outcome = await clock.until(run.result)
          const { status } = run.step('sum') ?? { status: 'none' }
          expect(['succeeded', 'failed', 'uncertain']).toContain(status)
          expect(outcome.reason).not.toBe('internal_error')
          expect(Number.isFinite(outcome.usage.tokens) && outcome.usage.tokens >= 0).toBe(true)

          // X3: within its turns and tokens, and its time (two attempts, and the calls of tools that were out at the end)
          for (const nth of new Set(asked.map((one) => one.attempt)))
            expect(asked.filter((one) => one.attempt === nth).length).toBeLessThanOrEqual(limits.turns)
          for (const one of asked) expect(one.used).toBeLessThan(limits.tokens)
          expect(clock.now()).toBeLessThanOrEqual(2 * limits.timeoutMs)
          // X2: only tools that the step names, with inputs that fit
          for (const { tool, input } of reached) {
            expect(allowed).toContain(tool)
            expect(input).toEqual({ n: expect.any(Number) })
          }
          // X4: each call once
          const keys = reached.map(({ attempt: of, key }) => `${String(of)} ${key}`)
          expect(new Set(keys).size).toBe(keys.length)
          // What must not be done twice is not, by another attempt: of a send before the last attempt it is known that it failed
          const last = Math.max(0, ...reached.map((one) => one.attempt))
          for (const [nth, one] of reached.entries())
            if (one.tool === 'send' && one.attempt < last) expect(fateOf(fates, nth + 1)).toBe(1)
          // A2: nothing of it is alive
          expect(clock.pending).toBe(0)
          seen.reached += reached.length
          seen.attempts += attempt
          if (status === 'succeeded') seen.succeeded += 1
          if (status === 'uncertain') seen.uncertain += 1
        },
      ),
      { numRuns: Number(process.env['PLANLOOM_LAW_RUNS'] ?? 300) },
    )
    // The random answers have come everywhere.
    expect(seen.reached).toBeGreaterThan(100)
    expect(seen.succeeded).toBeGreaterThan(20)
    expect(seen.uncertain).toBeGreaterThan(5)
  })
})
