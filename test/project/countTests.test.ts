import { execFileSync } from 'node:child_process'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, describe, expect, it } from 'vitest'

const folders: string[] = []
afterEach(() => {
  for (const folder of folders.splice(0)) rmSync(folder, { recursive: true })
})

interface Written {
  readonly passed?: number
  readonly failed?: number
  readonly pending?: number
  readonly todo?: number
  readonly unloaded?: number
}

function counted(...runs: readonly Written[]): string {
  const folder = mkdtempSync(join(tmpdir(), 'planloom-count-'))
  folders.push(folder)
  for (const [index, { passed = 0, failed = 0, pending = 0, todo = 0, unloaded = 0 }] of runs.entries()) {
    const testResults = Array.from({ length: unloaded }, () => ({ status: 'failed', assertionResults: [] }))
    const written = { numPassedTests: passed, numFailedTests: failed, numPendingTests: pending, numTodoTests: todo }
    writeFileSync(join(folder, `run${index}.json`), JSON.stringify({ ...written, testResults }))
  }
  return execFileSync(process.execPath, ['.ci/countTests.mjs', folder], { encoding: 'utf8' })
}

describe('the closing line of CI', () => {
  it('counts over all runs, and a file that could not be loaded as one failure', () => {
    expect(counted({ passed: 3 }, { passed: 2, failed: 1, unloaded: 1 })).toBe('5 passed, 2 failed\n')
  })

  it('stands alone: what was skipped is said on the line before', () => {
    expect(counted({ passed: 3, pending: 2 }, { passed: 3, todo: 1 })).toBe('3 skipped\n6 passed, 0 failed\n')
  })

  it('is there when nothing has run', () => {
    expect(counted()).toBe('0 passed, 0 failed\n')
  })
})
