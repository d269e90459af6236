// Both plan stores meet one suite; what only one of them promises follows it.
import { execFile } from 'node:child_process'
import { mkdtempSync, readdirSync, rmSync, truncateSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { afterEach, describe, expect, it } from 'vitest'
import { filePlanStore } from '../../src/actors/planners/filePlanStore.ts'
import { memoryPlanStore, type PlanStore, type StoredPlan } from '../../src/actors/planners/planStore.ts'

const folders: string[] = []
function newFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), 'planloom-plans-'))
  folders.push(folder)
  return folder
}
afterEach(() => {
  for (const folder of folders.splice(0)) rmSync(folder, { recursive: true, force: true })
})

function stored(key: string, tool = 'walk'): StoredPlan {
  return {
    version: 1,
    key,
    at: 7,
    planner: 'goal',
    steps: [{ id: 'a', tool, input: { there: { $from: 'b', path: '/x' } } }],
    assumptions: [{ id: 'dry', statement: 'it is dry', fact: 'weather', is: { const: 'dry' }, steps: ['a'] }],
  }
}

function describePlanStore(name: string, open: () => PlanStore): void {
  describe(name, () => {
    it('gives back what was stored, and nothing for a key that was not', async () => {
      const store = open()
      await store.set(stored('one'))
      expect(await store.get('one')).toEqual(stored('one'))
      expect(await store.get('two')).toBeUndefined()
    })

    it('keeps the last plan for a key', async () => {
      const store = open()
      await store.set(stored('one', 'walk'))
      await store.set(stored('one', 'run'))
      expect(await store.get('one')).toEqual(stored('one', 'run'))
    })

    it('forgets what it is told to, and does not mind what it never knew', async () => {
      const store = open()
      await store.set(stored('one'))
      await store.delete('one')
      await store.delete('never')
      expect(await store.get('one')).toBeUndefined()
    })
  })
}

describePlanStore('the plan store in memory', () => memoryPlanStore())
describePlanStore('the plan store in a folder', () => filePlanStore(join(newFolder(), 'not', 'yet', 'there')))

describe('the plan store in memory', () => {
  it('lets go the plan that was not used for longest', () => {
    const store = memoryPlanStore({ maxEntries: 2 })
    void store.set(stored('one'))
    void store.set(stored('two'))
    void store.get('one')
    void store.set(stored('three'))
    expect(['one', 'two', 'three'].filter((key) => store.get(key) !== undefined)).toEqual(['one', 'three'])
  })
})

describe('the plan store in a folder', () => {
  it('is read by the next process', async () => {
    const folder = newFolder()
    await filePlanStore(folder).set(stored('one'))
    expect(filePlanStore(folder).get('one')).toEqual(stored('one'))
  })

  it('F1: leaves nothing beside the plans', async () => {
    const folder = newFolder()
    const store = filePlanStore(folder)
    await Promise.all(Array.from({ length: 20 }, (_, nth) => Promise.resolve(store.set(stored(`k${String(nth % 3)}`)))))
    expect(readdirSync(folder).sort()).toEqual(['k0.json', 'k1.json', 'k2.json'])
  })

  it.each([
    [
      'is cut off',
      (path: string) => {
        truncateSync(path, 20)
      },
    ],
    [
      'is empty',
      (path: string) => {
        writeFileSync(path, '')
      },
    ],
    [
      'is of another format',
      (path: string) => {
        writeFileSync(path, JSON.stringify({ ...stored('one'), version: 99 }))
      },
    ],
    [
      'holds no steps',
      (path: string) => {
        writeFileSync(path, '{"version":1,"key":"one","at":1,"planner":"goal","steps":7}')
      },
    ],
    [
      'answers another question',
      (path: string) => {
        writeFileSync(path, JSON.stringify(stored('two')))
      },
    ],
  ])('F2: takes a file that %s for no plan, and writes over it', async (_, spoil) => {
    const folder = newFolder()
    const store = filePlanStore(folder)
    await store.set(stored('one'))
    spoil(join(folder, 'one.json'))
    expect(store.get('one')).toBeUndefined()
    await store.set(stored('one'))
    expect(store.get('one')).toEqual(stored('one'))
  })

  it('F3: can be written by several processes at once, and every read finds a whole plan', async () => {
    const folder = newFolder()
    const module = new URL('../../src/actors/planners/filePlanStore.ts', import.meta.url).href
    const write = (tool: string): string => `
      const { filePlanStore } = await import(${JSON.stringify(module)})
      const store = filePlanStore(${JSON.stringify(folder)})
      const plan = { ...${JSON.stringify(stored('shared'))}, steps: Array.from({ length: 200 }, (_, n) => ({ id: 's' + n, tool: '${tool}' })) }
      for (let n = 0; n < 25; n++) {
        await store.set(plan)
        const found = store.get('shared')
        if (found?.steps.length !== 200 || new Set(found.steps.map((s) => s.tool)).size !== 1) process.exit(9)
      }`
    const run = promisify(execFile)
    await Promise.all(
      ['walk', 'run'].map((tool) =>
        run(process.execPath, ['--import', 'tsx', '--input-type=module', '-e', write(tool)]),
      ),
    )
    expect(readdirSync(folder)).toEqual(['shared.json'])
  })

  it('refuses a key that would lead out of its folder', () => {
    expect(() => filePlanStore(newFolder()).get('../secret')).toThrow(
      expect.objectContaining({ code: 'PLAN_KEY_INVALID' }),
    )
  })
})
