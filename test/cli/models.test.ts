// What the command says where there is no model to be asked: what to set, and that nothing was begun.
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { scratchFolder } from '../support/scratchFolder.ts'
import { callCommand } from './callCommand.ts'

const goal = 'Find what is wrong.'

beforeEach(() => {
  vi.stubEnv('OPENAI_API_KEY', '')
  vi.stubEnv('OPENAI_BASE_URL', '')
})
afterEach(() => {
  vi.unstubAllEnvs()
})

describe('a goal in words', () => {
  it.each([
    ['with no model', [], 'OPENAI_API_KEY'],
    ['with a model that is nowhere', ['--model', 'gpt'], 'OPENAI_BASE_URL'],
  ])('%s, is refused in one line that says what to set', async (_name, options, named) => {
    const { code, stderr } = await callCommand('run', goal, ...options)
    expect(code).toBe(2)
    expect(stderr.trimEnd().split('\n')).toHaveLength(1)
    expect(stderr).toContain(named)
    expect(stderr).toContain('--cassette')
  })

  it('is refused where the address is none, and told where it comes from', async () => {
    vi.stubEnv('OPENAI_BASE_URL', 'localhost:11434')
    const { code, stderr } = await callCommand('run', goal, '--model', 'gpt')
    expect(code).toBe(2)
    expect(stderr).toContain('OPENAI_BASE_URL')
  })

  it('is refused where there is no such cassette, and told how to record it', async () => {
    const { code, stderr } = await callCommand('run', goal, '--cassette', join(scratchFolder(), 'none.json'))
    expect(code).toBe(2)
    expect(stderr).toContain('--record')
  })

  it('of one word is a file that is not there, which is said', async () => {
    const { code, stderr } = await callCommand('run', 'hello', '--model', 'gpt')
    expect(code).toBe(2)
    expect(stderr).toContain('A goal in words has several')
  })
})
