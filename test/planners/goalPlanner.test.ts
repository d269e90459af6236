// The goal planner on the tools of an audit: what it plans first, and how it goes on at every kind of trouble.
import { describe, expect, it } from 'vitest'
import { createGoalPlanner } from '../../src/actors/planners/goal/goalPlanner.ts'
import type { Json } from '../../src/plan/json.ts'
import type { Goal } from '../../src/plan/schema.ts'
import { auditTools } from './auditTools.ts'
import { rehearse, ToolFailure, type Behaviour, type Rehearsal } from './rehearsal.ts'

interface RealFile {
  readonly name: string
  readonly extension: string
  readonly sizeBytes?: number
  readonly format?: string
  readonly encoding?: string
}

const goal: Goal = { text: 'audit', want: [{ fact: 'report' }], facts: { folder: '/data' } }

function behavioursFor(
  files: readonly RealFile[],
  others: Readonly<Record<string, Behaviour>> = {},
): Record<string, Behaviour> {
  const find = (file: Json): RealFile =>
    files.find(({ name }) => name === (file as unknown as RealFile).name) ?? { name: '?', extension: '' }
  return {
    discover: () => ({ files: files.map(({ name, extension, sizeBytes = 1 }) => ({ name, extension, sizeBytes })) }),
    recognise: ({ file }) => {
      const { format, extension, encoding = 'utf-8' } = find(file ?? null)
      return { format: format ?? extension.slice(1), encoding }
    },
    transcode: ({ file }) => ({ file: { ...(file as object), isUtf8: true } as Json, encoding: 'utf-8' }),
    read_csv: ({ file }) => ({ tables: [file ?? null] }),
    read_csv_leniently: ({ file }) => ({ tables: [file ?? null, 'leniently'] }),
    read_json: ({ file }) => ({ tables: [file ?? null] }),
    inspect_image: () => ({ profile: 'image', problems: [] }),
    profile: ({ tables }) => ({ profile: tables ?? null }),
    find_problems: ({ tables }) => ({ problems: tables ?? null }),
    report: (input) => ({ report: input }),
    ...others,
  }
}

async function audit(
  files: readonly RealFile[],
  others: Readonly<Record<string, Behaviour>> = {},
  partial?: 'allow',
): Promise<Rehearsal> {
  const withPartial: Goal = { ...goal, ...(partial && { partial }) }
  return rehearse({
    planner: createGoalPlanner(),
    tools: auditTools,
    goal: withPartial,
    behaviours: behavioursFor(files, others),
  })
}

const csv = (name: string, more: Partial<RealFile> = {}): RealFile => ({ name, extension: '.csv', ...more })

describe('a list that becomes known', () => {
  it('plans each item by what its name promises, and gathers them all', async () => {
    const run = await audit([csv('a'), { name: 'b', extension: '.json' }, { name: 'c', extension: '.png' }])
    expect(run.gaveUp).toBeUndefined()
    expect(run.status('report')).toBe('succeeded')
    expect(run.order.filter((id) => id.startsWith('read'))).toEqual(['read_csv[0]', 'read_json[1]'])
    expect(run.patches).toHaveLength(1)
  })

  it('reports on an empty list', async () => {
    const run = await audit([])
    expect(run.outputs.get('report')).toEqual({ report: { profiles: [], problems: [] } })
  })
})

describe('trouble', () => {
  it('puts a transcoder in front of a reader when the encoding is not what was assumed', async () => {
    const run = await audit([csv('a'), csv('b', { encoding: 'latin-1' })])
    expect(run.gaveUp).toBeUndefined()
    expect(run.outputs.get('read_csv[1]')).toMatchObject({ tables: [{ name: 'b', isUtf8: true }] })
    expect(run.outputs.get('read_csv[0]')).not.toMatchObject({ tables: [{ isUtf8: true }] })
    expect(run.patches[1]?.map(({ op }) => op)).toEqual(['unassume', 'replace', 'insert'])
    expect(run.status('report')).toBe('succeeded')
  })

  it('takes another reader for the one item whose reader failed', async () => {
    const run = await audit([csv('a'), csv('b')], {
      read_csv: ({ file }) => {
        if ((file as unknown as RealFile).name === 'b') throw new ToolFailure('quotes do not match')
        return { tables: [file ?? null] }
      },
    })
    expect(run.status('read_csv[1]')).toBe('failed')
    expect(run.status('read_csv_leniently[1]')).toBe('succeeded')
    expect(run.status('report')).toBe('succeeded')
    expect(run.patches[1]).toMatchSnapshot()
  })

  it('takes another reader when the format is another one', async () => {
    const run = await audit([csv('a', { format: 'json' }), csv('b')])
    expect(run.status('report')).toBe('succeeded')
    expect(run.order).toContain('read_json[0]')
    expect(run.order).not.toContain('read_csv[0]')
  })

  it('gives up with what is missing where the goal is all or nothing', async () => {
    const run = await audit([csv('a', { format: 'arrow' }), csv('b')])
    expect(run.gaveUp).toMatchSnapshot()
  })

  it('leaves out the item where the goal allows for partial results', async () => {
    const run = await audit([csv('a', { format: 'arrow' }), csv('b')], {}, 'allow')
    expect(run.gaveUp).toBeUndefined()
    expect(run.status('report')).toBe('succeeded')
    expect(run.status('read_csv[0]')).toBe('abandoned')
    expect(run.outputs.get('report')).toMatchObject({ report: { profiles: [[{ name: 'b' }]] } })
  })

  it('deals with several troubles in one patch', async () => {
    const run = await audit(
      [csv('a', { encoding: 'latin-1' }), csv('b', { format: 'json' }), csv('c', { format: 'arrow' })],
      {},
      'allow',
    )
    expect(run.status('report')).toBe('succeeded')
  })
})
