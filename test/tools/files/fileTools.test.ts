import { execFileSync } from 'node:child_process'
import { createHash } from 'node:crypto'
import { chmodSync, existsSync, openSync, readdirSync, readFileSync, statSync, symlinkSync, writeSync } from 'node:fs'
import { describe, expect, it } from 'vitest'
import { fileFailure } from '../../../src/tools/files/fileFailure.ts'
import { fileTools } from '../../../src/tools/files/fileTools.ts'
import { toolContext } from '../toolContext.ts'
import { failureOf, outputOf } from '../results.ts'
import { testFolder } from './folder.ts'

const namesIn = (output: ReturnType<typeof outputOf>) => (output['files'] as { name: string }[]).map(({ name }) => name)
const isRoot = process.getuid?.() === 0

describe('file_list', () => {
  it('lists what is below, sorted, with sizes, as paths that the other tools take', async () => {
    using folder = testFolder()
    for (const name of ['b.csv', 'a.csv', 'sub/deep/c.json', '.hidden', '.git/config']) folder.write(name, name)
    const output = outputOf(await folder.run('file_list', {}))
    expect(output['files']).toEqual([
      { path: 'a.csv', name: 'a.csv', sizeBytes: 5 },
      { path: 'b.csv', name: 'b.csv', sizeBytes: 5 },
      { path: 'sub/deep/c.json', name: 'sub/deep/c.json', sizeBytes: 15 },
    ])
    expect(outputOf(await folder.run('file_read', { path: 'sub/deep/c.json' }))['content']).toBe('sub/deep/c.json')
    expect(namesIn(outputOf(await folder.run('file_list', { path: 'sub' })))).toEqual(['deep/c.json'])
    expect(namesIn(outputOf(await folder.run('file_list', { recursive: false })))).toEqual(['a.csv', 'b.csv'])
    expect(namesIn(outputOf(await folder.run('file_list', { hidden: true })))).toContain('.git/config')
    expect(outputOf(await folder.run('file_list', { path: folder.path('sub') }))['files']).toMatchObject([
      { path: folder.path('sub/deep/c.json') },
    ])
  })

  it('lists by pattern', async () => {
    using folder = testFolder()
    for (const name of ['a.csv', 'b.tsv', 'sub/c.csv', 'sub/d.json']) folder.write(name, '')
    const list = async (pattern: string) => namesIn(outputOf(await folder.run('file_list', { pattern })))
    expect(await list('*.csv')).toEqual(['a.csv', 'sub/c.csv'])
    expect(await list('*.{csv,tsv}')).toEqual(['a.csv', 'b.tsv', 'sub/c.csv'])
    expect(await list('sub/*')).toEqual(['sub/c.csv', 'sub/d.json'])
    expect(await list('nothing')).toEqual([])
    expect(failureOf(await folder.run('file_list', { pattern: '{a' }))).toMatchObject({
      code: 'PATTERN_INVALID',
      retryable: false,
    })
  })

  it('follows links to files inside, and leaves all other links aside with the reason', async () => {
    using folder = testFolder()
    folder.write('real.txt', 'x')
    folder.write('sub/a.txt', 'x')
    symlinkSync('real.txt', folder.path('link.txt'))
    symlinkSync('..', folder.path('sub/up'))
    symlinkSync(`${folder.outside}/secret.txt`, folder.path('secret.txt'))
    symlinkSync('nowhere', folder.path('dangling'))
    execFileSync('mkfifo', [folder.path('pipe')])
    const output = outputOf(await folder.run('file_list', {}))
    expect(namesIn(output)).toEqual(['link.txt', 'real.txt', 'sub/a.txt'])
    expect(output['aside']).toEqual([
      { name: 'dangling', because: expect.stringContaining('not there') },
      { name: 'pipe', because: 'neither a file nor a folder' },
      { name: 'secret.txt', because: expect.stringContaining('leads out') },
      { name: 'sub/up', because: 'a link to what is no file' },
    ])
  })

  it('refuses to list more than it may', async () => {
    using folder = testFolder({ maxFiles: 3 })
    for (const name of ['1', '2', '3']) folder.write(name, '')
    expect(namesIn(outputOf(await folder.run('file_list', {})))).toHaveLength(3)
    folder.write('4', '')
    expect(failureOf(await folder.run('file_list', {}))).toMatchObject({ code: 'TOO_MANY_FILES', retryable: false })
  })

  it('says when a folder is missing, is a file, or is empty', async () => {
    using folder = testFolder()
    folder.write('file', '')
    expect(failureOf(await folder.run('file_list', { path: 'gone' }))).toMatchObject({
      code: 'FOLDER_MISSING',
      path: 'gone',
    })
    expect(failureOf(await folder.run('file_list', { path: 'file' }))).toMatchObject({ code: 'FOLDER_MISSING' })
    using empty = testFolder()
    expect(outputOf(await empty.run('file_list', {}))).toEqual({ files: [], aside: [] })
  })

  it('stops when its signal fires', async () => {
    using folder = testFolder()
    folder.write('a', '')
    const context = toolContext()
    context.abort(new Error('enough'))
    expect(failureOf(await folder.run('file_list', {}, context))).toMatchObject({ code: 'ABORTED', retryable: false })
  })
})

