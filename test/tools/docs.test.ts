import { readFileSync } from 'node:fs'
import { describe, expect, it } from 'vitest'
import { filesUnder } from '../project/files.ts'

const page = readFileSync('docs/tools.md', 'utf8')
const sources = [...filesUnder('src/tools', '.ts'), 'src/plan/jsonValue.ts']
  .map((file) => readFileSync(file, 'utf8'))
  .join('\n')

/** What stands as a code where an error or a failure is made. */
const thrown = new Set([...sources.matchAll(/(?:Error|Failure|failure|invalid|refuse)\(\s*(?:stack, )?'([A-Z]+_[A-Z_]+)'|code: '([A-Z]+_[A-Z_]+)'|=> '([A-Z]+_[A-Z_]+)'/g)].map((match) => match[1] ?? match[2] ?? match[3] ?? '')) // prettier-ignore
const documented = new Set([...page.matchAll(/`([A-Z]+(?:_[A-Z]+)+)`/g)].map((match) => match[1] ?? ''))
const names = new Set([...sources.matchAll(/name: '([a-z]+_[a-z]+)'/g)].map((match) => match[1] ?? ''))

describe('the page about tools', () => {
  it('has every failure code that a tool gives', () => {
    expect(thrown.size).toBeGreaterThan(40)
    expect([...thrown].filter((code) => !documented.has(code))).toEqual([])
  })

  it('has no code that no tool gives', () => {
    expect([...documented].filter((code) => !sources.includes(`'${code}'`))).toEqual([])
  })

  it('has every tool', () => {
    expect(names.size).toBeGreaterThan(8)
    expect([...names].filter((name) => !page.includes(`\`${name}\``))).toEqual([])
  })
})
