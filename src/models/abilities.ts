// What has been found out about a model on a server: in which of several ways it wants to be asked.
//
// A1. Found out once for each server and model, for all of this process: a refusal costs one request, and no more than one.
// A2. A way is given up only after a refusal that names what was asked for; any other error says nothing about it.
import type { FormatRung } from './json/formatLadder.ts'
import { isAboutTools, isAboutValue } from './refusals.ts'

export interface Abilities {
  rung: FormatRung
  /** Takes `stream_options`: without, it does not tell what a stream used. */
  streamOptions: boolean
  stream: boolean
  tools: boolean
  /** What the limit of an answer is called: reasoning models of OpenAI refuse the old name, and local servers the new one. */
  lengthName: 'max_tokens' | 'max_completion_tokens'
  /** Whether the name of the limit has been tried the other way. */
  lengthWasTurned: boolean
}

const known = new Map<string, Abilities>()

export function abilitiesOf(server: string, model: string): Abilities {
  const key = `${server} ${model}`
  const found = known.get(key) ?? {
    rung: 'strict',
    streamOptions: true,
    stream: true,
    tools: true,
    lengthName: server.includes('api.openai.com') ? 'max_completion_tokens' : 'max_tokens',
    lengthWasTurned: false,
  }
  known.set(key, found)
  return found
}

/** What is sent and may be refused by itself. */
export interface Asked {
  readonly hasStreamOptions: boolean
  readonly isStream: boolean
  readonly lengthName: Abilities['lengthName'] | undefined
  /** Tools to be called, and not only to take the answer. */
  readonly hasTools: boolean
}

/** Gives up what a refusal names (A2). @returns whether the request is worth another attempt */
export function learnFrom(refusal: string, asked: Asked, abilities: Abilities): boolean {
  if (asked.hasStreamOptions && /stream_options|include_usage/i.test(refusal)) {
    abilities.streamOptions = false
    return true
  }
  const namesLength = asked.lengthName !== undefined && refusal.includes(asked.lengthName) && !isAboutValue(refusal)
  if (namesLength && !abilities.lengthWasTurned) {
    abilities.lengthName = asked.lengthName === 'max_tokens' ? 'max_completion_tokens' : 'max_tokens'
    abilities.lengthWasTurned = true
    return true
  }
  if (asked.hasTools && isAboutTools(refusal)) {
    abilities.tools = false
    return true
  }
  if (asked.isStream && /\bstream(ing)?\b/i.test(refusal)) {
    abilities.stream = false
    return true
  }
  return false
}
