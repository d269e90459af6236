// Folders as they are found in the wild: each fault stays with its file, and the rest of the audit is what it would be without.
import { chmodSync, existsSync, mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { gzipSync } from 'node:zlib'
import { afterAll, beforeEach, describe, expect, it } from 'vitest'
import { runAudit } from './runAudit.ts'

const base = mkdtempSync(join(tmpdir(), 'planloom-bad-'))
afterAll(() => {
  rmSync(base, { recursive: true })
})
let folder: string
let out: string
let nth = 0
beforeEach(() => {
  folder = join(base, `data ${String((nth += 1))}`)
  out = join(base, `out ${String(nth)}`)
  mkdirSync(folder)
})
const put = (name: string, content: string | Uint8Array) => {
  writeFileSync(join(folder, name), content)
}
const good = () => {
  put('good.csv', 'id,name\n1,Ada\n2,Ben\n3,Cy\n')
}

describe('a folder with faults in it', () => {
  it('reads text in another encoding after a step that translates it', async () => {
    good()
    put('latin.csv', Buffer.from('id;city\n1;Málaga\n2;Orléans\n3;Köln\n', 'latin1'))
    const { file } = await runAudit(folder, out)
    expect(file('latin.csv')).toMatchObject({ encoding: 'latin-1', status: 'tables', tables: [{ rows: 3 }] })
    expect(file('latin.csv').steps.map(({ tool, status }) => [tool, status])).toEqual(
      expect.arrayContaining([['transcode', 'succeeded']]),
    )
    expect(file('latin.csv').tables[0]?.columns[1]?.top.map(({ value }) => value)).toContain('Málaga')
    expect(file('good.csv')).toMatchObject({ status: 'tables', tables: [{ rows: 3 }] })
  })

  it('takes another means where the strict one fails', async () => {
    good()
    put(
      'ragged.csv',
      `a,b\n${Array.from({ length: 40 }, (_, index) => `${String(index)},x`).join('\n')}\n1,2,3,"unclosed\n41,y\n`,
    )
    put(
      'cut.json',
      `[${Array.from({ length: 30 }, (_, index) => JSON.stringify({ n: index, s: 'x' })).join(',\n')},\n{"n": 30, "s`,
    )
    const { file, outcome } = await runAudit(folder, out)
    expect(outcome.status).toBe('completed')
    expect(file('ragged.csv')).toMatchObject({ status: 'tables' })
    expect(file('ragged.csv').steps.find(({ tool }) => tool === 'read_csv')).toMatchObject({ status: 'failed' })
    expect(file('ragged.csv')).toMatchObject({
      damage: expect.stringContaining('what does not fit was left out'),
      problems: expect.arrayContaining([expect.objectContaining({ code: 'damaged_file', severity: 'high' })]),
    })
    expect(file('good.csv')).not.toHaveProperty('damage')
    expect(file('cut.json')).toMatchObject({
      status: 'tables',
      damage: 'it breaks off in the middle',
      tables: [{ rows: 30 }],
    })
  })

  it('goes on without what nobody can read, and says why', async () => {
    good()
    put(
      'noise.csv',
      Uint8Array.from({ length: 900 }, (_, index) => (index * 7919) % 256),
    )
    put('empty.csv', '')
    put('picture.csv', Buffer.from('89504e470d0a1a0a', 'hex'))
    const { file, outcome, report } = await runAudit(folder, out)
    expect(outcome).toMatchObject({ status: 'completed', reason: 'partial' })
    for (const name of ['noise.csv', 'empty.csv', 'picture.csv']) {
      expect(file(name)).toMatchObject({ status: 'unread', unread: expect.stringMatching(/\w{4}/) })
    }
    expect(file('good.csv').status).toBe('tables')
    expect(report?.totals).toMatchObject({ files: 4, unread: 3 })
  })

  it('says of each file that it could not read what it is, or what was tried: never what the planner looked for', async () => {
    good()
    put('empty.csv', '')
    put('blank.csv', '  \n\n')
    put('letter.txt', 'Dear reader,\nthis is a letter, and no table\nat all.\n')
    put('prose.csv', 'It was the best of times, it was the worst of times, and there was no table.\nThe end of it.\n')
    put('page.csv', '<!DOCTYPE html>\n<html><body>404</body></html>\n')
    put('photo.jpg', Uint8Array.from([0xff, 0xd8, 0xff, 0xe0, 0, 1]))
    put(
      'noise.csv',
      Uint8Array.from({ length: 900 }, (_, index) => (index * 7919) % 256),
    )
    put('broken.json', '{"a": 1, b: 2}')
    put('cut.csv.gz', gzipSync('id,name\n1,Ada\n2,Ben\n').subarray(0, 25))
    const { file, run, page, report } = await runAudit(folder, out)
    const reasons = {
      'empty.csv': /^The file is empty\.$/,
      'blank.csv': /^The file holds nothing but blanks\.$/,
      'letter.txt': /^Recognised as plain text: not a table/,
      'prose.csv': /^Recognised as plain text: not a table/,
      'page.csv': /^Recognised as plain text: not a table \(the markup of an HTML page\)\.$/,
      'photo.jpg': /^Recognised by its first bytes as JPEG image: that is not read here\.$/,
      'noise.csv': /^Not recognised: bytes that are no text\.$/,
      'broken.json': /^"broken\.json" does not read as JSON: .*position 9/,
      'cut.csv.gz': /^"cut\.csv\.gz" cannot be unpacked: unexpected end of file\./,
    }
    for (const [name, reason] of Object.entries(reasons)) {
      const { status, unread = '' } = file(name)
      expect({ name, status }).toEqual({ name, status: 'unread' })
      expect(unread).toMatch(reason)
      expect(page).toContain(`Not read: ${unread.replaceAll('"', '&quot;')}`)
    }
    expect(JSON.stringify(report)).not.toMatch(/came nearest|no means|Nothing gives/)
    expect(page).not.toMatch(/came nearest|no means|Nothing gives/)
    const told = (run.fact('report')?.value as { notRead: { name: string; because: string }[] }).notRead
    expect(told.map(({ name }) => name).sort()).toEqual(Object.keys(reasons).sort())
    expect(told.find(({ name }) => name === 'empty.csv')?.because).toBe('The file is empty.')
  })

  it('says of a file for which several means failed what each of them met', async () => {
    good()
    put('cut.json', '[{"a": 1, "b')
    const { file } = await runAudit(folder, out)
    expect(file('cut.json').unread).toMatch(
      /^read_json: "cut\.json" does not read as json: .* Then salvage_json: There is no complete object in "cut\.json"\.$/,
    )
  })

  it('reads ordinary tables, whatever they look like', async () => {
    const rows = 'id,name\n1,Ada\n2,Zoë\n'
    const utf16 = Buffer.from(`\ufeff${rows}`, 'utf16le')
    const tables: Record<
      string,
      { readonly content: string | Uint8Array; readonly rows: number; readonly columns: number }
    > = {
      'one.csv': { content: 'value\n1\n2\n3\n', rows: 3, columns: 1 },
      'words.csv': { content: 'colour\nred\nlight green\n', rows: 2, columns: 1 },
      'numbers.txt': { content: '1.5\n2\n-3e4\n', rows: 3, columns: 1 },
      'header.csv': { content: 'id,name\n', rows: 0, columns: 2 },
      'above.csv': { content: 'Report of 2020\n\nid,name\n1,Ada\n2,Ben\n', rows: 2, columns: 2 },
      'mark.csv': { content: `\ufeff${rows}`, rows: 2, columns: 2 },
      'returns.csv': { content: rows.replaceAll('\n', '\r\n'), rows: 2, columns: 2 },
      'semicolons.csv': { content: rows.replaceAll(',', ';'), rows: 2, columns: 2 },
      'tabs.tsv': { content: rows.replaceAll(',', '\t'), rows: 2, columns: 2 },
      'bars.csv': { content: rows.replaceAll(',', '|'), rows: 2, columns: 2 },
      'wide.csv': { content: utf16, rows: 2, columns: 2 },
      'latin.csv': { content: Buffer.from(rows, 'latin1'), rows: 2, columns: 2 },
      'packed.csv.gz': { content: gzipSync(rows), rows: 2, columns: 2 },
      'packed latin.csv.gz': { content: gzipSync(Buffer.from(rows, 'latin1')), rows: 2, columns: 2 },
      'named.csv': { content: 'sep=;\r\na;b\r\n1;2\r\n3;4\r\n', rows: 2, columns: 2 },
      'old.csv': { content: 'a,b\r1,2\r3,4\r', rows: 2, columns: 2 },
      'returns.jsonl': { content: '{"a":1}\r\n{"a":2}\r\n', rows: 2, columns: 1 },
      'lines.jsonl': { content: '{"a":1,"b":"x"}\n{"a":2,"b":"y"}\n', rows: 2, columns: 2 },
      'one.json': { content: '{"a":1,"b":"x"}', rows: 1, columns: 2 },
      'pairs.json': { content: '{"a":1,"b":2,"c":3}', rows: 3, columns: 2 },
      'single.json': { content: '42', rows: 1, columns: 1 },
      'without extension': { content: rows, rows: 2, columns: 2 },
      'line\nbreak, ünï "x".csv': { content: rows, rows: 2, columns: 2 },
    }
    for (const [name, { content }] of Object.entries(tables)) put(name, content)
    const { file, outcome, report } = await runAudit(folder, out)
    expect(outcome).toMatchObject({ status: 'completed', reason: 'done' })
    const seen = Object.keys(tables).map((name) => ({
      name,
      rows: file(name).tables[0]?.rows,
      columns: file(name).tables[0]?.columns.length,
    }))
    expect(seen).toEqual(Object.entries(tables).map(([name, { rows, columns }]) => ({ name, rows, columns })))
    const zoe = ['packed.csv.gz', 'packed latin.csv.gz', 'wide.csv', 'latin.csv'].map((name) =>
      file(name).tables[0]?.columns[1]?.top.map(({ value }) => value),
    )
    expect(zoe.every((values) => values?.includes('Zoë'))).toBe(true)
    expect(file('one.json').problems).toEqual([])
    const names = report?.files.flatMap((one) => one.tables.map((table) => table.name)) ?? []
    expect(new Set(names).size).toBe(names.length)
  })

  it('reads files of one name in several folders, and what holds no rows', async () => {
    for (const name of ['a', 'b']) {
      mkdirSync(join(folder, name))
      put(`${name}/same.csv`, 'id,name\n1,Ada\n2,Ben\n')
    }
    mkdirSync(join(folder, 'folder.csv'))
    put('folder.csv/inner.csv', 'id\n7\n')
    put('none.json', '[]')
    const { file, report, page } = await runAudit(folder, out)
    expect(report?.files.map(({ name }) => name)).toEqual([
      'a/same.csv',
      'b/same.csv',
      'folder.csv/inner.csv',
      'none.json',
    ])
    expect(file('a/same.csv').tables[0]?.name).toBe('a/same')
    expect(file('b/same.csv').tables[0]?.name).toBe('b/same')
    expect(file('none.json')).toMatchObject({ status: 'tables', tables: [] })
    expect(page).toContain('holds no rows')
  })

  it('leaves aside circles of links, links to nothing, and what it writes itself', async () => {
    good()
    symlinkSync('circle.csv', join(folder, 'circle.csv'))
    symlinkSync('nothing here', join(folder, 'lost.csv'))
    await runAudit(folder, join(folder, 'report'))
    const { report } = await runAudit(folder, join(folder, 'report'))
    expect(report?.files.map(({ name }) => name)).toEqual(['good.csv'])
    expect(report?.aside).toEqual([
      { name: 'circle.csv', because: 'a link that leads in a circle' },
      { name: 'lost.csv', because: 'a link to nothing' },
      { name: 'report', because: 'what this audit itself writes' },
    ])
  })

  it('goes on without a file that vanishes after it was read', async () => {
    good()
    put('gone.csv', 'a,b\n1,2\n3,4\n')
    const { file, outcome } = await runAudit(folder, out, (tools) =>
      tools.map((tool) =>
        tool.description.name !== 'profile'
          ? tool
          : {
              ...tool,
              run: (input, context) => {
                rmSync(join(folder, 'gone.csv'), { force: true })
                return tool.run(input, context)
              },
            },
      ),
    )
    expect(outcome.status).toBe('completed')
    expect(file('gone.csv')).toMatchObject({
      status: 'unread',
      unread: expect.stringContaining('is not there (any more)'),
    })
    expect(file('good.csv').status).toBe('tables')
  })

  it('goes on without a file that vanishes after it was listed', async () => {
    good()
    put('gone.csv', 'a,b\n1,2\n3,4\n')
    const { file, outcome } = await runAudit(folder, out, (tools) =>
      tools.map((tool) =>
        tool.description.name !== 'discover'
          ? tool
          : {
              ...tool,
              run: async (input, context) => {
                const found = await tool.run(input, context)
                rmSync(join(folder, 'gone.csv'), { force: true })
                return found
              },
            },
      ),
    )
    expect(outcome.status).toBe('completed')
    expect(file('gone.csv')).toMatchObject({
      status: 'unread',
      unread: expect.stringContaining('is not there (any more)'),
    })
    expect(file('good.csv')).toMatchObject({ status: 'tables', tables: [{ rows: 3 }] })
  })

  it.skipIf(process.getuid?.() === 0)(
    'goes on without a file that it may not read (not to be tested as root)',
    async () => {
      good()
      put('secret.csv', 'a,b\n1,2\n')
      chmodSync(join(folder, 'secret.csv'), 0o000)
      const { file } = await runAudit(folder, out)
      expect(file('secret.csv')).toMatchObject({ status: 'unread', unread: expect.stringContaining('No permission') })
      expect(file('good.csv').status).toBe('tables')
    },
  )

  it.skipIf(process.getuid?.() === 0)(
    'leaves aside a folder that it may not read (not to be tested as root)',
    async () => {
      good()
      mkdirSync(join(folder, 'secret'))
      chmodSync(join(folder, 'secret'), 0o000)
      const { report } = await runAudit(folder, out)
      chmodSync(join(folder, 'secret'), 0o700)
      expect(report?.aside).toEqual([{ name: 'secret', because: 'no permission to read it' }])
    },
  )

  it('leaves aside links that lead out, and tells names from markup', async () => {
    good()
    writeFileSync(join(base, 'outside.csv'), 'a,b\n1,2\n')
    symlinkSync(join(base, 'outside.csv'), join(folder, 'link.csv'))
    const hostile = '<img src=x onerror=alert(1)>.csv'
    put(hostile, 'a,"<script>alert(2)</script>"\n1,"<b>x</b>"\n2,"<b>y</b>"\n')
    const { report, page, file } = await runAudit(folder, out)
    expect(report?.aside).toEqual([{ name: 'link.csv', because: 'a link that leads out of the folder' }])
    expect(file(hostile)).toMatchObject({ status: 'tables', tables: [{ rows: 2 }] })
    expect(page).not.toMatch(/<img src=x|<script>alert/)
    expect(page).toContain('&lt;img src=x onerror=alert(1)&gt;.csv')
  })
})

describe('a folder that cannot be audited', () => {
  it('says so when it is missing', async () => {
    const { outcome, report } = await runAudit(join(folder, 'nowhere'), out)
    expect(outcome.status).toBe('failed')
    expect(outcome.message).toContain('There is no folder')
    expect(report).toBeUndefined()
  })

  it('says so when it is empty', async () => {
    put('.hidden', 'x')
    const { outcome } = await runAudit(folder, out)
    expect(outcome.status).toBe('failed')
    expect(outcome.message).toContain('holds no files')
  })

  it('says so when the report cannot be written', async () => {
    good()
    writeFileSync(join(base, 'in the way'), 'x')
    const { outcome } = await runAudit(folder, join(base, 'in the way', 'out'))
    expect(outcome.status).toBe('failed')
    expect(outcome.message).toMatch(/could not be written|REPORT_UNWRITABLE/)
  })

  it.runIf(existsSync('/dev/full'))('says so when the disk is full', async () => {
    good()
    mkdirSync(out)
    const draft = join(out, 'report.html.draft')
    const { outcome } = await runAudit(folder, out, (tools) =>
      tools.map((tool) => ({
        ...tool,
        run: (input, context) => {
          // A file that cannot take a single byte stands where the report is written, at every attempt.
          if (tool.description.name === 'write_report' && !existsSync(draft)) symlinkSync('/dev/full', draft)
          return tool.run(input, context)
        },
      })),
    )
    expect(outcome.status).toBe('failed')
    expect(outcome.message).toContain('the disk is full')
  })
})
