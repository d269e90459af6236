import { mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { recogniseFile } from '../../../examples/data-audit/content/recogniseFile.ts'
import { realFolder } from '../../tools/duckdb/realFiles.ts'

// What each of the 73 real files is, by looking at it: [files, format, encoding].
const kinds = [
  [
    `airports birdstrikes co2-concentration disasters flights-airport gapminder-health-income github global-temp iowa-electricity
     la-riots lookup_groups lookup_people population_engineers_hurricanes seattle-weather-hourly-normals seattle-weather sp500-2000
     sp500 species stocks us-employment weather windvectors zipcodes`,
    '.csv',
    'csv',
    'utf-8',
  ],
  ['unemployment', '.tsv', 'csv', 'utf-8'],
  [
    `anscombe barley budget budgets burtin cars countries crimea driving flare-dependencies flare flights-10k flights-200k flights-20k
     flights-2k flights-5k football gapminder income jobs londonCentroids monarchs movies normal-2d obesity ohlc penguins
     platformer-terrain political-contributions population udistrict unemployment-across-industries uniform-2d us-state-capitals wheat`,
    '.json',
    'json-rows',
    'utf-8',
  ],
  ['miserables weekly-weather', '.json', 'json-nested', 'utf-8'],
  ['annual-precip volcano', '.json', 'json-grid', 'utf-8'],
  ['londonBoroughs londonTubeLines us-10m world-110m', '.json', 'topojson', 'utf-8'],
  ['earthquakes', '.json', 'geojson', 'utf-8'],
  ['flights-3m', '.parquet', 'parquet', 'binary'],
  ['flights-200k', '.arrow', 'arrow', 'binary'],
  ['7zip ffox gimp', '.png', 'png', 'binary'],
] as const
const expected = new Map<string, { readonly format: string; readonly encoding: string }>(
  kinds.flatMap(([names, extension, format, encoding]) =>
    names.split(/\s+/).map((name) => [`${name}${extension}`, { format, encoding }] as const),
  ),
)

let folder: string
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'planloom-recognise-'))
})
afterAll(() => {
  rmSync(folder, { recursive: true })
})
const recognise = (name: string, content: string | Uint8Array) => {
  writeFileSync(join(folder, name), content)
  return recogniseFile(join(folder, name))
}

describe('recogniseFile', () => {
  it('knows every one of the real files', async () => {
    const files = readdirSync(realFolder).sort()
    expect([...expected.keys()].sort()).toEqual(files)
    for (const file of files) {
      const { format, encoding } = await recogniseFile(join(realFolder, file))
      expect({ file, format, encoding }).toEqual({ file, ...expected.get(file) })
    }
  })

  it('goes by the content, whatever the name says', async () => {
    const png = Buffer.from('89504e470d0a1a0a0000000d49484452', 'hex')
    expect(await recognise('table.csv', png)).toMatchObject({
      format: 'png',
      asNamed: false,
      damage: 'its end is missing',
    })
    expect(await recognise('picture.png', 'a,b\n1,2\n3,4\n')).toMatchObject({
      format: 'csv',
      delimiter: ',',
      asNamed: false,
    })
    expect(await recognise('map.json', '{"type": "Feature", "geometry": null}')).toMatchObject({ format: 'geojson' })
    expect(await recognise('lines', '{"a": 1}\n{"a": 2}\n')).toMatchObject({ format: 'json-rows' })
  })

  it.each([
    ['latin-1', Buffer.from('name;city\nJosé;Málaga\nZoë;Orléans\n', 'latin1')],
    ['utf-16le', Buffer.concat([Buffer.from([0xff, 0xfe]), Buffer.from('name;city\nZoë;Köln\nAda;Rom\n', 'utf16le')])],
    ['utf-16le', Buffer.from('name;city\nZoe;Bonn\nAda;Rom\n', 'utf16le')],
    ['utf-8-bom', Buffer.from('\ufeffname;city\nZoë;Köln\nAda;Rom\n')],
    ['utf-8', Buffer.from('name;city\nZoë;Köln\nAda;Rom\n')],
  ])('tells that a text is %s', async (encoding, bytes) => {
    expect(await recognise('text.csv', bytes)).toMatchObject({ format: 'csv', delimiter: ';', encoding })
  })

  it('finds a Latin-1 letter that comes late', async () => {
    const bytes = Buffer.concat([Buffer.from('a,b\n' + '1,x\n'.repeat(500_000)), Buffer.from('2,é\n', 'latin1')])
    expect(await recognise('late.csv', bytes)).toMatchObject({ format: 'csv', encoding: 'latin-1' })
  })

  it.each([
    ['breaks off', '[{"a": 1}, {"a": 2}, {"a"', 'it breaks off in the middle'],
    ['is broken', '[{"a": 1}, {"a": 2} {"a": 3}]', 'it is no JSON any more from byte 20 on'],
  ])('says where JSON %s', async (_, text, damage) => {
    expect(await recognise('damaged.json', text)).toMatchObject({ format: 'json-rows', damage })
  })

  it.each([
    ['', 'empty'],
    [' \n\n', 'empty'],
    ['just some words\nand more\n', 'text'],
    ['[1, 2, 3]', 'json-nested'],
    ['{"a": 1, "b": "x"}', 'json-nested'],
    ['[]', 'json-nested'],
    ['{"width": 2, "height": 1, "values": [1, 2]}', 'json-grid'],
    ['{"width": 2, "height": 1, "values": ["a", "b"]}', 'json-nested'],
    ['[{"a": {"b": 1}}]', 'json-nested'],
    ['a\tb\n1\t2\n', 'csv'],
    ['"a;b","c"\n"1,5","2"\n', 'csv'],
  ])('takes %j for %s', async (text, format) => {
    expect(await recognise('some', text)).toMatchObject({ format })
  })

  it('takes bytes that are no text for what they are', async () => {
    expect(
      await recognise(
        'noise.csv',
        Uint8Array.from({ length: 500 }, (_, index) => (index * 7919) % 256),
      ),
    ).toMatchObject({
      format: 'unknown',
      encoding: 'binary',
    })
    expect(await recognise('archive.csv', Buffer.from('504b0304aabb', 'hex'))).toMatchObject({
      format: 'unknown',
      because: expect.stringContaining('ZIP'),
    })
  })
})
