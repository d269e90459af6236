// The kinds of content that the audit knows, and which one a name promises.
import { extname } from 'node:path'
import { z } from 'zod'

export const formatSchema = z.enum([
  'csv', // any delimiter
  'json-rows', // an array (or lines) of flat objects
  'json-nested', // objects in objects, arrays of scalars, several tables in one object
  'json-grid', // {width, height, values}: a raster
  'topojson',
  'geojson',
  'parquet',
  'arrow',
  'png',
  'text',
  'empty',
  'unknown',
])
export type Format = z.infer<typeof formatSchema>

/** `gzip`: text, packed; which encoding it is in inside shows when it is unpacked. */
export const encodingSchema = z.enum(['utf-8', 'utf-8-bom', 'utf-16le', 'utf-16be', 'latin-1', 'gzip', 'binary'])
export type Encoding = z.infer<typeof encodingSchema>

export const formatNames: Readonly<Record<Format, string>> = {
  csv: 'delimited text',
  'json-rows': 'JSON table',
  'json-nested': 'nested JSON',
  'json-grid': 'JSON grid',
  topojson: 'TopoJSON',
  geojson: 'GeoJSON',
  parquet: 'Parquet',
  arrow: 'Arrow IPC',
  png: 'PNG image',
  text: 'plain text',
  empty: 'empty file',
  unknown: 'unknown',
}

interface Promised {
  readonly extension: string
  readonly format: Format
  readonly encoding: Encoding
}

const texts: readonly Promised[] = [
  { extension: '.csv', format: 'csv', encoding: 'utf-8' },
  { extension: '.tsv', format: 'csv', encoding: 'utf-8' },
  { extension: '.tab', format: 'csv', encoding: 'utf-8' },
  { extension: '.json', format: 'json-rows', encoding: 'utf-8' },
  { extension: '.jsonl', format: 'json-rows', encoding: 'utf-8' },
  { extension: '.ndjson', format: 'json-rows', encoding: 'utf-8' },
  { extension: '.geojson', format: 'geojson', encoding: 'utf-8' },
  { extension: '.topojson', format: 'topojson', encoding: 'utf-8' },
]

/** What a file's extension promises. A promise is only an assumption: `recognise` looks at the content. */
export const promised: readonly Promised[] = [
  ...texts,
  ...texts.map((text) => ({ ...text, extension: `${text.extension}.gz`, encoding: 'gzip' as const })),
  { extension: '.parquet', format: 'parquet', encoding: 'binary' },
  { extension: '.arrow', format: 'arrow', encoding: 'binary' },
  { extension: '.png', format: 'png', encoding: 'binary' },
]

/** What is hoped for of a name that promises nothing: most files of a folder of data are tables. */
export const hoped = { format: 'csv', encoding: 'utf-8' } as const

/** The extension of a name, in small letters and with the dot; of a packed file with what it is inside: `.csv.gz`. */
export function extensionOf(name: string): string {
  const last = extname(name).toLowerCase()
  return last === '.gz' ? extname(name.slice(0, -last.length)).toLowerCase() + last : last
}
