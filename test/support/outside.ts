// The world outside of a journal, where effects are had: lines that stay, whatever becomes of the process that wrote them.
import { appendFileSync, readFileSync } from 'node:fs'

export interface Outside {
  add(line: string): void
  lines(): readonly string[]
}

export function outsideInMemory(): Outside {
  const lines: string[] = []
  return { add: (line) => void lines.push(line), lines: () => lines }
}

/** Each line is one write to the end of the file. */
export function outsideInFile(path: string): Outside {
  return {
    add: (line) => {
      appendFileSync(path, `${line}\n`)
    },
    lines: () => readFileSync(path, { encoding: 'utf8', flag: 'a+' }).split('\n').filter(Boolean),
  }
}
