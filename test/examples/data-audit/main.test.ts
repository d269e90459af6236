// The audit as its own program, as `npm start` starts it: what a person reads, and what a script sees.
import { spawn, type ChildProcess } from 'node:child_process'
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, describe, expect, it } from 'vitest'

const base = mkdtempSync(join(tmpdir(), 'planloom-main-'))
afterAll(() => {
  rmSync(base, { recursive: true })
})

function folderWith(name: string, files: Readonly<Record<string, string>>): string {
  const folder = join(base, name)
  mkdirSync(folder)
  for (const [file, content] of Object.entries(files)) writeFileSync(join(folder, file), content)
  return folder
}

/** All of them in one file, at once. */
const journal = join(base, 'runs.db')
const audit = (folder: string, out: string) => start(folder, '--out', out, '--journal', journal)

function start(...given: readonly string[]) {
  return startUntil(undefined, ...given)
}

/** Kills the process with SIGKILL once it has said `words`. */
function startUntil(words: string | undefined, ...given: readonly string[]) {
  return startWatched(
    (stderr, child) => {
      if (words !== undefined && stderr.includes(words)) child.kill('SIGKILL')
    },
    ...given,
  )
}

async function startWatched(onStderr: (stderr: string, child: ChildProcess) => void, ...given: readonly string[]) {
  const args = ['--import', 'tsx', 'examples/data-audit/main.ts', ...given]
  const child = spawn(process.execPath, args, { stdio: ['ignore', 'pipe', 'pipe'] })
  let [stdout, stderr] = ['', '']
  child.stdout.on('data', (chunk: Buffer) => (stdout += chunk.toString()))
  child.stderr.on('data', (chunk: Buffer) => {
    stderr += chunk.toString()
    onStderr(stderr, child)
  })
  const code = await new Promise<number | null>((settle) => child.on('close', settle))
  return { code, stdout, stderr }
}

