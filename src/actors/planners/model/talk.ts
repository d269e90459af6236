// One conversation with the model about one request: what it is shown, what it said, and what that has used.
//
// K1. All calls of a request go through here, so that none is forgotten in its usage, also where one throws.
// K2. Calls for one answer are bounded: one, one for each time it asks for values, and one to pick tools.
// K3. Usage is part of an answer only where no budget has told it already.
import type { PlannerContext, PlanRequest, ReplanRequest, UnsoundAnswer } from '../planner.ts'
import type { Finding } from '../../../plan/finding.ts'
import type { JsonObject } from '../../../plan/json.ts'
import type { Step } from '../../../plan/schema.ts'
import type { ToolDescription } from '../../../plan/toolDescription.ts'
import { askModel } from '../../../models/askModel.ts'
import type { ModelAnswer, ModelMessage, ModelRequest, ModelUsage } from '../../../models/model.ts'
import { addUsage, noUsage } from '../../../machines/modelUsage.messages.ts'
import { scopeOf } from './answerSchema.ts'
import { findingsInWords, valuesInWords } from './followUp.ts'
import { instructionsFor } from './instructions.ts'
import { allFit, pickRequest, readPicked, type Picked } from './pickTools.ts'
import type { Question } from './question.ts'
import type { Wanted } from './readAnswer.ts'
import type { ModelPlannerSettings } from './settings.ts'

/** What is known again when the planner is asked again within the same request. */
interface Notes {
  picked: readonly ToolDescription[] | undefined
  /** Its last answer, if that was not sound. */
  former: string | undefined
  /** What it asked for, and got. */
  readonly values: { readonly asked: string; readonly given: string }[]
}

const longestFormer = 40_000

export interface TalkOptions {
  readonly settings: ModelPlannerSettings
  /** Under which the planner's notes are kept. */
  readonly key: object
  readonly request: PlanRequest | ReplanRequest
  readonly context: PlannerContext
  readonly question: Question
}

export class Talk {
  readonly #options: TalkOptions
  readonly #notes: Notes
  #asks = 0
  #usage: ModelUsage = noUsage
  #model: string | undefined

  constructor(options: TalkOptions) {
    this.#options = options
    const { memory } = options.context
    const known = memory?.get(options.key) as Notes | undefined
    this.#notes = known ?? { picked: undefined, former: undefined, values: [] }
    memory?.set(options.key, this.#notes)
  }

  get mayAsk(): boolean {
    return this.#asks < this.#options.settings.asks
  }

  /** Which tools it is shown: all, or those that it picks. */
  async tools(): Promise<Picked> {
    const { request, settings, question } = this.#options
    if (allFit(request.tools, settings)) return request
    const used = new Set(
      'plan' in request ? request.plan.steps.flatMap(({ tool, tools }) => [tool ?? [], tools ?? []].flat()) : [],
    )
    if (this.#notes.picked === undefined) {
      const most = settings.maxToolsShown
      const answer = await this.call(pickRequest(request.tools, question.text, most, request.findings))
      const picked = readPicked(answer, request.tools, most)
      if ('finding' in picked) return picked
      this.#notes.picked = picked.tools
    }
    const shown = new Set(this.#notes.picked.map(({ name }) => name))
    return { tools: request.tools.filter(({ name }) => shown.has(name) || used.has(name)) }
  }

  /** Asks for an answer under a schema. */
  answer(
    tools: readonly ToolDescription[],
    format: { readonly name: string; readonly schema: JsonObject },
    onText?: (piece: string) => void,
    signal?: AbortSignal,
  ): Promise<ModelAnswer> {
    const { settings } = this.#options
    const request: ModelRequest = {
      messages: this.#messages(tools),
      format,
      ...(settings.maxTokens !== undefined && { maxTokens: settings.maxTokens }),
    }
    return this.call(request, onText, signal)
  }

  /** Gives it values that it asked for. */
  tell(answer: ModelAnswer, wanted: readonly Wanted[]): void {
    this.#asks += 1
    const left = this.#options.settings.asks - this.#asks
    this.#notes.values.push({ asked: answer.text, given: valuesInWords(wanted, this.#options.request, left) })
  }

  /** Remembers an answer that was not sound, and the tools that it spoke of, for the next round. */
  remember({ text }: ModelAnswer, steps: readonly Pick<Step, 'tool'>[] = []): void {
    this.#notes.former = text
    const { picked } = this.#notes
    if (picked === undefined) return
    const named = new Set(steps.map(({ tool }) => tool))
    const more = this.#options.request.tools.filter((tool) => named.has(tool.name) && !picked.includes(tool))
    this.#notes.picked = [...picked, ...more]
  }

  /** What an answer tells besides what it is about (K3). */
  get told(): { readonly usage?: ModelUsage; readonly model?: string } {
    return {
      ...(this.#options.context.budget === undefined && { usage: this.#usage }),
      ...(this.#model !== undefined && { model: this.#model }),
    }
  }

  /** Adds what somebody else has used for the same answer. */
  spend({ tokens = 0, cost = 0 }: { readonly tokens?: number; readonly cost?: number }): void {
    this.#usage = { ...this.#usage, tokens: this.#usage.tokens + tokens, cost: this.#usage.cost + cost }
  }

  /** Calls the model. @throws what it throws, with what the whole conversation has used (K1). */
  async call(request: ModelRequest, onText?: (piece: string) => void, stop?: AbortSignal): Promise<ModelAnswer> {
    const { settings, context } = this.#options
    const signal = stop ?? context.signal
    try {
      const answer = await askModel(settings.model, request, {
        signal,
        now: context.now,
        ...(onText && { onText }),
        ...(context.budget && { budget: context.budget }),
      })
      this.#usage = addUsage(this.#usage, answer.usage)
      this.#model = answer.model
      return answer
    } catch (error) {
      throw this.#withUsage(error)
    }
  }

  #withUsage(error: unknown): unknown {
    if (!(error instanceof Error) || !Object.isExtensible(error)) return error
    const own = 'usage' in error ? (error.usage as ModelUsage | undefined) : undefined
    const usage = own === undefined ? this.#usage : addUsage(this.#usage, own)
    Object.defineProperty(error, 'usage', { value: usage, enumerable: true, configurable: true, writable: true })
    return error
  }

  #messages(tools: readonly ToolDescription[]): ModelMessage[] {
    const { request, question } = this.#options
    const { former, values } = this.#notes
    const { findings, begun } = request
    const messages: ModelMessage[] = [
      { role: 'system', text: instructionsFor(scopeOf(tools, request)) },
      { role: 'user', text: question.text },
    ]
    for (const { asked, given } of values)
      messages.push({ role: 'assistant', text: asked }, { role: 'user', text: given })
    if (findings.length > 0) pushFindings(messages, former, findingsInWords(findings, begun))
    return messages
  }
}

function pushFindings(messages: ModelMessage[], former: string | undefined, text: string): void {
  if (former !== undefined && former.trim() !== '') {
    const isLong = former.length > longestFormer
    messages.push({ role: 'assistant', text: isLong ? `${former.slice(0, longestFormer)}… (shortened)` : former })
    messages.push({ role: 'user', text })
    return
  }
  const last = messages.at(-1)
  if (last?.role === 'user') messages[messages.length - 1] = { role: 'user', text: `${last.text}\n\n${text}` }
}

export function unsoundWith(findings: readonly Finding[], talk: Talk): UnsoundAnswer {
  return { unsound: findings, ...talk.told }
}
