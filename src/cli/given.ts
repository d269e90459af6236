// Values of commands that control a run, as they are given on the command line.
import { InvalidArgumentError } from 'commander'
import type { Json } from '../plan/index.ts'
import { readDocument } from './readDocument.ts'
import { takePairs, valueOf } from './settings.ts'

/** JSON, or text where it reads as none; `@file` is what a JSON or YAML file holds (`@-`: the standard input).
 *
 * @throws as `readDocument` */
export function givenValue(text: string): Json {
  return (text.startsWith('@') ? readDocument(text.slice(1)) : valueOf(text)) as Json
}

export const takeGiven = takePairs('key=value', givenValue)

/** An amount of money. */
export function amount(text: string): number {
  const value = Number(text)
  if (text.trim() === '' || !Number.isFinite(value) || value < 0) throw new InvalidArgumentError('It is a number.')
  return value
}
