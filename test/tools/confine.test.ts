import { mkdirSync, mkdtempSync, readdirSync, realpathSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join, sep } from 'node:path'
import fc from 'fast-check'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { confine, confineNew, unreadable } from '../../src/tools/confine.ts'

let root: string
let outside: string
beforeAll(() => {
  root = realpathSync(mkdtempSync(join(tmpdir(), 'planloom-root-')))
  outside = realpathSync(mkdtempSync(join(tmpdir(), 'planloom-outside-')))
  mkdirSync(join(root, 'sub'))
  writeFileSync(join(root, 'sub', 'a.csv'), 'a\n')
  writeFileSync(join(root, '..data'), 'a name that begins with dots')
  writeFileSync(join(outside, 'secret.csv'), 'a\n')
  symlinkSync(join(outside, 'secret.csv'), join(root, 'link.csv'))
  symlinkSync(outside, join(root, 'linked'))
  symlinkSync(join(root, 'sub', 'a.csv'), join(root, 'inner.csv'))
  symlinkSync(join(outside, 'not-yet'), join(root, 'dangling'))
  symlinkSync('sub/not-yet', join(root, 'inner-dangling'))
  symlinkSync('circle', join(root, 'circle'))
  symlinkSync(root, join(outside, 'root-link'))
})
afterAll(() => {
  rmSync(root, { recursive: true })
  rmSync(outside, { recursive: true })
})

describe('confine', () => {
  it.each(['sub/a.csv', './sub/../sub/a.csv', 'inner.csv', '..data'])('lets %s through', async (path) => {
    expect(await confine([root], path)).toMatch(/a\.csv$|\.\.data$/)
  })

  it.each(['link.csv', 'linked/secret.csv', '../', '../../etc/passwd', '/etc/passwd', 'sub/../../x'])(
    'refuses %s',
    async (path) => {
      await expect(confine([root], path)).rejects.toMatchObject({ code: 'PATH_OUTSIDE', where: { path } })
    },
  )

  it('does not tell whether a file outside is there', async () => {
    await expect(confine([root], join(outside, 'none.csv'))).rejects.toMatchObject({ code: 'PATH_OUTSIDE' })
  })

  it('says that a file is missing', async () => {
    await expect(confine([root], 'sub/b.csv')).rejects.toMatchObject({ code: 'FILE_MISSING' })
  })

  it('says that there is no permission', () => {
    const error = Object.assign(new Error('EACCES: permission denied'), { code: 'EACCES' })
    expect(unreadable('x.csv', error)).toMatchObject({
      code: 'NO_PERMISSION',
      message: 'No permission: this user may not read or write "x.csv".',
    })
  })
})

describe('confineNew', () => {
  it.each([
    ['new.txt', 'new.txt'],
    ['sub/deep/er/new.txt', 'sub/deep/er/new.txt'],
    ['inner-dangling', 'sub/not-yet'],
    ['inner-dangling/x', 'sub/not-yet/x'],
    ['sub/a.csv', 'sub/a.csv'],
    ['sub/../new.txt', 'new.txt'],
    ['..new', '..new'],
  ])('gives %s its place: %s', async (path, place) => {
    expect(await confineNew([root], path)).toBe(join(root, place))
  })

  it.each([
    'linked/new.txt',
    'linked/deep/new.txt',
    'dangling',
    'dangling/new.txt',
    '../new.txt',
    'sub/../../new.txt',
    '/new.txt',
  ])('refuses %s', async (path) => {
    await expect(confineNew([root], path)).rejects.toMatchObject({ code: 'PATH_OUTSIDE', retryable: false })
  })

  it('says that links go round in circles', async () => {
    await expect(confineNew([root], 'circle/new.txt')).rejects.toMatchObject({ code: 'PATH_INVALID' })
  })

  it.each(['a\0b', '../a\0b'])('refuses a path that no system takes: %j', async (path) => {
    await expect(confineNew([root], path)).rejects.toMatchObject({
      code: 'PATH_INVALID',
    })
  })

  it('looks at what comes after a missing folder and its ..: a link there may lead out (C1)', async () => {
    symlinkSync(join(outside, 'elsewhere'), join(root, 'way-out'))
    for (const path of ['missing/../way-out', 'missing/deep/../../way-out', './missing/../way-out/new.txt']) {
      await expect(confineNew([root], path)).rejects.toMatchObject({ code: 'PATH_OUTSIDE' })
    }
    expect(await confineNew([root], 'missing/../sub/new.txt')).toBe(join(root, 'sub', 'new.txt'))
  })

  it('takes a root that is a link for its target', async () => {
    expect(await confineNew([join(outside, 'root-link')], 'new.txt')).toBe(join(root, 'new.txt'))
    await expect(confine([join(outside, 'root-link')], 'sub/b.csv')).rejects.toMatchObject({ code: 'FILE_MISSING' })
  })

  it('allows any of several roots, and nothing without one', async () => {
    expect(await confineNew([join(root, 'sub'), outside], join(outside, 'x'))).toBe(join(outside, 'x'))
    await expect(confineNew([], join(root, 'x'))).rejects.toMatchObject({ code: 'PATH_OUTSIDE' })
    await expect(confineNew([], 'package.json')).rejects.toMatchObject({ code: 'PATH_OUTSIDE' })
  })
})

