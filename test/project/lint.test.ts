import { ESLint, Linter } from 'eslint'
import tseslint from 'typescript-eslint'
import { describe, expect, it } from 'vitest'

const eslint = new ESLint()

/** Messages of the project's own prohibitions (the `no-restricted-…` rules) for a text that stands in a file. */
async function prohibitions(path: string, text: string): Promise<string[]> {
  const config = (await eslint.calculateConfigForFile(path)) as { rules: Linter.RulesRecord }
  const rules = Object.fromEntries(Object.entries(config.rules).filter(([name]) => name.startsWith('no-restricted-')))
  const parser = tseslint.parser as Linter.Parser
  const messages = new Linter().verify(text, { files: ['**/*.ts'], languageOptions: { parser }, rules }, path)
  return messages.map(({ ruleId, line }) => `${line}: ${ruleId ?? 'parse error'}`)
}

const clocks = `Date.now()
new Date()
Date()
Math.random()
setTimeout(() => {}, 1)
setInterval(() => {}, 1)
crypto.randomUUID()
performance.now()
globalThis.setTimeout(() => {}, 1)
import { setTimeout as sleep } from 'node:timers/promises'
import { randomUUID } from 'node:crypto'
import { performance } from 'node:perf_hooks'`

describe('the lint rules', () => {
  it('catch every way to a clock, a die or an id of one’s own', async () => {
    const found = await prohibitions('src/machines/coordinator.actions.ts', clocks)
    expect(new Set(found.map((message) => message.split(':')[0]))).toEqual(
      new Set(clocks.split('\n').map((_, index) => String(index + 1))),
    )
  })

  it('let times that came from elsewhere pass', async () => {
    const text = `new Date(at).toISOString()\nclock.now()\nclock.setTimeout(f, 1)\nimport { createHash } from 'node:crypto'`
    expect(await prohibitions('src/machines/coordinator.actions.ts', text)).toEqual([])
  })

  it.each(['src/runtime/clock.ts', 'src/runtime/ids.ts', 'src/cli/main.ts'])(
    'leave the real world to %s',
    async (path) => {
      expect(await prohibitions(path, clocks)).toEqual([])
    },
  )

  it.each(['src/runtime/clock.ts', 'src/runtime/createRuntime.ts', 'src/machines/pool.machine.ts', 'src/cli/main.ts'])(
    'keep xstate out of %s',
    async (path) => {
      const text = `import { setup } from 'xstate'\nimport { x } from 'xstate/graph'`
      expect(await prohibitions(path, text)).toEqual(['1: no-restricted-imports', '2: no-restricted-imports'])
    },
  )

  it('let xstate in through its own file', async () => {
    expect(await prohibitions('src/machines/xstate.ts', `export { setup } from 'xstate'`)).toEqual([])
  })
})
