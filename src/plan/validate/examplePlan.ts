// Every field of the format once, with a value that fits: what hints show, and where the names of fields are looked up.
import type { Json } from '../json.ts'
import { getPointer, formatPointer } from '../pointer.ts'
import type { Goal, Plan, Step } from '../schema.ts'
import type { Place } from './report.ts'

const goal: Required<Goal> = {
  text: 'Report how prices have changed',
  want: [{ fact: 'report', is: { type: 'string' } }],
  facts: {},
  partial: 'allow',
}

/** Not a step that could run: it has the fields of all kinds. */
const step: Required<Step> = {
  id: 'read',
  title: 'Read the list',
  tool: 'read_file',
  goal,
  instruction: 'Look the list over.',
  tools: ['read_file', 'query'],
  input: { path: 'list.csv' },
  after: ['fetch'],
  executor: 'person',
  when: { value: { $from: 'fetch', path: '/count' }, is: { minimum: 1 } },
  forEach: { $from: 'fetch', path: '/files' },
  expanded: 3,
  item: '3',
  expect: { type: 'object' },
  retry: { attempts: 3, backoffMs: 200, factor: 2, maxBackoffMs: 30_000, jitter: 0.2 },
  timeoutMs: 30_000,
  onFailure: 'skip',
  onSkipped: 'run',
  approval: 'required',
  cache: true,
  cost: 2,
  why: 'The goal speaks of prices.',
  abandoned: 'The list is gone.',
}

const examplePlan: Plan = {
  id: 'price-report',
  goal,
  revision: 2,
  parent: 1,
  by: { planner: 'fixed', model: 'none' },
  because: { type: 'edited', text: 'There is one shop more.', steps: ['read'] },
  steps: [step],
  assumptions: [
    { id: 'in-euro', statement: 'Prices are in euros', fact: 'currency', is: { const: 'EUR' }, steps: ['read'] },
  ],
}

/** What may stand at a place in a plan; `undefined` where there is no such place, or anything may stand there. */
export function exampleAt(place: Place): Json | undefined {
  const parts = place.map((part) => (typeof part === 'number' ? 0 : part))
  return getPointer(examplePlan as unknown as Json, formatPointer(parts))
}

/** What may stand at a place, small enough to be shown. */
export function exampleText(place: Place): string | undefined {
  const example = exampleAt(place)
  if (example === undefined) return undefined
  const text = JSON.stringify(example).replaceAll('":', '": ').replaceAll(',"', ', "')
  if (text.length <= 80) return text
  return (
    smallExamples[place.map((part) => (typeof part === 'number' ? '0' : part)).join('/')] ??
    smallExamples[place.at(-1) ?? ''] ??
    (Array.isArray(example) ? '[…]' : '{…}')
  )
}

const smallExamples: Readonly<Record<string, string>> = {
  'steps/0': '{"id": "read", "tool": "read_file"}',
  'assumptions/0': '{"id": "in-euro", "statement": "…", "fact": "currency", "is": {"const": "EUR"}, "steps": ["read"]}',
  goal: '{"text": "Report how prices have changed"}',
  steps: '[{"id": "read", "tool": "read_file", "input": {"path": "list.csv"}}]',
  retry: '{"attempts": 3, "backoffMs": 200}',
  assumptions:
    '[{"id": "in-euro", "statement": "Prices are in euros", "fact": "currency", "is": {"const": "EUR"}, "steps": ["read"]}]',
  because: '{"type": "edited", "text": "There is one shop more."}',
}
