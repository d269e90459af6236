// Plans that come step by step: passing them on and gathering them, with what the stream returns at its end.
import type { Step } from '../../plan/schema.ts'
import type { PlanAnswer, PlanDraft, Planner, PlanStream } from './planner.ts'

type Answered = ReturnType<Planner['plan']>

/** Whether an answer comes step by step; a list of steps does not, it is there at once. */
export function isStream(answered: unknown): answered is PlanStream {
  if (typeof answered !== 'object' || answered === null) return false
  return Symbol.asyncIterator in answered || (Symbol.iterator in answered && 'next' in answered)
}

/** What gives the steps of a stream, and at its end what was returned. */
export function iteratorOf(stream: PlanStream): AsyncIterator<Step, unknown> | Iterator<Step, unknown> {
  return Symbol.asyncIterator in stream ? stream[Symbol.asyncIterator]() : stream[Symbol.iterator]()
}

/** Passes a stream on as it comes, and keeps the whole at its end. What the stream returns besides its steps goes along. */
export async function* passOn(
  stream: PlanStream,
  before: Promise<void> | undefined,
  keep: (whole: PlanAnswer) => Promise<void>,
): AsyncGenerator<Step, unknown> {
  await before
  const iterator = iteratorOf(stream)
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
  const iterator = iteratorOf(answered)
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
