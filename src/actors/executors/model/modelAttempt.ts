// One attempt of a model to carry out a step: answers and calls in turn, until there is an output or a limit is reached.
//
// A1. It never rejects, and it ends as soon as a limit says so, whatever the model or a tool still does; when its signal fires, as soon
//     as a call of the model that is out has ended, which it does by the same signal.
// A2. Once it has ended, nothing more is asked and no tool is called any more.
// A3. Calls whose results no turn is left for reach no tool.
// A4. What it has used is told with its result, however it ended.
import type { StepExecute } from '../../../machines/command.messages.ts'
import type { Failure } from '../../../machines/reports.messages.ts'
import { askModel } from '../../../models/askModel.ts'
import type { ModelAnswer, ModelMessage, ModelRequest } from '../../../models/model.ts'
import type { Json } from '../../../plan/json.ts'
import { clip, failureFrom } from '../../../plan/thrownValue.ts'
import { onAbort } from '../../onAbort.ts'
import type { ExecutorContext, StepResult } from '../executor.ts'
import { AttemptBudget } from './attemptBudget.ts'
import { factsOfCalls } from './callFacts.ts'
import { names } from './builtins.ts'
import { echoOf, readModelAnswer, withOwnIds } from './modelAnswer.ts'
import { ModelCalls, type Surprise } from './modelCalls.ts'
import type { ModelMeans } from './modelMeans.ts'
import { correction, firstMessages, lastTurn } from './prompt.ts'
import { readOutput, type OutputRead } from './readOutput.ts'
import { ShownTexts } from './shownTexts.ts'
import { TextPieces } from './textPieces.ts'
import { TimeLimit } from './timeLimit.ts'
import { offerTools, type ToolOffer } from './toolOffer.ts'

type Work = StepExecute & { readonly instruction: string }
type End = { readonly output: Json; readonly surprise?: Failure } | { readonly failure: Failure }

export class ModelAttempt {
  readonly #work: Work
  readonly #context: ExecutorContext
  readonly #means: ModelMeans
  readonly #budget: AttemptBudget
  readonly #time: TimeLimit
  readonly #over = new AbortController()
  readonly #offer: ToolOffer
  readonly #calls: ModelCalls
  readonly #pieces: TextPieces
  readonly #messages: ModelMessage[]
  readonly #ids = new Set<string>()
  #repairs = 0
  /** The call of the model that is out; it never rejects. */
  #asking: Promise<unknown> | undefined

