import { readdirSync, readFileSync } from 'node:fs'
import ts from 'typescript'
import { describe, expect, it } from 'vitest'

const room = new URL('../../src/plan/', import.meta.url)
const files = readdirSync(room, { recursive: true, encoding: 'utf8' }).filter((name) => name.endsWith('.ts'))
const packages = new Set([
  'zod',
  'yaml',
  'fastest-levenshtein',
  '@cfworker/json-schema',
  '@noble/hashes/sha2.js',
  '@noble/hashes/utils.js',
])

describe('the plan room runs anywhere, in a browser as well', () => {
  it('has files', () => {
    expect(files.length).toBeGreaterThan(30)
  })

  it.each(files)('%s imports nothing of Node', (name) => {
    const source = readFileSync(new URL(name, room), 'utf8')
    for (const { fileName } of ts.preProcessFile(source).importedFiles) {
      expect(fileName.startsWith('.') || packages.has(fileName), fileName).toBe(true)
    }
    const code = source.replace(/^ \*.*$/gm, '')
    expect(code).not.toMatch(/\b(process\.|Buffer\b|require\(|__dirname|new Function|eval\()/)
  })
})
