// A goal in words, planned and followed by a model whose answers stand on the cassette that comes with the example: no key, no network.
//
// PLANLOOM_RECORD=1 writes the cassette anew, where prompts have changed: by a server in this process that says what stands below.
import { copyFileSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, it, vi } from 'vitest'
import { callCommand } from '../../cli/callCommand.ts'
import { openModelServer } from '../../support/modelServer.ts'
import { scratchFolder } from '../../support/scratchFolder.ts'

const cassette = 'examples/data-audit/words.cassette.json'
const words =
  'Find what is wrong with cars.json in node_modules/vega-datasets/data, and say what whoever uses it must know.'
const command = ['run', words, '--tools', 'data-audit']

const picked = { tools: ['discover', 'json_query', 'read_json', 'profile', 'find_problems'] }
const from = (step: string, path = '') => ({ $from: step, path })
const plan = {
  steps: [
    { id: 'list', tool: 'discover', input: { folder: 'node_modules/vega-datasets/data' } },
    { id: 'pick', tool: 'json_query', input: { value: from('list', '/files'), query: "$[?@.name == 'cars.json']" } },
    { id: 'read', tool: 'read_json', input: { file: from('pick', '/value') } },
    { id: 'profile', tool: 'profile', input: { tables: from('read') } },
    { id: 'problems', tool: 'find_problems', input: { tables: from('read'), profile: from('profile') } },
    {
      id: 'explain',
      executor: 'model',
      tools: [],
      instruction: 'Say in two sentences what somebody who uses this table must know.',
      input: { given: [from('problems', '/problems')] },
    },
  ],
}
const explained =
  'Four cars stand in the table under more than one spelling of their name, such as "audi 100ls" and "audi 100 ls", so bring names to one spelling before you group by them. Nothing else was found to be wrong.'

beforeEach(() => {
  vi.stubEnv('AUDIT_OUT', join(scratchFolder(), 'report'))
  vi.stubEnv('OPENAI_API_KEY', '')
  vi.stubEnv('OPENAI_BASE_URL', '')
})
afterEach(() => {
  vi.unstubAllEnvs()
})

it.runIf(process.env['PLANLOOM_RECORD'])('is recorded', async () => {
  await using server = await openModelServer([{ json: picked }, { json: plan }, { text: explained }])
  vi.stubEnv('OPENAI_BASE_URL', server.url)
  rmSync(cassette, { force: true })
  const { code, stderr } = await callCommand(...command, '--model', 'example', '--cassette', cassette, '--record')
  expect(code, stderr).toBe(0)
})

it('is planned, carried out and answered from the cassette', async () => {
  const { code, stdout, stderr } = await callCommand(...command, '--cassette', cassette)
  expect(code, stderr).toBe(0)
  expect(stdout).toContain('6 steps: 6 succeeded')
  expect(stdout).toMatch(/3 model calls, 2 by the planner/)
  expect(stdout.replaceAll(/\s+/g, ' ')).toContain(explained)
})

it('is told by its events, call by call', async () => {
  const journal = join(scratchFolder(), 'runs.db')
  expect(await callCommand(...command, '--cassette', cassette, '--journal', journal)).toMatchObject({ code: 0 })
  const { stdout } = await callCommand('events', '--journal', journal)
  expect(stdout).toMatch(/model\.called +the planner · example · \d+ tokens in, \d+ out/)
  expect(stdout).toMatch(/plan\.stepProposed +list/)
  expect(stdout).toMatch(/model\.called +explain · example/)
})

it('ends before a call for which its tokens may not suffice', async () => {
  const { code, stdout } = await callCommand(...command, '--cassette', cassette, '--tokens', '9000', '--json')
  expect(code).toBe(1)
  expect(JSON.parse(stdout)).toMatchObject({
    outcome: { reason: 'budget_exhausted', failure: { code: 'BUDGET_SHORT' } },
    models: { total: { calls: 1 } },
  })
})

it('says what is no longer as it was recorded', async () => {
  const copy = join(scratchFolder(), 'words.cassette.json')
  copyFileSync(cassette, copy)
  const { code, stdout } = await callCommand('run', `${words} Now.`, '--tools', 'data-audit', '--cassette', copy)
  expect(code).toBe(1)
  expect(stdout).toMatch(/CASSETTE_MISMATCH|is not in/)
})
