// A folder of its own for a test, with a secret outside of it, and the tools that may use only the folder.
import { mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import type { JsonObject } from '../../../src/plan/json.ts'
import { carryOut, type CarriedOut } from '../../../src/tools/carryOut.ts'
import { fileTools, type FileToolsOptions } from '../../../src/tools/files/fileTools.ts'
import { createToolRegistry } from '../../../src/tools/registry.ts'
import { toolContext } from '../toolContext.ts'

export interface TestFolder extends Disposable {
  /** The root that the tools may use. */
  readonly root: string
  /** Beside it: holds `secret.txt`. */
  readonly outside: string
  path(name: string): string
  write(name: string, content: string): void
  run(tool: string, input: JsonObject, context?: ReturnType<typeof toolContext>): Promise<CarriedOut>
}

export function testFolder(options: Partial<FileToolsOptions> = {}): TestFolder {
  const top = realpathSync(mkdtempSync(join(tmpdir(), 'planloom-files-')))
  const root = join(top, 'root')
  const outside = join(top, 'outside')
  mkdirSync(root)
  mkdirSync(outside)
  writeFileSync(join(outside, 'secret.txt'), 'secret')
  const tools = createToolRegistry(fileTools({ roots: [root], ...options }))
  return {
    root,
    outside,
    path: (name) => join(root, name),
    write: (name, content) => {
      mkdirSync(dirname(join(root, name)), { recursive: true })
      writeFileSync(join(root, name), content)
    },
    run: (tool, input, context = toolContext()) => carryOut(tools.get(tool), input, context),
    [Symbol.dispose]: () => {
      rmSync(top, { recursive: true, force: true })
    },
  }
}
