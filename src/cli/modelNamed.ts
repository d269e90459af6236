// The language model that a command is to use: one at an address, or what was recorded of one.
//
// M1. Address and key come from the environment (OPENAI_BASE_URL, OPENAI_API_KEY), as for all programs that use the `openai` package.
// M2. What is played from a cassette needs neither, and goes nowhere.
import { cassette, createModel, modelOnCassette, PlanloomError, type Model } from '../runtime/index.ts'

export interface ModelNamed {
  /** As its server names it. */
  readonly model?: string
  /** File with what was said to a model, and what it answered. */
  readonly cassette?: string
  /** With `cassette`: ask the server, and write the file. */
  readonly record?: boolean
}

/** @throws `MODEL_MISSING` where there is nothing to reach it by, `CASSETTE_MISSING`, `CASSETTE_DAMAGED`, `CASSETTE_NEWER`, `USAGE` */
export function modelNamed({ model, cassette: path, record = false }: ModelNamed): Model | undefined {
  if (record && path === undefined) throw new PlanloomError('USAGE', '--record needs to know where: --cassette <file>.')
  if (path !== undefined && !record) return played(path, model)
  if (model === undefined) {
    if (!record) return undefined
    throw new PlanloomError('USAGE', '--record needs a model to ask: --model <name>.')
  }
  const { OPENAI_API_KEY: key, OPENAI_BASE_URL: url } = process.env
  if (!key && !url) throw modelMissing(`Nothing says where the model "${model}" is`, '')
  return createModel({ model, ...(path !== undefined && { fetch: cassette(path, { mode: 'record' }) }) })
}

/** The address is none, and nothing is sent to it (M2). */
function played(path: string, named: string | undefined): Model {
  const model = named ?? modelOnCassette(path) ?? 'model'
  return createModel({ model, baseURL: 'http://cassette.invalid/v1', fetch: cassette(path) })
}

/** One line that says all that there is to do. */
export function modelMissing(what: string, more = ', and name it with --model'): PlanloomError {
  return new PlanloomError(
    'MODEL_MISSING',
    `${what}: set OPENAI_API_KEY, or OPENAI_BASE_URL for a server of your own${more}; or play a recording with --cassette <file>.`,
  )
}
