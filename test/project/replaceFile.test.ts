import { mkdirSync, readFileSync, readdirSync } from 'node:fs'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { replaceFile, replaceFileSync } from '../../src/replaceFile.ts'
import { scratchFolder } from '../support/scratchFolder.ts'

const ways = { replaceFile, replaceFileSync: async (path: string, text: string) => replaceFileSync(path, text) }

it.each(Object.entries(ways))('%s puts a file in its place whole, and leaves nothing beside it', async (_, replace) => {
  const folder = join(scratchFolder(), 'new', 'folder')
  const path = join(folder, 'file')
  await replace(path, 'former')
  await Promise.all(['Grüße 🙂', 'Grüße 🙂'].map((text) => replace(path, text)))
  expect(readFileSync(path, 'utf8')).toBe('Grüße 🙂')
  mkdirSync(join(folder, 'taken'))
  await expect(replace(join(folder, 'taken'), 'text')).rejects.toMatchObject({ syscall: 'rename' }) // R2
  expect(readdirSync(folder).sort()).toEqual(['file', 'taken'])
})
