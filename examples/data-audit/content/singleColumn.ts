// Whether a text without delimiters is a table of one column: a value in each line, and no prose.
import type { Delimited } from './delimiter.ts'

const delimiters = [',', ';', '\t', '|'] as const
const mostLines = 200
const mostLetters = 200
/** Values have few words; the lines of a letter or a manual have many. */
const mostWords = 6
const numberOrDate = /^[-+]?[\d.,]*\d(?:[eE][-+]?\d+)?\s?%?$|^\d{4}-\d{2}-\d{2}([T ][\d:.]+Z?)?$/

/** The delimiter to read a single column with, which is one that does not occur; undefined where it is none.
 *
 * @param text the beginning of a file; its last line may be cut.
 * @param isPromised the name says that it is a table; otherwise only numbers and dates are believed to be one.
 */
export function findSingleColumn(
  text: string,
  isWhole: boolean,
  isPromised: boolean,
): Delimited['delimiter'] | undefined {
  const all = text.split(/\r?\n|\r/)
  const lines = (isWhole ? all : all.slice(0, -1))
    .map((line) => line.trim())
    .filter((line) => line !== '')
    .slice(0, mostLines)
  const [first, ...rest] = lines
  if (first === undefined || first.startsWith('<')) return undefined
  const isColumn = isPromised
    ? lines.every((line) => line.length <= mostLetters) && wordsPerLine(lines) <= mostWords
    : rest.length >= 2 && rest.every((line) => numberOrDate.test(line))
  return isColumn ? delimiters.find((delimiter) => lines.every((line) => !line.includes(delimiter))) : undefined
}

function wordsPerLine(lines: readonly string[]): number {
  return lines.reduce((sum, line) => sum + line.split(/\s+/).length, 0) / lines.length
}
