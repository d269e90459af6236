import fc from 'fast-check'
import { afterAll, describe, expect, it } from 'vitest'
import { openDuckDB } from '../../../src/tools/duckdb/openDuckDB.ts'
import { quoteName, quotePath, quoteText } from '../../../src/tools/duckdb/sql.ts'

const db = openDuckDB({ roots: [] })
afterAll(() => db.close())
const anyText = fc
  .string({ unit: 'grapheme', minLength: 1, maxLength: 30 })
  .filter((text) => !text.includes('\0') && !/\p{Surrogate}/u.test(text))

describe('quoting', () => {
  it('Q1: brings any text through SQL unchanged', async () => {
    await fc.assert(
      fc.asyncProperty(anyText, async (text) => {
        expect((await db.query(`SELECT ${quoteText(text)}`)).rows).toEqual([[text]])
      }),
      { numRuns: 60, examples: [["'; DROP TABLE x; --"], ['\\'], ['a\nb'], ["''"]] },
    )
  })

  it('Q1: makes any text a column name', async () => {
    await fc.assert(
      fc.asyncProperty(anyText, async (name) => {
        const { columns } = await db.query(`SELECT 1 AS ${quoteName(name)}`)
        expect(columns[0]?.name).toBe(name)
      }),
      { numRuns: 60, examples: [['"'], ['a"; DROP TABLE x; --'], ['<img src=x onerror=alert(1)>']] },
    )
  })

  it('refuses NUL, which DuckDB would cut the text at', () => {
    expect(() => quoteText('a\0b')).toThrow(expect.objectContaining({ code: 'SQL_TEXT_INVALID' }))
  })

  it('Q2: takes the meaning out of pattern signs in a path', () => {
    expect(quotePath('/d/a[1]*?.csv')).toBe("'/d/a[[]1][*][?].csv'")
  })
})
