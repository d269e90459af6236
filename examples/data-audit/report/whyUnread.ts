// Why a file could not be read, in words for whoever put it there: what it is, what was tried, and how that failed.
//
// W1. What a planner says when it gives something up is about facts and tools, and stays in the history of the plan.
import type { FileRecognition } from '../audit.ts'
import { formatNames } from '../formats.ts'
import type { History, StepRecord } from './history.ts'

export function whyUnread(
  history: History | undefined,
  number: number,
  recognition: FileRecognition | undefined,
): string {
  const tried = (history?.steps ?? []).filter(({ item, failure }) => item === number && failure !== undefined)
  const failures = [...new Map(tried.map((step) => [step.failure?.message, step])).values()]
  const [only] = failures
  if (only?.failure === undefined)
    return recognition === undefined ? 'It could not be looked at.' : whatItIs(recognition)
  if (failures.length === 1) return inWords(only.failure)
  return failures.map(({ tool, failure }) => `${tool ?? 'a step'}: ${failure?.message ?? ''}`).join(' Then ')
}

function whatItIs({ format, because }: FileRecognition): string {
  if (format === 'empty')
    return because.startsWith('no bytes') ? 'The file is empty.' : 'The file holds nothing but blanks.'
  if (format === 'text') return `Recognised as plain text: not a table (${because}).`
  if (format !== 'unknown') return `Recognised as ${formatNames[format]}, but the run ended before it was read.`
  const [, kind] = /first bytes of: (.*)$/.exec(because) ?? []
  if (kind === undefined) return `Not recognised: ${because}.`
  return `Recognised by its first bytes as ${kind}: that is not read here.`
}

export function inWords({ message, hint }: NonNullable<StepRecord['failure']>): string {
  return hint === undefined ? message : `${message} ${hint}`
}
