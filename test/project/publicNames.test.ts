import { describe, expect, it } from 'vitest'
import { exportedNames, publicEntries } from './publicNames.ts'

describe('the public surface', () => {
  it.each([...publicEntries()])('of %s is what it was', (_, file) => {
    const names = exportedNames(file).map(({ name, isType }) => (isType ? `type ${name}` : name))
    expect(names.length).toBeGreaterThan(0)
    expect(new Set(names).size).toBe(names.length)
    expect(names.sort().join('\n')).toMatchSnapshot()
  })

  it.each([...publicEntries()])('of %s is really there when it is imported', async (entry, file) => {
    const values = exportedNames(file).filter(({ isType }) => !isType)
    const module = (await import(entry)) as Record<string, unknown>
    expect(Object.keys(module).sort()).toEqual(values.map(({ name }) => name).sort())
    expect(values.filter(({ name }) => module[name] === undefined)).toEqual([])
  })
})