  constructor(work: Work, context: ExecutorContext, means: ModelMeans) {
    this.#work = work
    this.#context = context
    this.#means = means
    this.#budget = new AttemptBudget(means.tokens, context.budget)
    this.#time = new TimeLimit(means.timeoutMs, () => context.now(), means.timers)
    this.#offer = offerTools(work, means.tools, means.askPerson === 'offered' && context.ask !== undefined)
    const shown = new ShownTexts(means.characters)
    this.#messages = firstMessages(work, shown)
    const signal = this.#over.signal
    this.#calls = new ModelCalls({ work, context, means, offer: this.#offer, shown, time: this.#time, signal })
    this.#pieces = new TextPieces((progress) => {
      if (!signal.aborted) context.progress(progress)
    })
  }

  async run(): Promise<StepResult> {
    const { signal } = this.#context
    const unfollow = [
      onAbort(signal, () => this.#stop(signal)),
      onAbort(this.#time.signal, () => this.#stop(this.#time.signal)),
    ]
    if (signal.aborted) this.#stop(signal)
    try {
      return this.#resultOf(await Promise.race([this.#takeTurns(), whenAborted(this.#over.signal)]))
    } catch (error) {
      if (signal.aborted) await this.#asking // A4: its use is told before the outcome that may end the run
      return this.#resultOf({ failure: this.#failureOf(error) })
    } finally {
      for (const end of unfollow) end()
      this.#time.stop()
      this.#over.abort(new Error('The attempt is over.')) // A2
    }
  }

  #stop({ reason }: AbortSignal): void {
    this.#over.abort(reason)
  }

  async #takeTurns(): Promise<End> {
    const { turns } = this.#means
    for (let turn = 1; turn <= turns; turn++) {
      const end = await this.#takeTurn(turn, turn === turns)
      if (end !== undefined) return end
    }
    return { failure: this.#spent('MODEL_TURNS_SPENT', `its ${String(turns)} turns`, 'turns') }
  }

  async #takeTurn(turn: number, isLast: boolean): Promise<End | undefined> {
    this.#time.check()
    this.#over.signal.throwIfAborted() // A2
    if (this.#budget.left === 0) return { failure: this.#tokensSpent() }
    if (isLast) this.#say(lastTurn)
    this.#context.progress({ text: `asks ${this.#means.model.name} (turn ${String(turn)})` })
    const answer = await this.#ask()
    this.#over.signal.throwIfAborted()

    switch (answer.end) {
      case 'refused':
        return {
          failure: this.#failure('MODEL_REFUSED', `refused: ${answer.refusal ?? answer.text}`, refusedHint, false),
        }
      case 'filtered':
        return { failure: this.#failure('MODEL_FILTERED', 'was stopped by a content filter.', refusedHint, false) }
      case 'length':
      case 'stop':
      case 'calls':
        return answer.calls.length > 0 ? this.#carryOut(answer, isLast) : this.#takeOutput(answer, isLast)
    }
  }

  /** One call of the model. What it used is taken in also where it fails (A4). */
  async #ask(): Promise<Omit<ModelAnswer, 'model'>> {
    const { model } = this.#means
    const options = {
      signal: this.#over.signal,
      budget: this.#budget,
      onText: (piece: string) => this.#pieces.push(piece),
      now: () => this.#context.now(),
      mostTokens: this.#budget.left,
    }
    const asking = askModel(model, this.#request(), options)
    this.#asking = settled(asking)
    return readModelAnswer(await asking, model.name)
  }

  #request(): ModelRequest {
    const { expect } = this.#work
    const { maxTokens } = this.#means
    return {
      messages: [...this.#messages],
      tools: this.#offer.shown,
      ...(typeof expect === 'object' && { format: { name: 'result', schema: expect } }),
      ...(maxTokens !== undefined && { maxTokens: Math.min(maxTokens, this.#budget.left) }),
    }
  }

  async #carryOut(
    { text, calls: given }: Pick<ModelAnswer, 'text' | 'calls'>,
    isLast: boolean,
  ): Promise<End | undefined> {
    const calls = withOwnIds(isLast ? given.filter(({ name }) => name === names.surprise) : given, this.#ids) // A3
    if (calls.length === 0) return undefined
    const echo = echoOf(calls)
    this.#messages.push({ role: 'assistant', text, calls: echo })
    this.#context.progress({ text: `calls ${echo.map(({ name }) => name).join(', ')}` })
    const done = await this.#calls.carryOut(calls)
    if ('surprise' in done) return this.#surprised(done.surprise)
    if (this.#calls.effects.doubt !== undefined) return { failure: this.#calls.effects.doubt } // E2
    this.#messages.push(...done.answers)
    return undefined
  }

  #takeOutput({ text, end }: Pick<ModelAnswer, 'text' | 'end'>, isLast: boolean): End | undefined {
    const read: OutputRead = end === 'length' ? { problem: cutOff } : readOutput(text, this.#work.expect)
    const { value, problem } = read
    if (problem === undefined) return { output: value }
    if (this.#repairs < this.#means.repairs && !isLast) {
      this.#repairs += 1
      this.#messages.push({ role: 'assistant', text })
      this.#say(correction(problem))
      return undefined
    }
    // What is JSON and does not fit is for the planner to know: the step's expectation is broken.
    if (value !== undefined) return { output: value }
    const hint = 'Say in the instruction what the result looks like, or use a model that keeps to it.'
    return { failure: this.#failure('MODEL_OUTPUT_INVALID', `gave no result that can be taken: ${problem}`, hint) }
  }

  /** Some servers take no two messages of the user in a row. */
  #say(text: string): void {
    const last = this.#messages.at(-1)
    if (last?.role !== 'user') this.#messages.push({ role: 'user', text })
    else this.#messages[this.#messages.length - 1] = { role: 'user', text: `${last.text}\n\n${text}` }
  }

  #surprised({ reason, output }: Surprise): End {
    const surprise = { code: 'MODEL_SURPRISE', message: clip(reason), retryable: false }
    return { output, surprise }
  }

  #resultOf(end: End): StepResult {
    const usage = this.#usage()
    if ('failure' in end) return { failure: this.#calls.effects.judge(end.failure), ...(usage && { usage }) }
    const facts = factsOfCalls(this.#calls.facts)
    return { ...end, ...(facts.length > 0 && { facts }), ...(usage && { usage }) }
  }

  #usage(): StepResult['usage'] {
    const { tokens, cost } = this.#calls.used
    const { untold } = this.#budget
    if (untold === undefined && tokens === 0 && cost === 0) return undefined
    return { tokens: (untold?.tokens ?? 0) + tokens, cost: (untold?.cost ?? 0) + cost }
  }

  #failureOf(error: unknown): Failure {
    if (this.#time.signal.aborted && !this.#context.signal.aborted)
      return this.#spent('MODEL_TIME_SPENT', `its ${String(this.#means.timeoutMs)} ms`, 'timeoutMs')
    if (this.#budget.isShort) return this.#tokensSpent()
    return failureFrom(error, { code: 'MODEL_FAILED', who: `Model "${this.#means.model.name}"` })
  }

  #tokensSpent(): Failure {
    return this.#spent('MODEL_TOKENS_SPENT', `its ${String(this.#budget.tokens)} tokens`, 'tokens')
  }

  #spent(code: string, what: string, limit: string): Failure {
    const hint = `Ask for less in one step, or raise "${limit}" of the model's steps.`
    return this.#failure(code, `did not come to a result within ${what}.`, hint)
  }

  #failure(code: string, what: string, hint: string, retryable = true): Failure {
    const message = clip(`Model "${this.#means.model.name}" ${what}`)
    return { code, message, hint, retryable }
  }
}

const cutOff = 'The answer was cut off, since it was too long. Make it shorter.'
const refusedHint = 'Word the instruction otherwise, use another model, or have a person do the step.'

/** A model of the user's own may answer at once. */
async function settled(call: Promise<unknown>): Promise<void> {
  try {
    await call
  } catch {
    // whoever asked is told
  }
}

function whenAborted(signal: AbortSignal): Promise<never> {
  return new Promise((_, reject) => {
    const stop = (): void => {
      reject(signal.reason instanceof Error ? signal.reason : new Error(String(signal.reason)))
    }
    if (signal.aborted) stop()
    else onAbort(signal, stop)
  })
}
