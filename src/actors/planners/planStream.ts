// Plans that come step by step: passing them on and gathering them, with what the stream returns at its end.
import type { Step } from '../../plan/schema.ts'
import type { PlanAnswer, PlanDraft, Planner } from './planner.ts'

type Answered = ReturnType<Planner['plan']>

export function isStream(answered: Answered): answered is AsyncIterable<Step> {
  return Symbol.asyncIterator in answered
}

/** Passes a stream on as it comes, and keeps the whole at its end. What the stream returns besides its steps goes along. */
export async function* passOn(
  stream: AsyncIterable<Step>,
  before: Promise<void> | undefined,
  keep: (whole: PlanAnswer) => Promise<void>,
): AsyncGenerator<Step, unknown> {
  await before
  const iterator: AsyncIterator<Step, unknown> = stream[Symbol.asyncIterator]()
  const steps: Step[] = []
  let isOver = false
  try {
    for (;;) {
      const next = await iterator.next()
      isOver = next.done === true
      if (next.done === true) {
        await keep({ ...restOf(next.value), steps })
        return next.value
      }
      steps.push(next.value)
      yield next.value
    }
  } finally {
    if (!isOver) await iterator.return?.()
  }
}

/** A stream as a whole answer, for where a promise has to be given. */
export async function gather(answered: Answered): Promise<PlanAnswer> {
  if (!isStream(answered)) return answered
  const iterator: AsyncIterator<Step, unknown> = answered[Symbol.asyncIterator]()
  const steps: Step[] = []
  for (;;) {
    const next = await iterator.next()
    if (next.done === true) return { ...restOf(next.value), steps }
    steps.push(next.value)
  }
}

/** What a stream may return at its end: assumptions, usage, model, or that it gives up. */
function restOf(returned: unknown): Partial<PlanDraft> {
  return typeof returned === 'object' && returned !== null ? returned : {}
}
