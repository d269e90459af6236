// Forks and moments from the command line.
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterEach, expect, it, vi } from 'vitest'
import { scratchFolder } from '../support/scratchFolder.ts'
import { callCommand } from './callCommand.ts'

const goal = 'test/cli/fixtures/goal.ts'

interface Recorded {
  readonly journal: string
  readonly run: string
  /** Number of the event that tells of the list. */
  readonly listed: number
}

/** The numbers 0 to 3 listed and doubled. */
async function recorded(): Promise<Recorded> {
  const journal = join(scratchFolder(), 'runs.db')
  expect((await callCommand('run', goal, '--journal', journal, '-q')).code).toBe(0)
  const run = await latest(journal)
  const { stdout } = await callCommand('events', run, '-j', journal)
  const [, listed] = /^ +(\d+) .*step\.succeeded +list/m.exec(stdout) ?? []
  return { journal, run, listed: Number(listed) }
}

async function latest(journal: string): Promise<string> {
  const { json } = await callCommand('runs', '-j', journal, '--json', '--limit', '1')
  return (json as { readonly runs: readonly { readonly runId: string }[] }).runs[0]?.runId ?? ''
}

it('planloom fork goes on from a moment with another outcome, and diff tells what became of it', async () => {
  const { journal, run, listed } = await recorded()
  const given = join(scratchFolder(), 'list.json')
  writeFileSync(given, JSON.stringify({ items: [0, 1] }))
  const forked = await callCommand('fork', goal, run, '--at', String(listed), '--output', `list=@${given}`, '-j', journal, '-q')
  expect([forked.code, forked.stderr]).toEqual([0, expect.stringContaining(`is forked from ${run}, after event ${String(listed)}`)])
  const fork = await latest(journal)
  expect(fork).not.toBe(run)
  const { stdout } = await callCommand('diff', run, fork, '-j', journal)
  expect(stdout).toMatch(/^plan \(\d+\)\n/)
  expect(stdout).toMatch(/\n {2}double\[2\] {2}succeeded, only in the first\n/)
  expect(stdout).toMatch(/\nfacts \(\d+\)\n {2}numbers {2}\/2 2 becomes nothing\n/)
  const { json } = await callCommand('diff', run, `${run}@${String(listed)}`, '-j', journal, '--json')
  expect(json).toMatchObject({ facts: [] })
  expect((json as { readonly steps: readonly { readonly id: string }[] }).steps.map(({ id }) => id)).toContain('double[0]')
}) // prettier-ignore

afterEach(() => {
  vi.unstubAllEnvs()
})

it('PLANLOOM_JOURNAL names the journal for run, fork, resume and journal verify as for all others', async () => {
  const journal = join(scratchFolder(), 'named.db')
  vi.stubEnv('PLANLOOM_JOURNAL', journal)
  expect((await callCommand('run', goal, '-q')).code).toBe(0)
  const run = await latest(journal)
  expect((await callCommand('fork', goal, run, '--at', '0', '-q')).code).toBe(0)
  expect(await latest(journal)).not.toBe(run)
  expect((await callCommand('resume', goal)).stderr).toContain(`"${journal}" holds no run that is not over.`)
  expect((await callCommand('journal', 'verify', '--json')).json).toMatchObject({ journal, runs: 2, faults: [] })
  const other = join(scratchFolder(), 'other.db')
  expect((await callCommand('run', goal, '-q', '--journal', other)).code).toBe(0)
  expect(await latest(other)).not.toBe('')
})

it('planloom diff tells a few of many that are alike, and says how many more there are', async () => {
  const plan = (name: string, count: number): string => {
    const file = join(scratchFolder(), name)
    const items = Array.from({ length: count }, (_, index) => ({ id: `read[${String(index)}]`, tool: 'noop' }))
    writeFileSync(file, JSON.stringify({ id: 'p', goal: { text: 'all' }, steps: [{ id: 'list', tool: 'noop' }, ...items] }))
    return file
  }
  const [few, many] = [plan('few.json', 0), plan('many.json', 9)]
  const added = await callCommand('diff', few, many)
  expect(added.stdout.trimEnd().split('\n')).toEqual([
    expect.stringMatching(/^\+ read\[\d\]/),
    expect.stringMatching(/^\+ read\[\d\]/),
    '  … and 7 more of read[…]',
  ])
  const { json } = await callCommand('diff', few, many, '--json')
  expect((json as { readonly operations: readonly unknown[] }).operations).toHaveLength(9)
  expect((await callCommand('diff', plan('three.json', 3), few)).stdout).not.toContain('more of')
}) // prettier-ignore

