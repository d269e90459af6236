import { describe, expect, it } from 'vitest'
import { z } from 'zod'
import { defineTool } from '../../src/tools/defineTool.ts'
import { createToolRegistry } from '../../src/tools/registry.ts'

const tool = (name: string, more: { executor?: string; concurrency?: number; cost?: number } = {}) =>
  defineTool({ name, description: name, input: z.object({}), output: z.null(), run: () => null, ...more })

describe('the registry', () => {
  const read = tool('file_read', { concurrency: 2, executor: 'disk', cost: 3 })
  const registry = createToolRegistry([read, tool('file_write')])

  it('gives a tool by its name', () => {
    expect(registry.get('file_read')).toBe(read)
    expect(registry.has('file_write')).toBe(true)
    expect(registry.has('toString')).toBe(false)
    expect(registry.names).toEqual(['file_read', 'file_write'])
  })

  it('gives planners the descriptions, and the coordinator the traits', () => {
    expect(registry.descriptions().get('file_read')).toBe(read.description)
    expect(registry.traits()['file_read']).toEqual({
      effects: 'none',
      idempotent: true,
      version: '1',
      concurrency: 2,
      executor: 'disk',
    })
  })

  it('says which name comes nearest to one that it does not know', () => {
    expect(() => registry.get('fileread')).toThrow(
      expect.objectContaining({
        code: 'TOOL_UNKNOWN',
        message: 'There is no tool "fileread".',
        hint: 'Did you mean "file_read"?',
      }),
    )
    expect(() => createToolRegistry([]).get('x')).toThrow(expect.objectContaining({ code: 'TOOL_UNKNOWN' }))
  })

  it('refuses two tools of one name', () => {
    expect(() => createToolRegistry([tool('a'), tool('a')])).toThrow(
      expect.objectContaining({ code: 'TOOL_DUPLICATE' }),
    )
  })
})
