import {
  linkSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  symlinkSync,
  unlinkSync,
  writeFileSync,
} from 'node:fs'
import { join } from 'node:path'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { failureOf, outputOf } from '../results.ts'
import { testFolder, type TestFolder } from './folder.ts'

/** All that lies outside, as text: to see that nothing was touched. */
const outsideOf = (folder: TestFolder) =>
  readdirSync(folder.outside, { recursive: true })
    .map(String)
    .sort()
    .map((name) => [name, name.endsWith('.txt') ? readFileSync(join(folder.outside, name), 'utf8') : ''])

/** Links of every kind that lead out, in `root`. */
function trap(folder: TestFolder): void {
  folder.write('in/a.txt', 'inside')
  symlinkSync('../outside', folder.path('rel'))
  symlinkSync(folder.outside, folder.path('abs'))
  symlinkSync('../../outside/secret.txt', folder.path('in/file'))
  symlinkSync('../outside/new.txt', folder.path('dangling'))
  symlinkSync('rel', folder.path('twice'))
  symlinkSync('..', folder.path('up'))
  symlinkSync('/', folder.path('top'))
  symlinkSync('in', folder.path('ok'))
  symlinkSync('in/../../outside', folder.path('round'))
  symlinkSync('nowhere', folder.path('nowhere-yet'))
}

describe('a path that leads out', () => {
  it.each([
    '../outside/secret.txt',
    'in/../../outside/secret.txt',
    './/..//outside/secret.txt',
    'rel/secret.txt',
    'abs/secret.txt',
    'in/file',
    'ok/file',
    'twice/secret.txt',
    'up/outside/secret.txt',
    'round/secret.txt',
    'top/etc/passwd',
    '/etc/passwd',
    '/',
    '..',
    '../root-beside/x',
    'rel/no/such/file',
    'rel/../../outside/secret.txt',
    'missing/../../outside/secret.txt',
    'dangling',
  ])('is refused: %j, for reading, writing, listing and hashing alike', async (path) => {
    using folder = testFolder()
    trap(folder)
    const before = outsideOf(folder)
    const attempts = [
      ['file_read', { path }],
      ['file_hash', { path }],
      ['file_list', { path }],
      ['file_write', { path, content: 'stolen', parents: true }],
      ['file_write', { path: `${path}/more/below`, content: 'stolen', parents: true }],
    ] as const
    for (const [tool, input] of attempts) {
      const failure = failureOf(await folder.run(tool, input))
      expect(failure, tool).toMatchObject({ code: 'PATH_OUTSIDE', retryable: false })
      expect(failure.message).not.toContain('secret\n')
    }
    expect(outsideOf(folder)).toEqual(before)
  })

  it('is refused as an absolute path, with the same words whether it is there or not', async () => {
    using folder = testFolder()
    const [there, gone] = [join(folder.outside, 'secret.txt'), join(folder.outside, 'gone.txt')]
    const [a, b] = [
      failureOf(await folder.run('file_read', { path: there })),
      failureOf(await folder.run('file_read', { path: gone })),
    ]
    expect(a.code).toBe('PATH_OUTSIDE')
    expect(b.message.replace(gone, there)).toBe(a.message)
    expect(b).toMatchObject({ code: a.code, hint: a.hint })
  })

  it('is not confused with a folder whose name begins like the root', async () => {
    using folder = testFolder()
    mkdirSync(`${folder.root}-beside`)
    writeFileSync(`${folder.root}-beside/x`, '')
    expect(failureOf(await folder.run('file_read', { path: `${folder.root}-beside/x` })).code).toBe('PATH_OUTSIDE')
    folder.write('..hidden/x', 'fine')
    expect(outputOf(await folder.run('file_read', { path: '..hidden/x' }))['content']).toBe('fine')
  })
})

