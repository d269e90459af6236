// From what was gathered of an answer to the answer: text, JSON, or calls, and no keys.
import type { AskedAs } from './askedAs.ts'
import { findJson } from './json/jsonInText.ts'
import type { JsonFormat, ModelAnswer, ModelUsage } from './model.ts'
import type { ModelSettings } from './modelSettings.ts'
import { recordOf, textIn, type Gathered } from './wire/gathered.ts'

interface Asked {
  readonly settings: Pick<ModelSettings, 'model' | 'keys'>
  readonly asked: AskedAs
  readonly format: JsonFormat | undefined
}

export function answerOf(gathered: Gathered, { settings, asked, format }: Asked, usage: ModelUsage): ModelAnswer {
  const answers = gathered.calls.filter(({ name }) => name === asked.answerTool)
  const calls = gathered.calls.filter(({ name }) => name !== asked.answerTool)
  const text = answers.length > 0 ? answers.map((answer) => answer.arguments).join('\n') : gathered.text
  const { refusal } = gathered
  const { keys } = settings
  const said = keys.takeOut(text)
  return {
    end: gathered.end === 'calls' && calls.length === 0 ? 'stop' : gathered.end,
    text: format === undefined ? said : jsonOf(said),
    calls: calls.map((call) => ({ ...call, arguments: keys.takeOut(call.arguments) })),
    ...(refusal !== undefined && { refusal: keys.takeOut(refusal) }),
    model: gathered.model ?? settings.model,
    usage,
  }
}

/** Some servers check what the model has written, and refuse what does not fit: it is an answer that is not sound, as any other.
 *
 * @returns what it wrote */
export function unfitAnswerIn(thrown: unknown): string | undefined {
  const { code, error } = recordOf(thrown)
  return code === 'json_validate_failed' ? textIn(recordOf(error)['failed_generation']) : undefined
}

export function unfitAnswer(text: string, { settings }: Pick<Asked, 'settings'>, usage: ModelUsage): ModelAnswer {
  return { end: 'stop', text: settings.keys.takeOut(text), calls: [], model: settings.model, usage }
}

/** Without words around it; a text in which none can be found stays as it is, for whoever reads it to say what is wrong. */
function jsonOf(text: string): string {
  const trimmed = text.trim()
  if (trimmed.startsWith('{') && trimmed.endsWith('}')) return trimmed
  try {
    return findJson(trimmed)
  } catch {
    return text
  }
}
