// The calls of one answer: each judged in code, carried out side by side, and answered with a text for the model.
//
// C1. What is no call of an offered tool with a JSON object for arguments reaches no tool, and is answered with what is wrong.
// C2. Keys are given in the order of the calls: what a call is, and how often the same was called before.
// C3. A surprise ends the attempt: other calls of the same answer reach no tool.
import type { z } from 'zod'
import type { StepExecute } from '../../../machines/command.messages.ts'
import type { FactGiven, Failure, Usage } from '../../../machines/reports.messages.ts'
import type { ModelMessage, ToolCall } from '../../../models/model.ts'
import { hashJson } from '../../../plan/hash.ts'
import type { Json, JsonObject } from '../../../plan/json.ts'
import { readJsonValue } from '../../../plan/jsonValue.ts'
import { failureFrom } from '../../../plan/thrownValue.ts'
import type { ToolDescription } from '../../../plan/toolDescription.ts'
import type { ExecutorContext } from '../executor.ts'
import { askInput, moreInput, names, surpriseInput } from './builtins.ts'
import { EffectsDone } from './effectsDone.ts'
import type { ModelMeans } from './modelMeans.ts'
import { readArguments } from './readArguments.ts'
import type { ShownTexts } from './shownTexts.ts'
import type { TimeLimit } from './timeLimit.ts'
import type { ToolOffer } from './toolOffer.ts'

export interface Surprise {
  readonly reason: string
  readonly output: Json
}

export interface ModelCallsOptions {
  readonly work: StepExecute
  readonly context: ExecutorContext
  readonly means: ModelMeans
  readonly offer: ToolOffer
  readonly shown: ShownTexts
  readonly time: TimeLimit
  /** Fires when the attempt is over, for whatever reason. */
  readonly signal: AbortSignal
}

export class ModelCalls {
  readonly effects = new EffectsDone()
  /** What the tools gave, in the order of the calls. */
  readonly facts: (readonly FactGiven[])[] = []
  /** What the calls themselves have used. */
  readonly used = { tokens: 0, cost: 0 }
  readonly #options: ModelCallsOptions
  /** What attempts before this one have asked and been told. */
  readonly #known: ReadonlyMap<string, Json>
  readonly #times = new Map<string, number>()
  #count = 0

  constructor(options: ModelCallsOptions) {
    this.#options = options
    const asked = options.work.asked ?? []
    this.#known = new Map(asked.flatMap((one) => ('answer' in one ? [[one.text, one.answer] as const] : [])))
  }

  /** @param calls with ids of their own. */
  async carryOut(
    calls: readonly ToolCall[],
  ): Promise<{ readonly answers: ModelMessage[] } | { readonly surprise: Surprise }> {
    for (const call of calls) {
      const surprise = this.#surpriseIn(call)
      if (surprise !== undefined) return { surprise } // C3
    }
    const started = calls.map((call, nth) => Promise.resolve(this.#begin(call, nth)))
    const texts = await Promise.all(started)
    return { answers: calls.map(({ id }, nth) => ({ role: 'tool', callId: id, text: texts[nth] ?? '' })) }
  }

  #surpriseIn(call: ToolCall): Surprise | undefined {
    if (call.name !== names.surprise) return undefined
    const read = readOwn(call.arguments, surpriseInput)
    if ('problem' in read) return undefined
    const output = readJsonValue(read.input.output ?? null)
    return { reason: read.input.reason, output: 'value' in output ? output.value : null }
  }

  #begin({ name, arguments: written }: ToolCall, nth: number): string | Promise<string> {
    const { offer, means } = this.#options
    if (nth >= means.callsAtOnce)
      return `Not carried out: one answer may make ${String(means.callsAtOnce)} calls. Make it again, if you still need it.`
    if (offer.own.has(name)) return this.#beginOwn(name, written)
    const tool = offer.tools.get(name) // O2
    if (tool === undefined) {
      const there = offer.shown.map((one) => one.name).join(', ')
      return `There is no tool ${JSON.stringify(name.slice(0, 80))} here. Your tools are: ${there}.`
    }
    const read = readArguments(written)
    return 'problem' in read ? read.problem : this.#call(tool, read.input)
  }

