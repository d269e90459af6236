// Exports that somebody has changed: each is refused in words, or is a run that can be told.
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import fc from 'fast-check'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { callCommand, type Called } from '../cli/callCommand.ts'

const folder = mkdtempSync(join(tmpdir(), 'planloom-test-'))
const journal = join(folder, 'imported.db')
const file = join(folder, 'hostile.jsonl')
/** Lines of runs as they were exported, without their checksum. */
const exported: string[][] = []

beforeAll(async () => {
  const recorded = join(folder, 'recorded.db')
  const fixtures = ['goal', 'amending', 'hopeless', 'paying', 'sorting', 'subGoal']
  for (const name of fixtures)
    await callCommand('run', `test/cli/fixtures/${name}.ts`, '--journal', recorded, '-q', '--yes')
  const { json } = await callCommand('runs', '-j', recorded, '--json')
  for (const { runId } of (json as { readonly runs: readonly { readonly runId: string }[] }).runs) {
    const { stdout } = await callCommand('export', runId, '-j', recorded)
    exported.push(stdout.trimEnd().split('\n').slice(0, -1))
  }
  exported.push(readFileSync('test/data/journals/export-1.jsonl', 'utf8').trimEnd().split('\n'))
})

afterAll(() => {
  rmSync(folder, { recursive: true, force: true })
})

async function imported(lines: readonly string[]): Promise<Called> {
  for (const end of ['', '-wal', '-shm']) rmSync(`${journal}${end}`, { force: true })
  const [head = '', ...events] = lines
  writeFileSync(file, [head.replace('"version":3', '"version":1'), ...events].join('\n'))
  return callCommand('import', file, '--journal', journal)
}

/** An error of ours has a code; any other prints its stack. */
function expectClear({ code, stderr }: Called, codes: readonly number[], what: string): void {
  expect(codes, `${what}: ${stderr}`).toContain(code)
  if (code > 1) expect(stderr, what).toMatch(/\[[A-Z_]+\]/)
  expect(stderr, what).not.toMatch(/^\s+at .*:\d+:\d+/m)
}

async function expectTold(what: string): Promise<void> {
  expectClear(await callCommand('show', '-j', journal), [0], `show ${what}`)
  expectClear(await callCommand('events', '-j', journal), [0], `events ${what}`)
  expectClear(await callCommand('replay', 'latest', '-j', journal), [0, 1], `replay ${what}`)
  for (const at of ['0', '2']) expectClear(await callCommand('show', '-j', journal, '--at', at), [0, 2], `at ${what}`)
}

const hostile = fc.oneof(
  fc.constantFrom<unknown>(
    null,
    '',
    'x',
    -1,
    0,
    0.5,
    1e300,
    true,
    false,
    [],
    {},
    [null],
    ['x'],
    '\u001b[2J\n',
    'a/b~c',
  ),
  fc.jsonValue({ maxDepth: 2 }),
)
/** How to find a place in a value whatever it is: at each level the next number chooses. */
const way = fc.array(fc.nat(1_000), { minLength: 1, maxLength: 8 })
const change = fc.oneof(
  fc.record({ kind: fc.constant('set' as const), line: fc.nat(), way, value: hostile }),
  fc.record({ kind: fc.constant('drop' as const), line: fc.nat(), way }),
  fc.record({ kind: fc.constant('add' as const), line: fc.nat(), way, key: fc.string(), value: hostile }),
  fc.record({ kind: fc.constant('remove' as const), line: fc.nat() }),
  fc.record({ kind: fc.constant('repeat' as const), line: fc.nat() }),
  fc.record({ kind: fc.constant('swap' as const), line: fc.nat() }),
)
type Change = typeof change extends fc.Arbitrary<infer C> ? C : never

function changed(lines: readonly string[], made: Change): string[] {
  const at = 1 + (made.line % (lines.length - 1))
  const [before, line = '', after] = [lines.slice(0, at), lines[at], lines.slice(at + 1)]
  if (made.kind === 'remove') return numbered([...before, ...after])
  if (made.kind === 'repeat') return numbered([...before, line, line, ...after])
  if (made.kind === 'swap') return numbered([...before, ...after.slice(0, 1), line, ...after.slice(1)])
  const event = JSON.parse(line) as unknown
  alter(event, made)
  return [...before, JSON.stringify(event), ...after]
}

