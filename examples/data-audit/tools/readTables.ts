// The means to read a file as tables: a strict one for each format first, then those that forgive.
import { readFile } from 'node:fs/promises'
import { ToolError, confine, defineTool, readTable, sampleTable, unreadable } from 'planloom/tools'
import { z } from 'zod'
import { fileRecognitionSchema, fileSchema, fileTablesSchema, type Audit, type FileRecognition } from '../audit.ts'
import { completeObjects } from '../content/salvage.ts'
import type { Format } from '../formats.ts'
import { writeLines } from './writeRows.ts'

/** More rows than this are sampled. */
export const mostRows = 1_000_000
const sampleRows = 200_000

const input = z.strictObject({ file: fileSchema })
const delimited = z.strictObject({ file: fileSchema, recognition: fileRecognitionSchema })
/** The delimiter comes from whoever recognised the file: guessing anew could take a broken file for one with a single column. */
const needsDelimited = { file: 'file', recognition: 'recognition' }
const output = fileTablesSchema
const gives = { tables: '' }
const isFormat = (format: Format) => ({ fact: 'format', is: { const: format } })
const isUtf8 = { fact: 'encoding', is: { const: 'utf-8' } }

export function readerTools({ db }: Audit) {
  const readCsv = defineTool({
    name: 'read_csv',
    description:
      'Reads delimited text as a table, strictly: every line has the same cells, every value the type of its column.',
    input: delimited,
    output,
    needs: needsDelimited,
    requires: [isFormat('csv'), isUtf8],
    gives,
    likelihood: 0.9,
    effects: 'read',
    run: async ({ file, recognition }, { signal }) => ({
      file: file.name,
      tables: [
        await readTable(db, {
          path: file.path,
          ...dialectOf(recognition),
          reader: 'csv',
          name: file.table,
          maxRows: mostRows,
          signal,
        }),
      ],
    }),
  })

  const readCsvLeniently = defineTool({
    name: 'read_csv_leniently',
    description:
      'Reads delimited text as a table, leaving out lines that do not fit and filling up those that are short.',
    input: delimited,
    output,
    needs: needsDelimited,
    requires: [isFormat('csv'), isUtf8],
    gives,
    cost: 3,
    likelihood: 0.95,
    effects: 'read',
    run: async ({ file, recognition }, { signal }) => ({
      file: file.name,
      tables: [
        await readTable(db, {
          path: file.path,
          ...dialectOf(recognition),
          reader: 'csv',
          name: file.table,
          lenient: true,
          maxRows: mostRows,
          signal,
        }),
      ],
    }),
  })

  const readJsonRows = defineTool({
    name: 'read_json',
    description: 'Reads a JSON array (or lines) of flat objects as a table, strictly.',
    input,
    output,
    needs: { file: 'file' },
    requires: [isFormat('json-rows'), isUtf8],
    gives,
    likelihood: 0.9,
    effects: 'read',
    run: async ({ file }, { signal }) => ({
      file: file.name,
      tables: [await readTable(db, { path: file.path, reader: 'json', name: file.table, maxRows: mostRows, signal })],
    }),
  })

  const salvageJson = defineTool({
    name: 'salvage_json',
    description: 'Reads what is left of a broken JSON array: every object in it that is complete.',
    input,
    output,
    needs: { file: 'file' },
    requires: [isFormat('json-rows'), isUtf8],
    gives,
    cost: 4,
    likelihood: 0.8,
    effects: 'write',
    idempotent: true,
    run: async ({ file }, { signal }) => {
      const path = await confine(db.roots, file.path)
      const text = await readFile(path, { encoding: 'utf8', signal }).catch((error: unknown) => {
        signal.throwIfAborted()
        throw unreadable(file.name, error)
      })
      const objects = [...completeObjects(text)]
      if (objects.length === 0)
        throw new ToolError('NOTHING_SALVAGED', `There is no complete object in "${file.name}".`, { retryable: false })
      return {
        file: file.name,
        tables: [await writeLines(db, { name: file.table, origin: file.path, lines: objects, signal })],
      }
    },
  })

  const readParquet = defineTool({
    name: 'read_parquet',
    description: `Reads a Parquet file as a table of up to ${mostRows.toLocaleString('en')} rows.`,
    input,
    output,
    needs: { file: 'file' },
    requires: [isFormat('parquet')],
    gives,
    likelihood: 0.9,
    effects: 'read',
    run: async ({ file }, { signal }) => ({
      file: file.name,
      tables: [
        await readTable(db, { path: file.path, reader: 'parquet', name: file.table, maxRows: mostRows, signal }),
      ],
    }),
  })

  const sampleParquet = defineTool({
    name: 'sample_parquet',
    description: `Reads a sample of about ${sampleRows.toLocaleString('en')} rows from a Parquet file of any size, the same rows each time.`,
    input,
    output,
    needs: { file: 'file' },
    requires: [isFormat('parquet')],
    gives,
    cost: 6,
    effects: 'write',
    idempotent: true,
    run: async ({ file }, { signal }) => {
      const whole = await readTable(db, { path: file.path, reader: 'parquet', name: file.table, signal })
      return { file: file.name, tables: [await sampleTable(db, whole, { rows: sampleRows, signal })] }
    },
  })

  return [readCsv, readCsvLeniently, readJsonRows, salvageJson, readParquet, sampleParquet]
}

function dialectOf({ delimiter, skip }: FileRecognition): { readonly delimiter?: string; readonly skip?: number } {
  return { ...(delimiter !== undefined && { delimiter }), ...(skip !== undefined && { skip }) }
}
