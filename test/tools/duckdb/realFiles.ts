// Where the real files stand, and a look at them that owes nothing to DuckDB.
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'

export const realFolder = fileURLToPath(new URL('../../../node_modules/vega-datasets/data', import.meta.url))

export type Row = Readonly<Record<string, unknown>>

export function realJson(file: string): Row[] {
  return JSON.parse(readFileSync(join(realFolder, file), 'utf8')) as Row[]
}

/** Rows of a CSV file without quoted cells. */
export function realCsv(file: string, delimiter = ','): Record<string, string>[] {
  const [head = '', ...lines] = readFileSync(join(realFolder, file), 'utf8').trimEnd().split(/\r?\n/)
  const names = head.split(delimiter)
  return lines.map((line) => {
    const cells = line.split(delimiter)
    return Object.fromEntries(names.map((name, index) => [name, cells[index] ?? '']))
  })
}
