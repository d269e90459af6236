// Scripts for processes of their own, bundled once: Node starts one in a fifth of the time that it takes to load the sources.
import { spawn, type ChildProcess } from 'node:child_process'
import { mkdtempSync, mkdirSync, rmSync } from 'node:fs'
import { basename, join } from 'node:path'
import { afterAll } from 'vitest'
import { build } from 'vite'

/** Bundles a script, for as long as the tests of this file run. Beside the packages, so that it finds them. @returns its path */
export async function bundled(script: string): Promise<string> {
  const cache = join(process.cwd(), 'node_modules', '.cache')
  mkdirSync(cache, { recursive: true })
  const folder = mkdtempSync(join(cache, 'planloom-test-'))
  afterAll(() => {
    rmSync(folder, { recursive: true })
  })
  const name = `${basename(script, '.ts')}.mjs`
  await build({
    configFile: false,
    logLevel: 'error',
    ssr: { noExternal: true, external: ['@photostructure/sqlite'] },
    build: {
      ssr: script,
      outDir: folder,
      emptyOutDir: false,
      minify: false,
      target: 'node20',
      rolldownOptions: { output: { entryFileNames: name } },
    },
  })
  return join(folder, name)
}

export interface Told {
  readonly child: ChildProcess
  /** What it has said so far, line by line. */
  readonly lines: string[]
  /** Resolves with the first line, also of those that were, for which this holds. */
  line(holds: (line: string) => boolean): Promise<string>
  /** Its exit code, or the signal that ended it. */
  readonly end: Promise<number | NodeJS.Signals>
}

/** Starts a script, and listens to it. What it says on stderr is part of the error when it ends with another code than 0. */
export function started(script: string, ...args: readonly string[]): Told {
  const child = spawn(process.execPath, [script, ...args], { stdio: ['pipe', 'pipe', 'pipe'] })
  const lines: string[] = []
  const waiting = new Set<() => void>()
  let rest = ''
  let errors = ''
  child.stderr.setEncoding('utf8').on('data', (text: string) => (errors += text))
  child.stdout.setEncoding('utf8').on('data', (text: string) => {
    const parts = (rest + text).split('\n')
    rest = parts.pop() ?? ''
    lines.push(...parts)
    for (const look of [...waiting]) look()
  })
  const end = new Promise<number | NodeJS.Signals>((resolve, reject) => {
    child.on('error', reject)
    child.on('close', (code, signal) => {
      if (code === 0 || signal !== null) resolve(signal ?? 0)
      else reject(new Error(`The process ended with ${String(code)}: ${errors}`))
    })
  })
  end.catch(() => undefined) // whoever waits for it is told
  return {
    child,
    lines,
    end,
    line(holds) {
      return new Promise((resolve, reject) => {
        const look = (): void => {
          const found = lines.find(holds)
          if (found === undefined) return
          waiting.delete(look)
          resolve(found)
        }
        waiting.add(look)
        look()
        void end.then((how) => {
          reject(new Error(`The process ended (${String(how)}) without saying so: ${lines.slice(-3).join(' | ')} ${errors}`))
        }, reject)
      })
    },
  }
} // prettier-ignore
