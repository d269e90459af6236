// What has been read of an answer, in the words of `Model`, whichever API it came by.
import type { AnswerEnd } from '../model.ts'
import type { TokenCount } from '../usage.ts'

export interface Gathered {
  readonly end: AnswerEnd
  readonly text: string
  readonly calls: readonly GatheredCall[]
  readonly refusal: string | undefined
  readonly model: string | undefined
  readonly usage: TokenCount | undefined
}

export interface GatheredCall {
  readonly id: string
  readonly name: string
  readonly arguments: string
}

export interface Pieces {
  readonly onText: (piece: string) => void
  /** Arguments of the call with this name. */
  readonly onArguments: (name: string, piece: string) => void
}

/** Takes in an answer, event by event or whole. What it throws is `AnswerFault`. */
export interface AnswerReader {
  event(data: unknown): void
  whole(answer: unknown): void
  /** What has come so far, for the bill of an answer that breaks off. */
  readonly written: string
  /** @param isMarkedDone the server has said that this was all */
  finish(isMarkedDone: boolean): Gathered
}

/** An answer says something that is no answer. */
export class AnswerFault extends Error {
  override readonly name: string = 'AnswerFault'
}

/** The record that a value is, or an empty one: servers leave out what they like. */
export function recordOf(value: unknown): Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null ? (value as Record<string, unknown>) : {}
}

export function listOf(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? (value as readonly unknown[]) : []
}

export function textIn(value: unknown): string {
  return typeof value === 'string' ? value : ''
}

/** Arguments of a call: JSON, which some servers have parsed already. */
export function argumentsIn(value: unknown): string {
  return typeof value === 'object' && value !== null ? JSON.stringify(value) : textIn(value)
}

/** Of a text, or of a list of parts with texts, as some servers write content. */
export function contentText(value: unknown): string {
  if (typeof value === 'string') return value
  return listOf(value)
    .map((part) => (typeof part === 'string' ? part : textIn(recordOf(part)['text'])))
    .join('')
}

/** A count of tokens, where it is one. */
export function countIn(value: unknown): number | undefined {
  return typeof value === 'number' && Number.isSafeInteger(value) && value >= 0 ? value : undefined
}

/** A server reports an error in the place of an answer, or in the middle of one. */
export class ReportedFault extends AnswerFault {
  override readonly name = 'ReportedFault'
  readonly said: string
  /** As it would have been, had it not begun to answer. */
  readonly httpStatus: number | undefined

  constructor(said: string, httpStatus?: number) {
    super(`the server reports: ${said === '' ? 'it failed' : said}`)
    this.said = said
    this.httpStatus = httpStatus
  }
}

/** The error that a server reports, where it does. */
export function reportedFault(value: unknown): ReportedFault | undefined {
  const error = recordOf(value)['error']
  if (error === undefined || error === null || error === false) return undefined
  const { message, code, status } = recordOf(error)
  const said = textIn(message) || (typeof error === 'string' ? error : JSON.stringify(error))
  return new ReportedFault(said, httpStatusIn(code) ?? httpStatusIn(status))
}

function httpStatusIn(value: unknown): number | undefined {
  const status = countIn(typeof value === 'string' && /^\d{3}$/.test(value) ? Number(value) : value)
  return status !== undefined && status >= 400 && status < 600 ? status : undefined
}
