// Tools like those of a data audit, as descriptions: enough to plan with.
import type { Gift, Need, ToolDescription } from '../../src/plan/toolDescription.ts'
import type { JsonSchema } from '../../src/plan/json.ts'

export interface ToolSketch {
  readonly needs?: Readonly<Record<string, string | Need>>
  readonly requires?: readonly Need[]
  readonly gives?: Readonly<Record<string, string | Gift>>
  readonly cost?: number
  readonly likelihood?: number
  readonly input?: JsonSchema
  readonly output?: JsonSchema
}

export function tool(name: string, { needs = {}, requires = [], gives = {}, ...rest }: ToolSketch): ToolDescription {
  return {
    name,
    description: `The tool ${name}.`,
    input: rest.input ?? true,
    output: rest.output ?? true,
    needs: Object.fromEntries(
      Object.entries(needs).map(([key, need]) => [key, typeof need === 'string' ? { fact: need } : need]),
    ),
    requires,
    gives: Object.fromEntries(
      Object.entries(gives).map(([key, gift]) => [key, typeof gift === 'string' ? { from: gift } : gift]),
    ),
    cost: rest.cost ?? 1,
    likelihood: rest.likelihood ?? 1,
    effects: 'none',
    idempotent: true,
    version: '1',
  }
}

const endsWith = (extension: string): JsonSchema => ({
  type: 'object',
  properties: { extension: { const: extension } },
  required: ['extension'],
})
const isFormat = (format: string): Need => ({ fact: 'format', is: { const: format } })
const isUtf8: Need = { fact: 'encoding', is: { const: 'utf-8' } }

/** discover → recognise → (transcode →) read → profile, problems → report. */
export const auditTools: readonly ToolDescription[] = [
  tool('discover', { needs: { folder: 'folder' }, gives: { file: { from: '/files', each: true } } }),
  tool('recognise', {
    needs: { file: 'file' },
    gives: {
      format: {
        from: '/format',
        predict: ['csv', 'json', 'png', 'arrow'].map((value) => ({ fact: 'file', is: endsWith(`.${value}`), value })),
      },
      encoding: { from: '/encoding', predict: [{ fact: 'file', is: true, value: 'utf-8' }] },
    },
  }),
  tool('transcode', {
    needs: { file: 'file', encoding: { fact: 'encoding', is: { enum: ['latin-1', 'utf-16'] } } },
    gives: { file: '/file', encoding: { from: '/encoding', is: { const: 'utf-8' } } },
    cost: 2,
  }),
  tool('read_csv', {
    needs: { file: 'file' },
    requires: [isFormat('csv'), isUtf8],
    gives: { tables: '/tables' },
    likelihood: 0.9,
  }),
  tool('read_csv_leniently', {
    needs: { file: 'file' },
    requires: [isFormat('csv'), isUtf8],
    gives: { tables: '/tables' },
    cost: 3,
    likelihood: 0.95,
  }),
  tool('read_json', {
    needs: { file: 'file' },
    requires: [isFormat('json'), isUtf8],
    gives: { tables: '/tables' },
    likelihood: 0.9,
  }),
  tool('inspect_image', {
    needs: { file: 'file' },
    requires: [isFormat('png')],
    gives: { profile: '/profile', problems: '/problems' },
  }),
  tool('profile', { needs: { tables: 'tables' }, gives: { profile: '/profile' }, cost: 2 }),
  tool('find_problems', { needs: { tables: 'tables', profile: 'profile' }, gives: { problems: '/problems' }, cost: 2 }),
  tool('report', {
    needs: { profiles: { fact: 'profile', each: true }, problems: { fact: 'problems', each: true } },
    gives: { report: '/report' },
  }),
]
