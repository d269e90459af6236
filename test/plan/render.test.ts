import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import {
  applyPatch,
  expandForEach,
  parsePlan,
  renderDot,
  renderMarkdown,
  renderMermaid,
  renderTree,
  type Plan,
  type Step,
} from '../../src/plan/index.ts'
import { plans } from '../arbitraries/plans.ts'

const plan = planOf([
  { id: 'list', tool: 'list_files' },
  { id: 'read', tool: 'read_file', forEach: { $from: 'list', path: '/files' }, input: { file: { $item: '' } } },
  { id: 'ask', instruction: 'Fine?', executor: 'person', after: ['list'] },
  {
    id: 'report',
    title: 'Write it',
    tool: 'write',
    input: { all: { $from: 'read' } },
    after: ['ask'],
    why: 'it is wanted',
  },
])
const expanded = applyPatch(plan, {
  base: 1,
  by: plan.by,
  because: { type: 'expanded', text: '' },
  operations: [...expandForEach(plan, 'read', 3)],
})
const status = (id: string): string | undefined =>
  ({ list: 'succeeded', 'read[0]': 'succeeded', 'read[1]': 'succeeded', 'read[2]': 'failed', ask: 'running' })[id]

describe('what a step does', () => {
  const asked = (more: Partial<Step>): string =>
    renderTree(planOf([{ id: 'a', instruction: 'Sum up', ...more }])).split('\n')[1] ?? ''

  it('names the tools of a step that a model follows', () => {
    expect(asked({})).toBe('└─ a: asks: Sum up')
    expect(asked({ tools: [] })).toBe('└─ a: asks a model: Sum up')
    expect(asked({ tools: ['read', 'query'] })).toBe('└─ a: asks a model with read, query: Sum up')
    expect(asked({ tools: ['a', 'b', 'c', 'd', 'e', 'f'] })).toBe(
      '└─ a: asks a model with a, b, c, d and 2 more: Sum up',
    )
  })
})

describe('Mermaid', () => {
  it('draws steps and dependencies, those of order dashed', () => {
    expect(renderMermaid(plan)).toBe(`flowchart TD
  s0["list<br/>list_files"]
  s1["read<br/>read_file"]
  s2{{"ask<br/>asks: Fine#63;"}}
  s3["Write it<br/>write"]
  s0 --> s1
  s0 -.-> s2
  s1 --> s3
  s2 -.-> s3
`)
  })

  it('folds children into their parent, and marks how far each step is', () => {
    expect(renderMermaid(expanded, { fold: true, status })).toBe(`flowchart TD
  s0["list<br/>list_files<br/>succeeded"]
  s1[["read × 3<br/>read_file<br/>succeeded 2, failed 1"]]
  s2{{"ask<br/>asks: Fine#63;<br/>running"}}
  s3["Write it<br/>write"]
  s0 --> s1
  s0 -.-> s2
  s1 --> s3
  s2 -.-> s3
  classDef running fill:#dbeafe,stroke:#1d4ed8
  class s2 running
  classDef succeeded fill:#dcfce7,stroke:#15803d
  class s0 succeeded
`)
    expect(
      renderMermaid(expanded)
        .split('\n')
        .filter((line) => line.includes('["')).length,
    ).toBe(6)
  })
})

describe('DOT', () => {
  it('draws steps and dependencies', () => {
    expect(renderDot(plan)).toBe(`digraph "go" {
  rankdir=TB
  node [shape=box, style="rounded,filled", fillcolor=white, fontname="sans-serif"]
  "list" [label="list\\nlist_files"]
  "read" [label="read\\nread_file"]
  "ask" [label="ask\\nasks: Fine?", shape=hexagon]
  "report" [label="Write it\\nwrite"]
  "list" -> "read"
  "list" -> "ask" [style=dashed]
  "read" -> "report"
  "ask" -> "report" [style=dashed]
}
`)
  })
})

