// A folder of its own for each test that writes files; gone afterwards.
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { onTestFinished } from 'vitest'

export function scratchFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), 'planloom-test-'))
  onTestFinished(() => {
    rmSync(folder, { recursive: true, force: true })
  })
  return folder
}
