// Patterns for paths: `*`, `?`, `**` and `{a,b}`, in time that no pattern can blow up.
import { ToolError } from '../toolError.ts'

const mostAlternatives = 200

/** Makes a test for relative paths with `/` between names.
 *
 * `*` stands for any characters of one name, `?` for one, `**` for any number of names, `{a,b}` for either. A pattern without
 * `/` is for the name alone, in whatever folder.
 * @throws `PATTERN_INVALID` for braces that do not close, or too many alternatives.
 * @example
 * const matches = compileGlob('data/**' + '/*.{csv,tsv}')
 * matches('data/a.csv') // true
 * matches('data/2024/b.tsv') // true
 * matches('other/a.csv') // false
 */
export function compileGlob(pattern: string): (path: string) => boolean {
  const alternatives = expandBraces(pattern).map((one) => (one.includes('/') ? one : `**/${one}`).split('/'))
  return (path) => {
    const names = path.split('/')
    return alternatives.some((parts) => greedy(parts, names, '**', matchesName))
  }
}

function matchesName(part: string, name: string): boolean {
  return greedy(Array.from(part), Array.from(name), '*', (wanted, letter) => wanted === '?' || wanted === letter)
}

/** The usual matching with one mark to return to: at most pattern × text steps. */
function greedy(
  pattern: readonly string[],
  text: readonly string[],
  wildcard: string,
  matches: (part: string, item: string) => boolean,
): boolean {
  let at = 0
  let read = 0
  let mark = -1
  let markRead = 0
  while (read < text.length) {
    const part = pattern[at]
    if (part === wildcard) {
      mark = at++
      markRead = read
    } else if (part !== undefined && matches(part, text[read] ?? '')) {
      at++
      read++
    } else if (mark >= 0) {
      at = mark + 1
      read = ++markRead
    } else return false
  }
  return pattern.slice(at).every((part) => part === wildcard)
}

function expandBraces(pattern: string): readonly string[] {
  let open = [pattern]
  const done: string[] = []
  while (open.length > 0) {
    const next: string[] = []
    for (const one of open) {
      const inner = /\{([^{}]*)\}/.exec(one)
      if (inner === null) {
        if (/[{}]/.test(one)) throw invalid(pattern, 'has a brace that does not close')
        done.push(one)
      } else {
        const [braces, choices = ''] = inner
        const after = inner.index + braces.length
        for (const choice of choices.split(',')) next.push(one.slice(0, inner.index) + choice + one.slice(after))
      }
      if (done.length + next.length > mostAlternatives)
        throw invalid(pattern, `stands for more than ${String(mostAlternatives)} patterns`)
    }
    open = next
  }
  return done
}

function invalid(pattern: string, why: string): ToolError {
  return new ToolError('PATTERN_INVALID', `The pattern "${pattern}" ${why}.`, {
    hint: 'A pattern is a path with * ? ** and {a,b} in it, for instance "**/*.{csv,json}".',
    retryable: false,
    where: { path: '/pattern' },
  })
}