describe('file_read', () => {
  it('reads text in its encoding, without a byte order mark', async () => {
    using folder = testFolder()
    folder.write('a.txt', '\ufeffgrün')
    folder.write('sub/b.txt', '')
    expect(outputOf(await folder.run('file_read', { path: './sub//../a.txt' }))['content']).toBe('grün')
    expect(outputOf(await folder.run('file_read', { path: 'a.txt' }))).toEqual({
      path: 'a.txt',
      content: 'grün',
      encoding: 'utf-8',
      sizeBytes: 8,
    })
    expect(outputOf(await folder.run('file_read', { path: folder.path('a.txt'), encoding: 'base64' }))['content']).toBe(
      Buffer.from('\ufeffgrün').toString('base64'),
    )
  })

  it('says when it is not text in that encoding', async () => {
    using folder = testFolder()
    const { path } = outputOf(await folder.run('file_write', { path: 'l.txt', content: 'grün', encoding: 'latin1' }))
    expect(failureOf(await folder.run('file_read', { path: path ?? '' }))).toMatchObject({
      code: 'NOT_TEXT',
      retryable: false,
    })
    expect(outputOf(await folder.run('file_read', { path: 'l.txt', encoding: 'latin1' }))['content']).toBe('grün')
  })

  it('refuses a file over the limit, also one that tells no size', async () => {
    using folder = testFolder({ maxBytes: 10 })
    folder.write('ten', '0123456789')
    folder.write('eleven', '0123456789a')
    expect(outputOf(await folder.run('file_read', { path: 'ten' }))['sizeBytes']).toBe(10)
    const failure = failureOf(await folder.run('file_read', { path: 'eleven' }))
    expect(failure).toMatchObject({ code: 'FILE_TOO_LARGE', retryable: false })
    expect(failure.message).toMatch(/11 bytes.*10 may be read/)
    if (process.platform !== 'linux') return
    using proc = testFolder({ roots: ['/proc/self'], maxBytes: 10 })
    expect(failureOf(await proc.run('file_read', { path: 'status' }))).toMatchObject({ code: 'FILE_TOO_LARGE' })
  })

  it.each([
    ['gone', 'FILE_MISSING'],
    ['no/such', 'FILE_MISSING'],
    ['file/below', 'FILE_MISSING'],
    ['.', 'NOT_A_FILE'],
    ['sub', 'NOT_A_FILE'],
    ['pipe', 'NOT_A_FILE'],
    ['a\0b', 'PATH_INVALID'],
    ['x'.repeat(300), 'PATH_INVALID'],
    ['loop', 'PATH_INVALID'],
  ])('says what is wrong with %j: %s', async (path, code) => {
    using folder = testFolder()
    folder.write('sub/a', '')
    folder.write('file', '')
    execFileSync('mkfifo', [folder.path('pipe')])
    symlinkSync('loop', folder.path('loop'))
    expect(failureOf(await folder.run('file_read', { path }))).toMatchObject({
      code,
      retryable: false,
      hint: expect.stringMatching(/./),
    })
  })

  it('says when a root itself is missing', async () => {
    using folder = testFolder({ roots: ['/no/such/root'] })
    expect(failureOf(await folder.run('file_read', { path: 'a' }))).toMatchObject({ code: 'FOLDER_MISSING' })
  })

  it('says when there is no permission', async () => {
    using folder = testFolder()
    folder.write('locked/a.txt', 'x')
    folder.write('secret.txt', 'x')
    chmodSync(folder.path('secret.txt'), 0)
    chmodSync(folder.path('locked'), 0)
    await asNobody(folder.root, async () => {
      expect(failureOf(await folder.run('file_read', { path: 'secret.txt' }))).toMatchObject({
        code: 'NO_PERMISSION',
        retryable: false,
      })
      expect(failureOf(await folder.run('file_read', { path: 'locked/a.txt' }))).toMatchObject({
        code: 'NO_PERMISSION',
      })
      expect(failureOf(await folder.run('file_list', { path: 'locked' }))).toMatchObject({ code: 'NO_PERMISSION' })
      expect(outputOf(await folder.run('file_list', {}))['aside']).toMatchObject([{ name: 'locked' }])
      chmodIfOwner(folder.root)
      expect(failureOf(await folder.run('file_write', { path: 'locked/b.txt', content: '' }))).toMatchObject({
        code: 'NO_PERMISSION',
      })
    })
    chmodSync(folder.path('locked'), 0o700)
  })
})