describe('the tree', () => {
  it('shows each step once, under what it waits for last', () => {
    expect(renderTree(plan)).toBe(`go
└─ list: list_files
   ├─ read: read_file × each
   │  └─ report: write (Write it), also after ask
   └─ ask: asks: Fine?
`)
  })

  it('folds and tells how far', () => {
    expect(renderTree(expanded, { fold: true, status })).toBe(`go
└─ list: list_files [succeeded]
   ├─ read: read_file × 3 [succeeded 2, failed 1]
   │  └─ report: write (Write it), also after ask
   └─ ask: asks: Fine? [running]
`)
  })

  it('grows with the plan, also for a chain of 10,000 steps', () => {
    const chain = planOf(
      Array.from({ length: 10_000 }, (_, i) => ({ id: `s${i}`, tool: 't', ...(i > 0 && { after: [`s${i - 1}`] }) })),
    )
    expect(renderTree(chain).length).toBeLessThan(1_000_000)
  })
})

describe('Markdown', () => {
  it('is a heading, a drawing and a table', () => {
    expect(renderMarkdown(plan, { drawing: false })).toBe(`# go

Revision 1, 4 steps, by fixed: first plan

| # | step | does | after | why |
| --- | --- | --- | --- | --- |
| 1 | list | list\\_files |  |  |
| 2 | read | read\\_file × each | list |  |
| 3 | ask | asks: Fine? | list |  |
| 4 | report: Write it | write | read, ask | it is wanted |
`)
    expect(renderMarkdown(plan)).toContain('```mermaid\nflowchart TD\n')
  })
})

describe('hostile text', () => {
  const hostile =
    '"]; x --> y\n# <script>alert(1)</script> | `code` ``` [link](javascript:x) ![i](http://h/) \\" \u001b[31mred\u202e </td> &amp; ~~~ *b* _u_ @user https://evil.example'
  const bad = planOf(
    [
      { id: 'a', tool: 't', title: hostile, why: hostile },
      { id: 'b', instruction: hostile, after: ['a'] },
    ],
    hostile,
  )

  it('cannot leave a Mermaid label', () => {
    for (const line of renderMermaid(bad).trim().split('\n').slice(1))
      expect(line).toMatch(
        /^ {2}(s\d+(\["[^"<>\]`[]*(<br\/>[^"<>\]`[]*)*"\]|\{\{"[^"<>\]`{}]*(<br\/>[^"<>\]`{}]*)*"\}\})|s\d+ -\.?->? s\d+|s\d+ -\.-> s\d+)$/,
      )
  })

  it('cannot leave a DOT string', () => {
    for (const line of renderDot(bad).trim().split('\n'))
      expect(line.replace(/"(?:[^"\\]|\\.)*"/g, '""')).not.toMatch(/script|alert|["\\]{3}/)
  })

  it('is no markup in Markdown', () => {
    const text = renderMarkdown(bad, { drawing: false })
    expect(text).not.toMatch(/<|[^\\]`|[^\\]\[|@user|https:\/\/evil/)
    expect(
      text
        .split('\n')
        .filter((line) => line.startsWith('|'))
        .every((line) => line.replace(/\\\|/g, '').split('|').length === 7),
    ).toBe(true)
  })

  it('brings no control characters, whatever the drawing', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary' }), (text) => {
        const one = planOf([{ id: 'a', tool: 't', title: text.slice(0, 50) }], `x${text}`.slice(0, 50))

        for (const drawn of all(one)) expect(drawn).not.toMatch(/(?!\n)[\p{Cc}\u202a-\u202e\u2066-\u2069]/u)
      }),
    )
  })
})

it('draws the same for the same plan, and no step is missing', () => {
  fc.assert(
    fc.property(plans({ models: true }), (one) => {
      const again = JSON.parse(JSON.stringify(one)) as Plan
      expect(all(again)).toEqual(all(one))
      expect(renderTree(one).trim().split('\n').length).toBe(one.steps.length + 1)
    }),
  )
})

function all(one: Plan): string[] {
  return [renderMermaid(one), renderDot(one), renderMarkdown(one), renderTree(one)]
}

function planOf(steps: readonly object[], goal = 'go'): Plan {
  return parsePlan({ id: 'p', goal: { text: goal }, steps })
}
