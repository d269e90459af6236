// The ways of getting an answer in JSON, from the strictest that a server has down to asking for it in words.
//
// L1. A refusal about the rung that was asked for goes one rung down, for this server and model from then on.
// L2. A refusal of the schema, and not of the way, goes down for this schema only.
// L3. A refusal that does not say what it is about may be about the rung: a lower one is tried, and kept to only if that was it.
import type { JsonSchema } from '../../plan/json.ts'
import { isAboutSomethingElse } from '../refusals.ts'

/** `strict`: the schema is kept to, letter by letter. `schema`: it is sent, and may be kept to. `object`: some JSON object.
 * `tool`: as the arguments of a tool that has to be called. `text`: in words. */
export type FormatRung = 'strict' | 'schema' | 'object' | 'tool' | 'text'

export const formatRungs: readonly FormatRung[] = ['strict', 'schema', 'object', 'tool', 'text']

/** The lower one. */
export function lowerOf(a: FormatRung, b: FormatRung): FormatRung {
  return formatRungs[Math.max(formatRungs.indexOf(a), formatRungs.indexOf(b))] ?? 'text'
}

/** @returns where to go on, and for what; `undefined` where the refusal is about something else */
export function rungBelow(
  rung: FormatRung,
  refusal: string,
): { readonly rung: FormatRung; readonly of: 'server' | 'schema' } | undefined {
  if (rung === 'text' || !isAboutRung(rung, refusal)) return undefined
  const below = formatRungs[formatRungs.indexOf(rung) + 1] ?? 'text'
  if ((rung === 'strict' || rung === 'schema') && blamesSchema.test(refusal)) return { rung: below, of: 'schema' } // L2
  // Who does not know of schemas does not know of loose ones either; who refuses `strict` may.
  const isOfStrict = rung === 'strict' && /\bstrict\b/i.test(refusal)
  return { rung: rung === 'strict' && !isOfStrict ? 'object' : below, of: 'server' }
}

/** L3. @returns the rung to try; `undefined` where the refusal is about something else, or there is no lower one */
export function rungToTry(rung: FormatRung, refusal: string): FormatRung | undefined {
  if (rung === 'text' || isAboutSomethingElse(refusal)) return undefined
  return rung === 'strict' || rung === 'schema' ? 'object' : 'text'
}

/** Whether a refusal names the way of a rung. */
export function isAboutRung(rung: FormatRung, refusal: string): boolean {
  return rung !== 'text' && about[rung].test(refusal)
}

const schemaWords =
  /response_format|json_schema|text\.format|structured[ _-]?outputs?|json[ _-]schema|grammar|\bstrict\b/i
const about: Readonly<Record<Exclude<FormatRung, 'text'>, RegExp>> = {
  strict: schemaWords,
  schema: schemaWords,
  object: /response_format|json_object|text\.format|json[ _-]mode/i,
  tool: /\btools?\b|tool_choice|\bfunctions?\b/i,
}
const blamesSchema = /invalid schema|schema (?:is )?(?:invalid|too|not (?:valid|allowed|permitted))/i

/** Rungs of single schemas (L2). */
export class SchemaRungs {
  readonly #rungs = new WeakMap<object, FormatRung>()

  of(schema: JsonSchema): FormatRung {
    return typeof schema === 'object' ? (this.#rungs.get(schema) ?? 'strict') : 'strict'
  }

  set(schema: JsonSchema, rung: FormatRung): void {
    if (typeof schema === 'object') this.#rungs.set(schema, rung)
  }
}