describe('file_write', () => {
  it('writes whole files and replaces them, keeping who may read them', async () => {
    using folder = testFolder()
    const output = outputOf(await folder.run('file_write', { path: 'a.txt', content: 'grün' }))
    expect(output).toEqual({ path: 'a.txt', sha256: createHash('sha256').update('grün').digest('hex'), sizeBytes: 5 })
    chmodSync(folder.path('a.txt'), 0o640)
    outputOf(await folder.run('file_write', { path: 'a.txt', content: '' }))
    expect(readFileSync(folder.path('a.txt'), 'utf8')).toBe('')
    expect(statSync(folder.path('a.txt')).mode & 0o777).toBe(0o640)
    expect(readdirSync(folder.root)).toEqual(['a.txt'])
  })

  it('makes folders only when asked to', async () => {
    using folder = testFolder()
    const input = { path: 'x/y/z.txt', content: 'z' }
    expect(failureOf(await folder.run('file_write', input))).toMatchObject({
      code: 'FOLDER_MISSING',
      hint: expect.stringContaining('parents'),
    })
    expect(existsSync(folder.path('x'))).toBe(false)
    outputOf(await folder.run('file_write', { ...input, parents: true }))
    expect(readFileSync(folder.path('x/y/z.txt'), 'utf8')).toBe('z')
  })

  it('keeps what is there when told so, but takes the same content again', async () => {
    using folder = testFolder()
    const write = (content: string) => folder.run('file_write', { path: 'a.txt', content, ifExists: 'fail' })
    const first = outputOf(await write('one'))
    expect(outputOf(await write('one'))).toEqual(first)
    expect(failureOf(await write('two'))).toMatchObject({ code: 'FILE_EXISTS', retryable: false })
    expect(readFileSync(folder.path('a.txt'), 'utf8')).toBe('one')
    expect(readdirSync(folder.root)).toEqual(['a.txt'])
  })

  it('writes through a link to a file inside, and the link stays', async () => {
    using folder = testFolder()
    folder.write('real.txt', 'old')
    symlinkSync('real.txt', folder.path('link.txt'))
    outputOf(await folder.run('file_write', { path: 'link.txt', content: 'new' }))
    expect(readFileSync(folder.path('real.txt'), 'utf8')).toBe('new')
  })

  it('leaves one whole content when many write at once', async () => {
    using folder = testFolder()
    const contents = Array.from({ length: 20 }, (_, index) => String(index).repeat(50_000))
    const results = await Promise.all(
      contents.map((content, index) =>
        folder.run('file_write', { path: 'a', content }, toolContext({ idempotencyKey: String(index) })),
      ),
    )
    results.forEach(outputOf)
    expect(contents).toContain(readFileSync(folder.path('a'), 'utf8'))
    expect(readdirSync(folder.root)).toEqual(['a'])
  })

  it('refuses content that it could only write wrongly', async () => {
    using folder = testFolder({ maxBytes: 10 })
    const write = async (content: string, encoding: string) =>
      failureOf(await folder.run('file_write', { path: 'a', content, encoding })).code
    expect(await write('\ud800', 'utf-8')).toBe('CONTENT_INVALID')
    expect(await write('€', 'latin1')).toBe('CONTENT_INVALID')
    expect(await write('not base64!', 'base64')).toBe('CONTENT_INVALID')
    expect(await write('0123456789a', 'utf-8')).toBe('FILE_TOO_LARGE')
    expect(readdirSync(folder.root)).toEqual([])
  })

  it('does not write over a folder', async () => {
    using folder = testFolder()
    folder.write('sub/a', '')
    expect(failureOf(await folder.run('file_write', { path: 'sub', content: '' }))).toMatchObject({
      code: 'NOT_A_FILE',
    })
    expect(failureOf(await folder.run('file_write', { path: '.', content: '' }))).toMatchObject({ code: 'NOT_A_FILE' })
  })

  it.runIf(process.platform === 'linux')('calls a full disk one, and says that another attempt may do', () => {
    const full = openSync('/dev/full', 'w')
    let thrown: unknown
    try {
      writeSync(full, 'x')
    } catch (error) {
      thrown = error
    }
    expect(fileFailure('report.html', thrown)).toMatchObject({ code: 'DISK_FULL', retryable: true })
    expect(fileFailure('report.html', thrown).message).toContain('"report.html"')
  })

  it('writes nothing once its signal has fired', async () => {
    using folder = testFolder()
    const context = toolContext()
    context.abort()
    expect(failureOf(await folder.run('file_write', { path: 'a', content: 'x' }, context)).code).toBe('ABORTED')
    expect(readdirSync(folder.root)).toEqual([])
  })
})

