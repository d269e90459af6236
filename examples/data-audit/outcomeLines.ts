// What a person wants to know at the end of an audit, below the summary of the run: what was not read, and where the report is.
import { z } from 'zod'
import { printable } from '../../src/cli/escape.ts'
import { wrap } from '../../src/cli/wrap.ts'

/** What is used of the fact that `write_report` gives. */
const reportSchema = z.object({
  html: z.string(),
  files: z.int(),
  unread: z.int(),
  notRead: z.array(z.object({ name: z.string(), because: z.string() })),
})

/** @param columns width of the terminal, where there is one. */
export function outcomeLines(report: unknown, columns?: number): string[] {
  const { data } = reportSchema.safeParse(report)
  if (data === undefined) return []
  const { html, files, unread, notRead } = data
  const more = unread - notRead.length
  const lines = [
    ...(unread === 0 ? [] : ['', `not read: ${String(unread)} of ${String(files)} files`]),
    ...notRead.map(({ name, because }) => `  ✗ ${printable(name)}: ${printable(because)}`),
    ...(more > 0 ? [`  … and ${String(more)} more, which the report lists`] : []),
    '',
    `Report: ${html}`,
  ]
  return columns === undefined ? lines : lines.flatMap((line) => wrap(line, columns))
}