  async #call(tool: ToolDescription, input: JsonObject): Promise<string> {
    const { means, work, context, shown, signal } = this.#options
    const label = `call-${String(++this.#count)}`
    const place = this.facts.push([]) - 1
    const idempotencyKey = this.#keyOf(tool.name, input)
    this.effects.begin(tool)
    let failure: Failure
    try {
      const use = { tool: tool.name, input, work }
      const result = await means.call(use, contextOfCall(context, tool.name, idempotencyKey, signal))
      this.#spend(result.usage)
      if ('output' in result) {
        this.effects.end(tool, undefined)
        this.facts[place] = result.facts ?? []
        return shown.show(label, textOf(result.output))
      }
      failure = result.failure
    } catch (error) {
      failure = failureFrom(error, { code: 'TOOL_FAILED', who: `Tool "${tool.name}"` })
    }
    this.effects.end(tool, failure)
    const { code, message, hint } = failure
    return `The call failed.\n${shown.show(label, `${code}: ${message}${hint === undefined ? '' : ` ${hint}`}`)}` // X5
  }

  #beginOwn(name: string, written: string): string | Promise<string> {
    if (name === names.ask) {
      const read = readOwn(written, askInput)
      return 'problem' in read ? read.problem : this.#ask(read.input.question)
    }
    if (name === names.more) {
      const read = readOwn(written, moreInput)
      if ('problem' in read) return read.problem
      const { of, from } = read.input
      return this.#options.shown.more(of, from) ?? `Nothing of the name ${JSON.stringify(of.slice(0, 80))} was cut.`
    }
    const read = readOwn(written, surpriseInput)
    return 'problem' in read ? read.problem : ''
  }

  async #ask(question: string): Promise<string> {
    const { context, time } = this.#options
    const known = this.#known.get(question)
    if (known !== undefined) return this.#saying(known) // X6
    time.pause()
    try {
      return this.#saying((await context.ask?.(question)) ?? null)
    } catch (error) {
      const { message } = failureFrom(error, { code: 'ANSWER_FAILED', who: 'Whoever was asked' })
      return `Nobody answered.\n${this.#options.shown.show(`call-${String(++this.#count)}`, message)}`
    } finally {
      time.resume()
    }
  }

  #saying(answer: Json): string {
    return `The person says:\n${this.#options.shown.show(`call-${String(++this.#count)}`, textOf(answer))}`
  }

  /** C2 */
  #keyOf(tool: string, input: JsonObject): string {
    const what = hashJson([tool, input]).slice(0, 16)
    const nth = (this.#times.get(what) ?? 0) + 1
    this.#times.set(what, nth)
    return `${this.#options.context.idempotencyKey}/${what}/${String(nth)}`
  }

  #spend(usage: Usage | undefined): void {
    this.used.tokens += usage?.tokens ?? 0
    this.used.cost += usage?.cost ?? 0
  }
}

/** What a tool says of its own progress is a sign of life, and a line of text. */
function contextOfCall(
  context: ExecutorContext,
  tool: string,
  idempotencyKey: string,
  signal: AbortSignal,
): ExecutorContext {
  const { runId, stepId, attempt, now } = context
  return {
    runId,
    stepId,
    attempt,
    idempotencyKey,
    signal,
    now,
    get budget() {
      return context.budget
    },
    progress: (said) => {
      const text = (said as { readonly text?: unknown } | null)?.text
      if (typeof text === 'string') context.progress({ text: `${tool}: ${text}` })
      else context.heartbeat()
    },
    heartbeat: () => {
      context.heartbeat()
    },
    log: (text) => {
      context.log(text)
    },
  }
}

function readOwn<T>(written: string, schema: z.ZodType<T>): { readonly input: T } | { readonly problem: string } {
  const read = readArguments(written)
  if ('problem' in read) return read
  const parsed = schema.safeParse(read.input)
  if (parsed.success) return { input: parsed.data }
  const [issue] = parsed.error.issues
  return { problem: `The arguments do not fit at "/${issue?.path.join('/') ?? ''}": ${issue?.message ?? ''}.` }
}

function textOf(value: Json): string {
  return typeof value === 'string' ? value : JSON.stringify(value)
}