describe('whatever stands in the folder, and whatever path is asked for', () => {
  const name = fc.constantFrom('a', 'b', 'c')
  const part = fc.oneof({ weight: 3, arbitrary: name }, { weight: 1, arbitrary: fc.constantFrom('..', '.', '') })
  const relativePath = fc.array(part, { minLength: 1, maxLength: 5 }).map((parts) => parts.join('/'))
  const target = fc.oneof(
    relativePath,
    relativePath.map((path) => `../outside/${path}`),
    relativePath.map((path) => `ROOT/${path}`),
    relativePath.map((path) => `OUTSIDE/${path}`),
  )
  const entry = fc.record({ at: relativePath, kind: fc.constantFrom('folder', 'file', 'link'), target })

  it('what is let through is inside, before and after it is written (C1, C3)', async () => {
    const counts = { through: 0, refused: 0 }
    await fc.assert(
      fc.asyncProperty(fc.array(entry, { maxLength: 8 }), target, async (entries, asked) => {
        const base = realpathSync(mkdtempSync(join(tmpdir(), 'planloom-confine-')))
        try {
          const [inner, outer] = [join(base, 'inner'), join(base, 'outside')]
          mkdirSync(inner)
          mkdirSync(outer)
          const place = (path: string) => path.replace('ROOT', inner).replace('OUTSIDE', outer)
          for (const { at, kind, target } of entries) {
            attempt(() => {
              const path = join(inner, at)
              if (!path.startsWith(inner + sep)) return
              if (kind === 'folder') mkdirSync(path)
              else if (kind === 'file') writeFileSync(path, 'x')
              else symlinkSync(place(target), path)
            })
          }
          const before = namesUnder(outer)
          const path = await confineNew([inner], place(asked)).catch((error: unknown) => {
            expect(error).toMatchObject({
              code: expect.stringMatching(/^(PATH_OUTSIDE|PATH_INVALID|FILE_MISSING|FOLDER_MISSING)$/),
            })
          })
          if (path === undefined) {
            counts.refused++
            return
          }
          counts.through++
          expect(path === inner || path.startsWith(inner + sep)).toBe(true)
          attempt(() => {
            mkdirSync(dirname(path), { recursive: true })
            writeFileSync(path, 'written')
            expect(realpathSync(path)).toBe(path)
          })
          expect(namesUnder(outer)).toEqual(before)
        } finally {
          rmSync(base, { recursive: true })
        }
      }),
      { numRuns: 150 },
    )
    expect(counts.through).toBeGreaterThan(30)
    expect(counts.refused).toBeGreaterThan(30)
  })

  /** All that stands in a folder. Links are named and not followed: with some in a circle, following them takes for ever. */
  function namesUnder(folder: string): string[] {
    return readdirSync(folder, { withFileTypes: true }).flatMap((entry) => {
      const path = join(folder, entry.name)
      return entry.isDirectory() ? [path, ...namesUnder(path)] : [path]
    })
  }

  /** What the file system does not allow is no matter here; what is expected is. */
  function attempt(act: () => void): void {
    try {
      act()
    } catch (error) {
      if (!(error instanceof Error && 'syscall' in error)) throw error
    }
  }
})
