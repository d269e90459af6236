// Text cut or filled to a number of terminal columns, counted as a terminal counts them: wide characters take two.
import stringWidth from 'string-width'

const graphemes = new Intl.Segmenter(undefined, { granularity: 'grapheme' })

/** Columns that a text takes on a terminal. */
export function columnsOf(text: string): number {
  return stringWidth(text)
}

/** The text, or its beginning and `…`, in at most so many columns. Expects printable text without colours. */
export function fit(text: string, columns: number): string {
  if (columns <= 0) return ''
  if (text.length <= columns && isPlain(text)) return text
  if (columnsOf(text) <= columns) return text
  let kept = ''
  let used = 0
  for (const { segment } of graphemes.segment(text)) {
    const width = columnsOf(segment)
    if (used + width > columns - 1) break
    kept += segment
    used += width
  }
  return `${kept}…`
}

/** The text in exactly so many columns: cut, or filled up with spaces. */
export function fill(text: string, columns: number): string {
  const fitted = fit(text, columns)
  return fitted + ' '.repeat(Math.max(0, columns - columnsOf(fitted)))
}

function isPlain(text: string): boolean {
  return /^[\x20-\x7e]*$/.test(text)
}
