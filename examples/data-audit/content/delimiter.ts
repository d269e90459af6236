// Whether a text is a table of delimited cells, and what the delimiter is.

export interface Delimited {
  readonly delimiter: ',' | '\t' | ';' | '|'
  readonly cells: number
  /** Share of the lines looked at that have that many cells. */
  readonly agreement: number
}

const delimiters = [',', '\t', ';', '|'] as const

/** Lines of words or comments that may stand above a table. */
const mostAbove = 10

/** Finds the delimiter that cuts the lines into the same number of cells, two at least; lines above the table may differ.
 *
 * @param text the beginning of a file; its last line may be cut.
 * @param isPromised the name says that it is a table: one line, the header, is enough then.
 */
export function findDelimiter(text: string, isWhole: boolean, isPromised = false): Delimited | undefined {
  let best: Delimited | undefined
  for (const delimiter of delimiters) {
    const lines = fromTheTable(cellCounts(text, delimiter, isWhole))
    const cells = lines[0] ?? 0
    if (cells < 2 || lines.length < (isPromised ? 1 : 2)) continue
    const agreement = lines.filter((count) => count === cells).length / lines.length
    if (agreement < 0.8) continue
    if (best === undefined || agreement > best.agreement || (agreement === best.agreement && cells > best.cells)) {
      best = { delimiter, cells, agreement }
    }
  }
  return best
}

/** Without the lines above the table: those that are not cut at all, where three lines and more that are follow. */
function fromTheTable(lines: readonly number[]): readonly number[] {
  const start = lines.findIndex((cells) => cells > 1)
  return start > 0 && start <= mostAbove && lines.length - start >= 3 ? lines.slice(start) : lines
}

/** Cells of each line, up to 200 lines; what stands in quotes is not cut. */
function cellCounts(text: string, delimiter: string, isWhole: boolean): number[] {
  const counts: number[] = []
  let cells = 1
  let isQuoted = false
  let isEmpty = true
  for (const sign of text.replaceAll(/\r\n?/g, '\n')) {
    if (sign === '"') isQuoted = !isQuoted
    else if (isQuoted) continue
    else if (sign === delimiter) cells += 1
    else if (sign === '\n') {
      if (!isEmpty) counts.push(cells)
      if (counts.length === 200) return counts
      cells = 1
      isEmpty = true
      continue
    }
    isEmpty = false
  }
  if (isWhole && !isEmpty) counts.push(cells)
  return counts
}
