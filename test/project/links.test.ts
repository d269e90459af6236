import { existsSync, readFileSync, statSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { filesUnder } from './files.ts'

const pages = [
  'README.md',
  'CONTRIBUTING.md',
  'CHANGELOG.md',
  ...filesUnder('docs', '.md'),
  ...filesUnder('examples', '.md'),
]

/** Links and pictures of a page that lead to a file or a heading of this repository. */
function ownLinks(text: string): string[] {
  const prose = text.replace(/^```.*?^```/gms, '').replace(/`[^`\n]*`/g, '')
  const inline = [...prose.matchAll(/\]\(\s*<?([^)\s>]+)>?[^)]*\)/g)]
  const html = [...prose.matchAll(/(?:src|href|srcset)="([^"]+)"/g)]
  const defined = [...prose.matchAll(/^\[[^\]]+\]:\s*(\S+)/gm)]
  return [...inline, ...html, ...defined]
    .map((match) => match[1] ?? '')
    .filter((link) => !/^[a-z][a-z+.-]*:/i.test(link))
}

/** Anchors as a forge makes them from headings. */
function anchors(text: string): Set<string> {
  const headings = text.replace(/^```.*?^```/gms, '').matchAll(/^#{1,6}\s+(.*)$/gm)
  return new Set(
    [...headings].map((match) =>
      (match[1] ?? '')
        .replace(/\]\([^)]*\)/g, '')
        .trim()
        .toLowerCase()
        .replace(/[^\p{L}\p{N}\s_-]/gu, '')
        .replace(/\s/g, '-'),
    ),
  )
}

function broken(page: string, link: string): string | undefined {
  const [path = '', anchor] = decodeURI(link).split('#')
  const target = path === '' ? page : join(dirname(page), path)
  if (!existsSync(target)) return `${link}: there is no ${target}`
  if (anchor && target.endsWith('.md') && !anchors(readFileSync(target, 'utf8')).has(anchor))
    return `${link}: no such heading`
  return undefined
}

describe('the pages', () => {
  it.each(pages)('%s has no link that leads nowhere', (page) => {
    const text = readFileSync(page, 'utf8')
    expect(ownLinks(text).flatMap((link) => broken(page, link) ?? [])).toEqual([])
    expect(statSync(page).size).toBeGreaterThan(0)
  })

  it('are checked by a check that can fail', () => {
    const text =
      '[a](gone.md) [b](CHANGELOG.md#nope) ![c](docs/none.svg) [d](https://example.org) `[e](code.md)` [f][g]\n[g]: lost.md'
    expect(ownLinks(text)).toEqual(['gone.md', 'CHANGELOG.md#nope', 'docs/none.svg', 'lost.md'])
    expect(ownLinks(text).map((link) => broken('README.md', link) !== undefined)).toEqual([true, true, true, true])
    expect([...anchors('# One, two\n## `run` & *done*')]).toEqual(['one-two', 'run--done'])
  })
})
