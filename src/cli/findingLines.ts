// Findings and errors, as lines for people: what, where, and the next thing to do.
import { PlanloomError } from '../errors.ts'
import { shortPointer, type Finding } from '../plan/index.ts'
import type { Colours } from './colours.ts'
import { counted } from './counted.ts'
import { printable, printableLines } from './escape.ts'
import { findingsOf, InvalidWorkError } from './invalidWork.ts'

export function findingLines(findings: readonly Finding[], colours: Colours): string[] {
  return findings.flatMap(({ severity, code, path, stepId, message, hint }) => {
    const title = severity === 'error' ? colours.red('error') : colours.yellow('warning')
    const where = [
      ...(stepId === undefined ? [] : [`step ${stepId}`]),
      path === '' ? 'the whole plan' : shortPointer(path),
    ].join(', ')
    const [first = '', ...rest] = printableLines(message)
    return [
      `${title} ${first} ${colours.dim(`[${code}]`)}`,
      ...rest.map((line) => `  ${line}`),
      `  ${colours.dim('at')} ${printable(where)}`,
      ...(hint === '' ? [] : [`  ${colours.dim('hint')} ${printable(hint)}`]),
    ]
  })
}

/** `2 errors, 1 warning` */
export function findingCounts(findings: readonly Finding[]): string {
  const errors = findings.filter(({ severity }) => severity === 'error').length
  const warnings = findings.length - errors
  const told = (count: number, what: string): string[] => (count === 0 ? [] : [counted(count, what)])
  return [...told(errors, 'error'), ...told(warnings, 'warning')].join(', ') || 'nothing found'
}

/** An error of ours with its hint; of any other, its stack too: it is a mistake of this program or of a module it was given. */
export function errorLines(error: unknown, colours: Colours): string[] {
  const red = colours.red('error')
  if (!(error instanceof PlanloomError)) {
    const [first = '', ...stack] = printableLines(
      error instanceof Error ? (error.stack ?? error.message) : String(error),
    )
    return [`${red} ${first}`, ...stack.map((line) => colours.dim(line))]
  }
  const [first = '', ...rest] = printableLines(error.message)
  const path = error.where.stepId ?? error.where.path
  const findings = findingsOf(error)
  if (findings.length > 0) {
    const end = error instanceof InvalidWorkError ? error.message.replace(/\.$/, '') : 'nothing was run'
    return [...findingLines(findings, colours), `${printable(end)}: ${findingCounts(findings)}`]
  }
  return [
    `${red} ${first} ${colours.dim(`[${error.code}]`)}`,
    ...rest.map((line) => `  ${line}`),
    ...(path === undefined ? [] : [`  ${colours.dim('at')} ${printable(path)}`]),
    ...(error.hint === undefined ? [] : [`  ${colours.dim('hint')} ${printable(error.hint)}`]),
    ...(error.code === 'MODULE_UNUSABLE' || error.code === 'UNCAUGHT'
      ? stackOf(error.cause).map((line) => colours.dim(`  ${line}`))
      : []),
  ]
}

/** The same as data, for `--json`. */
export function errorDocument(error: unknown): { readonly error: object } {
  if (!(error instanceof PlanloomError)) {
    return { error: { code: 'UNEXPECTED', message: error instanceof Error ? error.message : String(error) } }
  }
  const { code, message, hint, where } = error
  const findings = findingsOf(error)
  return {
    error: {
      code,
      message,
      ...(hint !== undefined && { hint }),
      ...(Object.keys(where).length > 0 && { where }),
      ...(findings.length > 0 && { findings }),
    },
  }
}

/** The places in the user's own files. */
function stackOf(cause: unknown): string[] {
  const lines = cause instanceof Error ? printableLines(cause.stack ?? '') : []
  return lines.filter((line) => /^\s+at /.test(line) && !line.includes('node:internal')).slice(0, 3)
}