it('planloom diff names the places at which large outputs differ, with what stands there, and counts the rest', async () => {
  const journal = join(scratchFolder(), 'runs.db')
  expect((await callCommand('run', goal, '--fact', 'length=200', '--journal', journal, '-q')).code).toBe(0)
  const run = await latest(journal)
  const { stdout: told } = await callCommand('events', run, '-j', journal)
  const [, listed = ''] = /^ +(\d+) .*step\.succeeded +list/m.exec(told) ?? []
  const items = Array.from({ length: 200 }, (_, index) => (index >= 150 && index < 158 ? -index : index))
  const file = join(scratchFolder(), 'list.json')
  writeFileSync(file, JSON.stringify({ items }))
  expect((await callCommand('fork', goal, run, '--at', listed, '--output', `list=@${file}`, '-j', journal, '-q')).code).toBe(0)
  const { stdout } = await callCommand('diff', run, await latest(journal), '-j', journal)
  const lines = stdout.split('\n')
  const at = lines.indexOf('  list  output differs in 8 places:')
  expect(lines.slice(at + 1, at + 7)).toEqual([
    ...[150, 151, 152, 153, 154].map((index) => `      /items/${String(index)} ${String(index)} becomes ${String(-index)}`),
    '      … and 3 more places',
  ])
  expect(lines).toContain('  double[150]  output /number 300 becomes -300')
}) // prettier-ignore

it('planloom diff tells long texts from where they differ', async () => {
  const report = (end: string): string => {
    const file = join(scratchFolder(), 'plan.json')
    const text = `${'All is well. '.repeat(500)}${end}`
    writeFileSync(file, JSON.stringify({ id: 'p', goal: { text, facts: { 'a/b': [1, { x: 'one' }] } }, steps: [] }))
    return file
  }
  const { stdout } = await callCommand('diff', report('Nothing is left.'), report('Two are left.'))
  expect(stdout.trim()).toBe('◎ goal: text: …"ll is well. Nothing is left." becomes …"ll is well. Two are left."')
})

it('planloom diff finds nothing where there is nothing', async () => {
  const { journal, run } = await recorded()
  const { code, stdout } = await callCommand('diff', `${run}@2`, `${run.slice(0, 9)}@2`, '-j', journal)
  expect([code, stdout]).toEqual([0, expect.stringContaining('are the same')])
})

it('planloom fork says what is wrong, and begins nothing', async () => {
  const { journal, run, listed } = await recorded()
  const refused = async (...args: string[]): Promise<readonly [number, string | undefined]> => {
    const { code, stderr } = await callCommand('fork', goal, run, ...args, '-j', journal, '-q')
    return [code, /\[(\w+)\]/.exec(stderr)?.[1]]
  }
  expect(await refused('--at', '999')).toEqual([2, 'EVENT_UNKNOWN'])
  expect(await refused('--at', String(listed), '--fact', 'a=1')).toEqual([2, 'USAGE'])
  expect(await refused('--at', String(listed), '--approval', 'required')).toEqual([2, 'USAGE'])
  expect(await refused('--at', String(listed + 1), '--fail', 'list=gone')).toEqual([2, 'FORK_REFUSED'])
  expect(await refused('--at', String(listed), '--output', 'list={"items":"none"}')).toEqual([1, 'ANSWER_INVALID'])
  expect(await latest(journal)).toBe(run)
})

it('planloom fork and resume offer only what does something there', async () => {
  const help = async (name: string): Promise<string> => (await callCommand(name, '--help')).stdout
  expect(await help('run')).toMatch(/--fact [^]*--concurrency [^]*--time [^]*--replans [^]*--approval /)
  expect(await help('fork')).toMatch(/--concurrency [^]*--time [^]*--replans [^]*--report /)
  expect(await help('fork')).not.toMatch(/--(fact|approval|overwrite) /)
  expect(await help('resume')).not.toMatch(/--(fact|approval|overwrite|concurrency|time|replans) /)
})