describe('file_hash', () => {
  it('hashes a file larger than may be read', async () => {
    using folder = testFolder({ maxBytes: 10 })
    const content = 'planloom'.repeat(500_000)
    folder.write('big', content)
    expect(outputOf(await folder.run('file_hash', { path: 'big' }))).toEqual({
      path: 'big',
      sha256: createHash('sha256').update(content).digest('hex'),
      sizeBytes: 4_000_000,
    })
  })
})

describe('the file tools', () => {
  it('tell what they do to the world', () => {
    const traits = fileTools({ roots: ['.'] }).map(({ description: { name, effects, idempotent } }) => [
      name,
      effects,
      idempotent,
    ])
    expect(traits).toEqual([
      ['file_list', 'read', true],
      ['file_read', 'read', true],
      ['file_write', 'write', true],
      ['file_hash', 'read', true],
    ])
  })

  it('need a folder', () => {
    expect(() => fileTools({ roots: [] })).toThrow(expect.objectContaining({ code: 'TOOL_INVALID' }))
  })
})

/** The administrator may read everything: for once, be somebody else. */
async function asNobody(root: string, act: () => Promise<void>): Promise<void> {
  if (!isRoot) return act()
  execFileSync('chmod', ['755', root, `${root}/..`])
  process.seteuid?.(65_534)
  try {
    await act()
  } finally {
    process.seteuid?.(0)
  }
}

function chmodIfOwner(path: string): void {
  if (!isRoot) chmodSync(path, 0o700)
}
