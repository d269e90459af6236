// Lines broken between words, where a terminal would break them anywhere.
import { columnsOf } from './fit.ts'

/** The line in pieces of at most so many columns; what follows the first one stands two columns further in than that begins.
 *
 * A word that is wider than a line is left for the terminal to break. Colours may run on over the end of a piece.
 */
export function wrap(line: string, columns: number): string[] {
  if (columnsOf(line) <= columns) return [line]
  const margin = /^ */.exec(line)?.[0] ?? ''
  const pieces: string[] = []
  let piece = ''
  for (const word of line.slice(margin.length).split(' ')) {
    const longer = piece === '' ? `${margin}${pieces.length > 0 ? '  ' : ''}${word}` : `${piece} ${word}`
    if (piece !== '' && columnsOf(longer) > columns) {
      pieces.push(piece)
      piece = `${margin}  ${word}`
    } else piece = longer
  }
  return [...pieces, piece]
}
