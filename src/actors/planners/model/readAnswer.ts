// What a model answered: one of the few things that it may, or why it cannot be used.
//
// R1. An answer says one thing: where it says two, it is refused, not chosen from.
// R2. What it has besides goes on to the validator; words beside the plan, and the head that the runtime gives a plan, do not.
import type { Finding } from '../../../plan/finding.ts'
import { isJsonObject, type Json, type JsonObject } from '../../../plan/json.ts'
import type { ToolCatalogue } from '../../../plan/toolDescription.ts'
import type { ModelAnswer } from '../../../models/model.ts'
import { readObject } from '../../../models/json/jsonInText.ts'
import { mendAssumption, mendOperation, mendStep } from './mend.ts'

/** A value that a model wants to see in full. */
export interface Wanted {
  readonly step?: string
  readonly fact?: string
  readonly path: string
}

export type Reading =
  | {
      readonly type: 'plan'
      readonly steps: readonly Json[]
      readonly rest: JsonObject
    }
  | { readonly type: 'patch'; readonly patch: readonly Json[]; readonly because?: string }
  | { readonly type: 'keep'; readonly keep: string }
  | { readonly type: 'giveUp'; readonly giveUp: string }
  | { readonly type: 'ask'; readonly ask: readonly Wanted[] }
  | { readonly type: 'unreadable'; readonly finding: Finding }

type Kind = Exclude<Reading['type'], 'unreadable'>

const keyOf: Readonly<Record<Kind, string>> = {
  plan: 'steps',
  patch: 'patch',
  keep: 'keep',
  giveUp: 'giveUp',
  ask: 'ask',
}

export interface ReadingOptions {
  readonly kinds: readonly Kind[]
  readonly tools: ToolCatalogue
}

/** Reads an answer that is over. */
export function readAnswer(answer: ModelAnswer, { kinds, tools }: ReadingOptions): Reading {
  const ended = unusableEnd(answer)
  if (ended !== undefined) return ended
  const keys = kinds.map((kind) => keyOf[kind])
  const reading = readObject(answer.text, keys)
  if ('problem' in reading) return unreadable(reading.problem, formHint(keys))
  const said = kinds.filter((kind) => isSaid(reading.value[keyOf[kind]]))
  const [kind] = said
  if (said.length > 1)
    return unreadable(
      `It has ${said.map((one) => `"${keyOf[one]}"`).join(' and ')}, and may have one of them.`,
      formHint(keys),
    )
  const empty = kind ?? kinds.find((one) => Array.isArray(reading.value[keyOf[one]]))
  if (empty === undefined) return unreadable(`It has none of ${listed(keys)}.`, formHint(keys))
  return readKind(empty, reading.value, tools, formHint(keys))
}

function readKind(kind: Kind, answer: JsonObject, tools: ToolCatalogue, hint: string): Reading {
  const given = answer[keyOf[kind]]
  if (kind === 'keep' || kind === 'giveUp') {
    if (typeof given !== 'string') return unreadable(`"${keyOf[kind]}" is no text.`, hint)
    return kind === 'keep' ? { type: kind, keep: given } : { type: kind, giveUp: given }
  }
  if (!Array.isArray(given)) return unreadable(`"${keyOf[kind]}" is no list.`, hint)
  const items = given as readonly Json[]
  if (kind === 'ask') return readAsk(items, hint)
  if (kind === 'patch') {
    const { because } = answer
    return {
      type: kind,
      patch: items.map((operation) => mendOperation(operation, tools)),
      ...(typeof because === 'string' && because !== '' && { because }),
    }
  }
  return { type: kind, steps: items.map((step) => mendStep(step, tools)), rest: restOf(answer) }
}

function readAsk(items: readonly Json[], hint: string): Reading {
  const ask: Wanted[] = []
  for (const item of items) {
    if (!isJsonObject(item)) return unreadable('"ask" holds what is no object.', hint)
    const { step, fact, path } = item
    if (typeof step === 'string') ask.push({ step, path: typeof path === 'string' ? path : '' })
    else if (typeof fact === 'string') ask.push({ fact, path: typeof path === 'string' ? path : '' })
    else return unreadable('"ask" names neither a step nor a fact.', hint)
  }
  return { type: 'ask', ask }
}

const headOfPlan = new Set([
  'id',
  'goal',
  'revision',
  'parent',
  'by',
  'because',
  'steps',
  'giveUp',
  'keep',
  'ask',
  'patch',
])

/** What stands beside the steps and may mean something (R2). */
function restOf(answer: JsonObject): JsonObject {
  const rest = Object.entries(answer).filter(
    ([key, value]) => !headOfPlan.has(key) && value !== null && typeof value !== 'string',
  )
  return Object.fromEntries(
    rest.map(([key, value]) => {
      return [
        key,
        key === 'assumptions' && Array.isArray(value) ? (value as readonly Json[]).map(mendAssumption) : value,
      ]
    }),
  )
}

/** In strict mode all is written, and what does not apply is null or empty. */
function isSaid(value: Json | undefined): boolean {
  if (value === undefined || value === null || value === '') return false
  return !Array.isArray(value) || value.length > 0
}

function unusableEnd({ end, calls, usage, refusal, text }: ModelAnswer): Reading | undefined {
  switch (end) {
    case 'stop':
      return undefined
    case 'refused':
      return { type: 'giveUp', giveUp: `The model refused: ${clip(refusal ?? text)}` }
    case 'filtered':
      return unreadable('A content filter stopped it.', 'Put it in other words, without what a filter may object to.')
    case 'length': {
      const message = `The answer was cut off after ${String(usage.outputTokens)} tokens.`
      const hint = 'Write a shorter one: fewer steps, no long texts, no "why"; go over lists with "forEach".'
      return { type: 'unreadable', finding: finding('ANSWER_CUT_OFF', message, hint) }
    }
    case 'calls': {
      const names = calls.map(({ name }) => `"${clip(name, 80)}"`).join(', ')
      return unreadable(
        `It calls ${names || 'tools'} itself in place of planning.`,
        'Call nothing: the steps of the plan name the tools.',
      )
    }
  }
}

function unreadable(problem: string, hint: string): Reading {
  return { type: 'unreadable', finding: unusable(problem, hint) }
}

/** Why an answer cannot be used at all. */
export function unusable(problem: string, hint: string): Finding {
  return finding('ANSWER_UNREADABLE', `The answer cannot be used. ${problem}`, hint)
}

function finding(code: Finding['code'], message: string, hint: string): Finding {
  return { code, severity: 'error', path: '', message, hint }
}

function formHint(keys: readonly string[]): string {
  return `Answer with one JSON object that has one of ${listed(keys)}, and with nothing around it.`
}

function listed(keys: readonly string[]): string {
  return keys.map((key) => `"${key}"`).join(', ')
}

function clip(text: string, most = 500): string {
  return text.length <= most ? text : `${text.slice(0, most)}…`
}