function alter(root: unknown, made: Extract<Change, { readonly way: unknown }>): void {
  let place = root as Record<string, unknown>
  for (const [depth, number] of made.way.entries()) {
    const keys = Object.keys(place)
    const key = keys[number % Math.max(1, keys.length)]
    if (key === undefined) return
    const inner = place[key]
    if (depth < made.way.length - 1 && typeof inner === 'object' && inner !== null) {
      place = inner as Record<string, unknown>
      continue
    }
    if (made.kind === 'set') place[key] = made.value
    else if (made.kind === 'add')
      Object.defineProperty(place, made.key, {
        value: made.value,
        enumerable: true,
        configurable: true,
        writable: true,
      })
    else if (Array.isArray(place)) place.splice(Number(key), 1)
    else Reflect.deleteProperty(place, key)
    return
  }
}

/** With the numbers of their places, so that it is the events that do not fit together. */
function numbered(lines: readonly string[]): string[] {
  return lines.map((line, index) =>
    index === 0 ? line : JSON.stringify({ ...(JSON.parse(line) as object), seq: index - 1 }),
  )
}

describe('an export that was changed', () => {
  it('as it was, can be imported and told', async () => {
    for (const lines of exported) {
      expectClear(await imported(lines), [0], lines[1] ?? '')
      await expectTold(lines[1] ?? '')
    }
  })

  it('is refused in words, or is a run that can be told', async () => {
    await fc.assert(
      fc.asyncProperty(fc.nat(), fc.array(change, { minLength: 1, maxLength: 2 }), async (run, changes) => {
        let lines = exported[run % exported.length] ?? []
        for (const one of changes) lines = lines.length > 1 ? changed(lines, one) : lines
        const called = await imported(lines)
        const what = JSON.stringify(changes)
        expectClear(called, [0, 2], `import ${what}`)
        if (called.code === 0) await expectTold(what)
      }),
      { numRuns: 120 },
    )
  }, 120_000)

  it('tells nothing that a terminal would obey', async () => {
    const [head = '', ...events] = exported[0] ?? []
    const clear = '\\u001b[2J\\n'
    const named = events.map((line) =>
      line.replaceAll('Double', `${clear}Double`).replaceAll(/run-\w+/g, `run-${clear}x`),
    )
    const called = [await imported([head.replaceAll(/run-\w+/g, `run-${clear}x`), ...named])]
    expectClear(called[0] as Called, [0], 'import')
    for (const command of ['show', 'events', 'runs']) called.push(await callCommand(command, '-j', journal))
    called.push(
      await callCommand('show', '-j', journal, '--at', '2'),
      await callCommand('replay', 'latest', '-j', journal),
    )
    called.push(await callCommand('export', '-j', journal, '--out', join(folder, 'again.jsonl')))
    // eslint-disable-next-line no-control-regex -- control characters are what it looks for
    for (const { stdout, stderr } of called) expect(stdout + stderr).not.toMatch(/[\u0000-\u0009\u000b-\u001f]/)
  })

  it('may have times finer than milliseconds', async () => {
    const [head = '', ...events] = exported[0] ?? []
    const finer = events.map((line) => JSON.stringify({ ...(JSON.parse(line) as object), at: 1_700_000_000_000.5 }))
    expectClear(await imported([head, ...finer]), [0], 'finer times')
    await expectTold('finer times')
  })

  it.each([
    ['null', 'null'],
    ['a list', '[]'],
    ['a text', '"x"'],
    ['no JSON', '{"seq":2,'],
    ['nested too deep', `{"seq":2,"type":"fact.reported","value":${'['.repeat(50_000)}${']'.repeat(50_000)}}`],
  ])('with a line that is %s is refused with its number', async (_, line) => {
    const [head = '', start = '', plan = ''] = exported[0] ?? []
    const called = await imported([head, start, plan, line, '{}'])
    expectClear(called, [2], line.slice(0, 20))
    expect(called.stderr).toContain('line 4')
  })
})