describe('a path that stays inside', () => {
  it('may go through links, also absolute ones and a root that is a link itself', async () => {
    using folder = testFolder()
    trap(folder)
    symlinkSync(folder.path('in'), folder.path('abs-in'))
    for (const path of ['ok/a.txt', 'abs-in/a.txt', 'in/../ok/./a.txt', folder.path('ok/a.txt')]) {
      expect(outputOf(await folder.run('file_read', { path }))['content']).toBe('inside')
    }
    const alias = `${folder.root}-alias`
    symlinkSync(folder.root, alias)
    using linked = testFolder({ roots: [alias] })
    for (const path of ['in/a.txt', `${alias}/in/a.txt`, folder.path('in/a.txt')]) {
      expect(outputOf(await linked.run('file_read', { path }))['content']).toBe('inside')
    }
    unlinkSync(alias)
  })

  it('may lie in any of the roots; a relative one starts at the first', async () => {
    using one = testFolder()
    using two = testFolder({ roots: [one.root, '/usr'] })
    one.write('a', 'first')
    expect(outputOf(await two.run('file_read', { path: 'a' }))['content']).toBe('first')
    expect(outputOf(await two.run('file_list', { path: '/usr', recursive: false }))['files']).toBeDefined()
    expect(failureOf(await two.run('file_read', { path: '/etc/passwd' })).code).toBe('PATH_OUTSIDE')
  })

  it('writes a file through a link to nothing yet, where that is inside', async () => {
    using folder = testFolder()
    trap(folder)
    outputOf(await folder.run('file_write', { path: 'nowhere-yet', content: 'made' }))
    expect(readFileSync(folder.path('nowhere'), 'utf8')).toBe('made')
  })

  it('sees a hard link as what it is: a file of this folder', async () => {
    using folder = testFolder()
    linkSync(join(folder.outside, 'secret.txt'), folder.path('hard'))
    expect(outputOf(await folder.run('file_read', { path: 'hard' }))['content']).toBe('secret')
    outputOf(await folder.run('file_write', { path: 'hard', content: 'mine' }))
    expect(outsideOf(folder)).toEqual([['secret.txt', 'secret']])
  })
})

describe('any path at all', () => {
  const part = fc.constantFrom('..', '.', '', 'in', 'a.txt', 'file', 'rel', 'abs', 'up', 'top', 'ok', 'twice', 'round', 'dangling', 'new', 'root', 'outside', 'secret.txt', 'etc', 'passwd') // prettier-ignore
  const soup = fc
    .tuple(fc.boolean(), fc.array(part, { minLength: 1, maxLength: 9 }))
    .map(([rooted, parts]) => ({ rooted, path: parts.join('/') }))

  it('never reads, and never writes, outside', async () => {
    using folder = testFolder()
    trap(folder)
    const before = outsideOf(folder)
    await fc.assert(
      fc.asyncProperty(
        soup,
        fc.constantFrom('file_read', 'file_hash', 'file_write', 'file_list'),
        async ({ rooted, path }, tool) => {
          const given = rooted ? folder.path(path) : path || '.'
          const result = await folder.run(tool, {
            path: given,
            ...(tool === 'file_write' && { content: 'x', parents: true }),
          })
          if ('failure' in result) {
            expect(result.failure.code).toMatch(/^(PATH_OUTSIDE|FILE_MISSING|FOLDER_MISSING|NOT_A_FILE|PATH_INVALID)$/)
          } else expect(JSON.stringify(result.output)).not.toMatch(/secret(?!\.txt)/)
          expect(outsideOf(folder)).toEqual(before)
        },
      ),
      { numRuns: 400 },
    )
  })

  it('never leads out while somebody swaps a folder for a link', async () => {
    using folder = testFolder()
    folder.write('swap/secret.txt', 'inside')
    const swap = { on: true }
    const swapper = (async () => {
      while (swap.on) {
        renameSync(folder.path('swap'), folder.path('kept'))
        symlinkSync(folder.outside, folder.path('swap'))
        await new Promise(setImmediate)
        rmSync(folder.path('swap'))
        renameSync(folder.path('kept'), folder.path('swap'))
        await new Promise(setImmediate)
      }
    })()
    const contents = new Set<unknown>()
    for (let round = 0; round < 150; round++) {
      const read = await folder.run('file_read', { path: 'swap/secret.txt' })
      contents.add('failure' in read ? read.failure.code : outputOf(read)['content'])
      await folder.run('file_write', { path: 'swap/made.txt', content: 'x' })
    }
    swap.on = false
    await swapper
    expect(
      [...contents].filter(
        (content) => !['inside', 'PATH_OUTSIDE', 'FILE_MISSING', 'PATH_INVALID'].includes(String(content)),
      ),
    ).toEqual([])
    expect(outsideOf(folder)).toEqual([['secret.txt', 'secret']])
  })
})
