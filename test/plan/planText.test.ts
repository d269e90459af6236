import { describe, expect, it } from 'vitest'
import { findPlace, parsePlan, parsePlanText } from '../../src/plan/index.ts'

const yaml = `# A plan
id: p
goal: { text: go }
steps:
  - id: a
    tool: walk
  - id: b
    tool: sit
    after: [a]
    input:
      "a/b": { $from: a, path: /x }
`

describe('plans as text', () => {
  it('are the same from YAML and from JSON', () => {
    const value = parsePlanText(yaml)
    expect(parsePlanText(JSON.stringify(value))).toEqual(value)
    expect(parsePlanText(JSON.stringify(value), { format: 'json' })).toEqual(value)
    expect(parsePlanText(`\ufeff${JSON.stringify(value)}`)).toEqual(value)
    expect(parsePlan(value).steps.map(({ id }) => id)).toEqual(['a', 'b'])
  })

  it.each<[string, string, 'json' | 'yaml' | undefined, RegExp]>([
    ['YAML', 'id: p\nsteps: [\n', undefined, /^plan\.yml, line 3, column 1: /],
    ['a key given twice', 'id: p\nid: q\n', undefined, /^plan\.yml, line 2, column 1: .*unique/],
    ['JSON', '{\n  "id": "p",\n  "goal" 3\n}', 'json', /^plan\.yml, line 3, column \d+: /],
    ['JSON that ends too early', '{\n"id":', 'json', /^plan\.yml, line 2, column 6: /],
    ['two documents', 'id: p\n---\nid: q\n', 'yaml', /line 2, column 1: .*document/],
  ])('say where they go wrong: %s', (_, text, format, message) => {
    const options = { name: 'plan.yml', ...(format !== undefined && { format }) }
    expect(() => parsePlanText(text, options)).toThrow(
      expect.objectContaining({ code: 'PLAN_SYNTAX', message: expect.stringMatching(message) as string }),
    )
  })

  it('X2: refuse aliases that would blow up', () => {
    const lines = ['a: &a [x,x,x,x,x,x,x,x,x]']
    for (let i = 1; i < 12; i++) {
      const name = String.fromCharCode(97 + i)
      const before = String.fromCharCode(96 + i)
      lines.push(`${name}: &${name} [${Array.from({ length: 9 }, () => `*${before}`).join(',')}]`)
    }
    expect(() => parsePlanText(lines.join('\n'))).toThrow(expect.objectContaining({ code: 'PLAN_SYNTAX' }))
  })

  it('may use a few aliases', () => {
    expect(parsePlanText('a: &r { attempts: 2 }\nb: *r')).toEqual({ a: { attempts: 2 }, b: { attempts: 2 } })
  })

  it('do not overflow the stack, however deep', () => {
    expect(() => parsePlanText('['.repeat(100_000))).toThrow(expect.objectContaining({ code: 'PLAN_SYNTAX' }))
  })

  it('X1: read dates and unknown tags as text, and "__proto__" as a key', () => {
    expect(parsePlanText('a: 2024-01-01\nb: yes\nc: 0x10')).toEqual({ a: '2024-01-01', b: 'yes', c: 16 })
    const value = parsePlanText('{__proto__: {polluted: 1}, b: 1}', { format: 'yaml' }) as object
    expect(Object.getPrototypeOf(value)).toBe(Object.prototype)
    expect(({} as Record<string, unknown>)['polluted']).toBeUndefined()
  })

  it('tell where the value at a pointer stands', () => {
    expect(findPlace(yaml, '/steps/1/tool')).toEqual({ line: 8, column: 11 })
    expect(findPlace(yaml, '/steps/1/input/a~1b/path')).toEqual({ line: 11, column: 32 })
    expect(findPlace(yaml, '/steps/1/nothing/here')).toEqual(findPlace(yaml, '/steps/1'))
    expect(findPlace('{"a": [1,\n 2]}', '/a/1')).toEqual({ line: 2, column: 2 })
    expect(findPlace('[', '/0')).toBeDefined()
  })
})
