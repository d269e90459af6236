// Means for what is no table as it stands: nested JSON, grids, maps, and text in another encoding.
import { open, readFile, stat } from 'node:fs/promises'
import { ToolError, confine, defineTool, unreadable, workPath } from 'planloom/tools'
import { z } from 'zod'
import { fileSchema, fileTablesSchema, type Audit, type AuditFile } from '../audit.ts'
import { flatten, unrollGrid, type FlatTable } from '../content/flatten.ts'
import { tableOfFeatures, tablesOfTopology } from '../content/geometry.ts'
import { encodingSchema, type Format } from '../formats.ts'
import { writeTables } from './writeRows.ts'

/** JSON that has to be reshaped is read whole; more than this would not fit. */
const mostBytes = 64 * 1024 * 1024

const input = z.strictObject({ file: fileSchema })
const output = fileTablesSchema

export function reshapeTools(audit: Audit) {
  const reshape = (
    name: string,
    description: string,
    format: Format,
    cost: number,
    reshaped: (value: never, table: string) => FlatTable[],
  ) =>
    defineTool({
      name,
      description,
      input,
      output,
      needs: { file: 'file' },
      requires: [
        { fact: 'format', is: { const: format } },
        { fact: 'encoding', is: { const: 'utf-8' } },
      ],
      gives: { tables: '' },
      cost,
      likelihood: 0.95,
      effects: 'write',
      idempotent: true,
      run: async ({ file }, { signal }) => {
        const value = await readJson(audit, file, signal)
        const tables = tryReshape(file, () => reshaped(value as never, file.table))
        return { file: file.name, tables: await writeTables(audit.db, file.path, tables, signal) }
      },
    })

  return [
    reshape(
      'flatten_json',
      'Makes tables of nested JSON: objects become dotted columns, arrays of objects tables of their own.',
      'json-nested',
      3,
      flatten,
    ),
    reshape(
      'unroll_grid',
      'Makes a table of a grid of numbers: one row for each cell.',
      'json-grid',
      3,
      (grid, table) => [unrollGrid(grid, table)],
    ),
    reshape(
      'read_topology',
      'Makes a table of each object of a TopoJSON map: one row for each shape, with its properties and its place.',
      'topojson',
      4,
      tablesOfTopology,
    ),
    reshape(
      'read_features',
      'Makes a table of a GeoJSON file: one row for each feature, with its properties and its place.',
      'geojson',
      3,
      (features, table) => [tableOfFeatures(features, table)],
    ),
    transcodeTool(audit),
  ]
}

function transcodeTool({ db }: Audit) {
  return defineTool({
    name: 'transcode',
    description: 'Makes a copy of a text in UTF-8.',
    input: z.strictObject({ file: fileSchema, encoding: encodingSchema }),
    output: z.strictObject({ file: fileSchema, encoding: encodingSchema }),
    needs: {
      file: 'file',
      encoding: { fact: 'encoding', is: { enum: ['latin-1', 'utf-8-bom', 'utf-16le', 'utf-16be'] } },
    },
    gives: { file: '/file', encoding: { from: '/encoding', is: { const: 'utf-8' } } },
    cost: 2,
    effects: 'write',
    idempotent: true,
    run: async ({ file, encoding }, { signal }) => {
      const from = await confine(db.roots, file.path)
      const path = await workPath(db, file.table, file.path, file.extension)
      const label = {
        'latin-1': 'windows-1252',
        'utf-8': 'utf-8',
        'utf-8-bom': 'utf-8',
        'utf-16le': 'utf-16le',
        'utf-16be': 'utf-16be',
        binary: 'utf-8',
      }[encoding]
      try {
        const sizeBytes = await copyAsUtf8(from, path, label, signal)
        return { file: { ...file, path, sizeBytes }, encoding: 'utf-8' as const }
      } catch (error) {
        signal.throwIfAborted()
        throw unreadable(file.name, error)
      }
    },
  })
}

async function copyAsUtf8(from: string, to: string, label: string, signal: AbortSignal): Promise<number> {
  const decoder = new TextDecoder(label)
  const source = await open(from)
  try {
    const target = await open(to, 'w')
    try {
      const piece = new Uint8Array(1024 * 1024)
      for (;;) {
        signal.throwIfAborted()
        const { bytesRead } = await source.read(piece, 0, piece.length)
        await target.write(decoder.decode(piece.subarray(0, bytesRead), { stream: bytesRead > 0 }))
        if (bytesRead === 0) break
      }
    } finally {
      await target.close()
    }
  } finally {
    await source.close()
  }
  return (await stat(to)).size
}

async function readJson({ db }: Audit, file: AuditFile, signal: AbortSignal): Promise<unknown> {
  const path = await confine(db.roots, file.path)
  let text: string
  try {
    const { size } = await stat(path)
    if (size > mostBytes) {
      throw new ToolError(
        'FILE_TOO_LARGE',
        `"${file.name}" has ${String(Math.round(size / 1024 / 1024))} MiB; at most ${String(mostBytes / 1024 / 1024)} can be reshaped.`,
        { retryable: false },
      )
    }
    text = await readFile(path, { encoding: 'utf8', signal })
  } catch (error) {
    signal.throwIfAborted()
    throw error instanceof ToolError ? error : unreadable(file.name, error)
  }
  return tryReshape(file, () => JSON.parse(text) as unknown)
}

function tryReshape<T>(file: AuditFile, make: () => T): T {
  try {
    return make()
  } catch (error) {
    const message = error instanceof Error ? error.message : String(error)
    throw new ToolError('JSON_UNREADABLE', `"${file.name}" is not what it seemed: ${message.slice(0, 300)}`, {
      retryable: false,
      where: { path: file.name },
      cause: error,
    })
  }
}
