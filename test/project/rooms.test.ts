import { spawnSync } from 'node:child_process'
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join, resolve } from 'node:path'
import { afterAll, describe, expect, it } from 'vitest'

const cruiser = resolve('node_modules/dependency-cruiser/bin/dependency-cruise.mjs')
const config = resolve('.dependency-cruiser.cjs')

// A small project in which each import breaks exactly one rule, beside imports that are right.
const files = {
  'package.json': '{"type":"module","dependencies":{}}',
  'tsconfig.json': '{"compilerOptions":{"module":"nodenext","allowImportingTsExtensions":true,"noEmit":true}}',
  'src/errors.ts': "import 'node:fs'\nexport const error = 1",
  'src/plan/index.ts': "export * from './graph.ts'",
  'src/plan/graph.ts':
    "import { error } from '../errors.ts'\nimport { run } from '../runtime/run.ts'\nexport const graph = [error, run]",
  'src/machines/coordinator.messages.ts': "import '../plan/graph.ts'\nexport interface M { a: 1 }",
  'src/machines/coordinator.machine.ts': "import './coordinator.messages.ts'",
  'src/actors/planner.ts': "import '../machines/coordinator.messages.ts'\nimport '../machines/coordinator.machine.ts'",
  'src/tools/tool.ts': "import '../actors/planner.ts'",
  'src/journal/a.ts': "import './b.ts'",
  'src/journal/b.ts': "import './a.ts'",
  'src/runtime/run.ts': 'export const run = 1',
  'src/runtime/index.ts': "import './run.ts'\nimport '../actors/planner.ts'",
  'src/cli/main.ts':
    "import '../runtime/index.ts'\nimport '../runtime/run.ts'\nimport '../plan/index.ts'\nimport './gone.ts'",
  'src/helpers/x.ts': "import '../plan/index.ts'",
}

describe('the diagram of the rooms', () => {
  const root = mkdtempSync(join(tmpdir(), 'planloom-rooms-'))
  afterAll(() => {
    rmSync(root, { recursive: true })
  })

  it('catches every kind of forbidden import, and lets the others pass', () => {
    for (const [path, text] of Object.entries(files)) {
      mkdirSync(dirname(join(root, path)), { recursive: true })
      writeFileSync(join(root, path), text)
    }
    const { stdout } = spawnSync(process.execPath, [cruiser, '--config', config, '--output-type', 'json', 'src'], {
      cwd: root,
      encoding: 'utf8',
    })
    const report = JSON.parse(stdout) as {
      summary: { violations: { from: string; to: string; rule: { name: string } }[] }
    }
    const found = report.summary.violations.map(({ from, to, rule }) => `${rule.name}: ${from} → ${to}`)
    expect(found.sort()).toEqual([
      'errors-import-nothing: src/errors.ts → fs',
      'messages-only: src/actors/planner.ts → src/machines/coordinator.machine.ts',
      'no-circle: src/journal/a.ts → src/journal/b.ts',
      'nothing-unresolved: src/cli/main.ts → ./gone.ts',
      'room-plan: src/plan/graph.ts → src/runtime/run.ts',
      'room-tools: src/tools/tool.ts → src/actors/planner.ts',
      'through-index-cli: src/cli/main.ts → src/runtime/run.ts',
      'unknown-room: src/helpers/x.ts → src/plan/index.ts',
    ])
  })
})