describe.concurrent('the audit as a program', { timeout: 180_000 }, () => {
  it('names files where it tells of the plan, says what went wrong, and where the report is', async () => {
    const people = 'id,name\n1,Ada\n2,Ben\n3,Cy\n'
    const folder = folderWith('mixed', { 'a good.csv': people, 'nothing.csv': '', 'people.json': people })
    const out = join(base, 'mixed out')
    const { code, stdout, stderr } = await audit(folder, out)
    expect(code).toBe(0)
    expect(stderr).toMatch(/◆ revision 2: "recognise" has 3 items/)
    expect(stderr).toMatch(/◆ revision 3 \(\+\d+[^)]*\): planned for each item, since "recognise" has 3 items/)
    expect(stderr).toMatch(/✓ profile\[0\] {2}a good\.csv/)
    expect(stderr).toContain('format[people.json] is "csv"')
    expect(stderr).not.toMatch(/replanned.*format\[\d+\]/)
    expect(stdout).toMatch(/✓ completed \(partial\)[^]*how the plan changed\n[^]*nothing\.csv/)
    expect(stdout.trimEnd()).toMatch(new RegExp(`\nReport: .*${join('mixed out', 'report.html')}$`))
    expect(stdout).toContain('not read: 1 of 3 files\n  ✗ nothing.csv: The file is empty.\n')
    expect(existsSync(join(out, 'report.html'))).toBe(true)
  })

  it.each([
    ['there is no folder', () => join(base, 'nowhere'), /✗ discover: There is no folder ".*nowhere"\.\n +hint Check the path/],
    ['it holds no files', () => folderWith('empty', {}), /✗ discover: The folder ".*empty" holds no files to audit\.\n +hint /],
    ['it is a file', () => join(folderWith('one', { 'x.csv': 'a\n1\n' }), 'x.csv'), /✗ discover: ".*x\.csv" is a file, not a folder\./],
  ])('ends with 1 where %s, and says so last', async (_, folder, words) => {
    const { code, stdout } = await audit(folder(), join(base, 'never'))
    expect(code).toBe(1)
    expect(stdout).toMatch(words)
    expect(stdout).toContain('✗ report  is missing')
    expect(stdout).not.toContain('Report:')
  }) // prettier-ignore

  it('goes on where it was killed, by the command that it had named, and comes to the same report', async () => {
    const files = Object.fromEntries(Array.from({ length: 8 }, (_, n) => [`${n}.csv`, `id,value\n1,${n}\n2,${n}\n`]))
    const folder = folderWith('killed', files)
    const [out, whole] = [join(base, 'killed-out'), join(base, 'whole-out')]
    const given = [folder, '--out', out, '--journal', journal]
    const killed = await startUntil('profile[3]', ...given)
    expect(killed.code).toBeNull()
    expect(existsSync(join(out, 'report.json'))).toBe(false)
    const [, runId = '', command = ''] = /^(\S+) is recorded in .*: npm start -- (.*)$/m.exec(killed.stderr) ?? []
    expect(command).toBe(`${given.join(' ')} --resume ${runId}`)
    expect((await start(...command.split(' '))).code).toBe(0)
    expect((await audit(folder, whole)).code).toBe(0)
    const totals = (report: string): unknown =>
      (JSON.parse(readFileSync(join(report, 'report.json'), 'utf8')) as { readonly totals: unknown }).totals
    expect(totals(out)).toEqual(totals(whole))
  })

  it('leaves its run at SIGTERM, and names the command that goes on with it to the same report', async () => {
    const files = Object.fromEntries(Array.from({ length: 8 }, (_, n) => [`${n}.csv`, `id,value\n1,${n}\n2,${n}\n`]))
    const out = join(base, 'left-out')
    const given = [folderWith('left', files), '--out', out, '--journal', join(base, 'left.db')]
    let isTold = false
    const left = await startWatched(
      (said, child) => {
        if (!isTold && said.includes('✓ profile[3]')) isTold = child.kill('SIGTERM')
      },
      ...given,
    )
    expect(left.code).toBe(75)
    expect(existsSync(join(out, 'report.json'))).toBe(false)
    const [, command = ''] = /go on with it:\n {2}npm start -- (.*)\n/.exec(left.stdout) ?? []
    const resumed = await start(...command.split(' '))
    expect([resumed.code, resumed.stdout]).toEqual([0, expect.stringMatching(/✓ completed/)])
    expect(existsSync(join(out, 'report.json'))).toBe(true)
  })

  it('leaves its run to be gone on with when its reader goes away', async () => {
    const files = Object.fromEntries(Array.from({ length: 8 }, (_, n) => [`${n}.csv`, `id,value\n1,${n}\n2,${n}\n`]))
    const given = [folderWith('unread', files), '--out', join(base, 'unread-out'), '--journal', join(base, 'unread.db')]
    const { code, stderr } = await startWatched(
      (said, child) => {
        if (said.includes('planned')) child.stderr?.destroy()
      },
      ...given,
    )
    expect(code).toBe(1)
    const [, runId = ''] = /^(\S+) is recorded in/m.exec(stderr) ?? []
    const resumed = await start(...given, '--resume', runId)
    expect([resumed.code, resumed.stdout]).toEqual([0, expect.stringMatching(/✓ completed/)])
  })

  it('records nothing where that is wanted, and does not run without a record that was asked for', async () => {
    const folder = folderWith('unrecorded', { 'x.csv': 'a\n1\n' })
    const notOurs = join(folderWith('elsewhere', { 'notes.db': 'no database' }), 'notes.db')
    const refused = await start(folder, '--out', join(base, 'unrecorded-out'), '--journal', notOurs)
    expect(refused.code).toBe(1)
    expect(refused.stderr).toMatch(/notes\.db/)
    const without = await start(folder, '--out', join(base, 'unrecorded-out'), '--no-journal')
    expect(without.code).toBe(0)
    expect(without.stderr).not.toContain('is recorded in')
  })

  it.each([
    [['--bogus'], /Unknown option '--bogus'/],
    [['a', 'b'], /one folder at a time; there is also "b"/],
    [['--out'], /--out/],
    [[''], /the name of a folder is empty/],
    [['--no-journal', '--resume', 'x'], /--no-journal goes with neither --journal nor --resume/],
  ])('refuses %j with 2, and says how it is called', async (args, words) => {
    const { code, stdout, stderr } = await start(...args)
    expect({ code, stdout }).toEqual({ code: 2, stdout: '' })
    expect(stderr).toMatch(words)
    expect(stderr).toMatch(/Usage: npm start -- \[folder\] \[--out folder\]/)
  })

  it.runIf(existsSync('/proc/self'))(
    'ends with 1 where no folder can be made for the report, and says so',
    async () => {
      const folder = folderWith('lost', { 'x.csv': 'a,b\n1,2\n' })
      const { code, stdout } = await audit(folder, '/proc/nope')
      expect(code).toBe(1)
      expect(stdout).toMatch(/The folder "\/proc\/nope" cannot be made: "\/proc" takes no new folders/)
    },
  )

  it.runIf(existsSync('/dev/full'))('ends with 1 where the report cannot be written, and says why', async () => {
    const folder = folderWith('fine', { 'x.csv': 'a\n1\n' })
    const { code, stdout } = await audit(folder, '/dev/full/out')
    expect(code).toBe(1)
    expect(stdout).toMatch(
      /✗ write_report\S*: The report could not be written\. The folder "\/dev\/full\/out" cannot be made: something in the path is a file/,
    )
  })
})
