// Folders as they are found in the wild: each fault stays with its file, and the rest of the audit is what it would be without.
import { chmodSync, existsSync, mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
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
