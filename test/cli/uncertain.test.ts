// A step of which nobody can tell whether it had its effect: by option, beforehand, and at the terminal.
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { PassThrough } from 'node:stream'
import { describe, expect, it } from 'vitest'
import { coloursFor } from '../../src/cli/colours.ts'
import type { Streams } from '../../src/cli/output.ts'
import { createQuestions } from '../../src/cli/questions.ts'
import { scratchFolder } from '../support/scratchFolder.ts'
import { callCommand } from './callCommand.ts'

const paying = 'test/cli/fixtures/paying.ts'

describe('planloom run --uncertain', () => {
  it.each([
    ['fail', [], 'step_failed', 'uncertain', 1],
    ['retry', [], 'done', 'succeeded', 2],
    ['ask', ['--answer', 'pay={"receipt":"seen"}'], 'done', 'succeeded', 1],
    ['ask', [], 'gave_up', 'uncertain', 1], // nobody is there to ask, so the planner was
  ] as const)('%s %j ends as %s', async (policy, more, reason, status, attempt) => {
    const { json } = await callCommand('run', paying, '--uncertain', policy, ...more, '--json', '-q')
    expect(json).toMatchObject({ outcome: { reason }, steps: [{ id: 'pay', status, attempt }] })
  })
})

describe('planloom show', () => {
  it('lists the questions that a run waits for', async () => {
    const [file, journal] = [join(scratchFolder(), 'run.jsonl'), join(scratchFolder(), 'runs.db')]
    await callCommand('run', paying, '--uncertain', 'ask', '--answer', 'pay={"receipt":"seen"}', '-j', file, '-q')
    const lines = readFileSync(file, 'utf8').split('\n')
    const asked = lines.findIndex((line) => line.includes('"step.checked"'))
    writeFileSync(file, lines.slice(0, asked).join('\n')) // its process was killed while somebody thought about it
    await callCommand('import', file, '--unchecked', '-j', journal)
    const { stdout } = await callCommand('show', '-j', journal)
    expect(stdout).toMatch(
      /It waits for\n {2}pay {2}it cannot be told whether "pay" had its effect.*\n.*planloom answer/,
    )
    const { json } = await callCommand('show', '-j', journal, '--json')
    expect(json).toMatchObject({ questions: [{ stepId: 'pay', kind: 'uncertain' }] })
  })
})

describe('a question whether it happened', () => {
  it.each([
    [['n'], { happened: false }],
    [[''], { unknown: 'it was not known at the terminal' }],
    [['yes', '{"receipt":"seen"}'], { happened: true, output: { receipt: 'seen' } }],
  ])('is put at the terminal, and answered by %j', async (lines, finding) => {
    const stdin = Object.assign(new PassThrough(), { isTTY: true })
    const stderr = Object.assign(new PassThrough(), { isTTY: true })
    const streams = { stdin, stderr, stdout: stderr, env: {} } as unknown as Streams
    const { ask } = createQuestions({
      streams,
      colours: coloursFor({ isTTY: false }, {}),
      answers: new Map(),
      isApproved: false,
      takeScreen: () => undefined,
    })
    const left = [...lines]
    let shown = ''
    stderr.setEncoding('utf8').on('data', (text: string) => {
      shown += text
      if (/\? \[y\/n|what came of it/.test(text)) stdin.write(`${left.shift() ?? ''}\n`)
    })
    const question = { runId: 'run', stepId: 'pay', kind: 'uncertain', text: 'who knows', input: {} } as const
    expect(await ask(question, new AbortController().signal)).toEqual(finding)
    expect(shown).toContain('? pay  who knows')
  })
})
