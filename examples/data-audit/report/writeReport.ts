// Writing the report: both files or none, and never half a file.
import { open, rename, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { ToolError, makeFolder } from 'planloom/tools'
import type { AuditReport } from './auditReport.ts'
import { renderPage } from './page.ts'

/** Writes `report.html` and `report.json` into a folder, which is made if need be.
 *
 * Each is written beside its place and then moved there: a reader sees the old report or the new one.
 * @throws `REPORT_UNWRITABLE` when the disk is full, or the folder may not be written to.
 */
export async function writeReport(folder: string, report: AuditReport): Promise<{ html: string; json: string }> {
  const html = join(folder, 'report.html')
  const json = join(folder, 'report.json')
  const drafts = [html, json].map((path) => ({ path, draft: `${path}.draft` }))
  try {
    await makeFolder(folder)
    await writeDurably(`${html}.draft`, renderPage(report))
    await writeDurably(`${json}.draft`, `${JSON.stringify(report, undefined, 1)}\n`)
    for (const { path, draft } of drafts) await rename(draft, path)
    return { html, json }
  } catch (error) {
    for (const { draft } of drafts) await rm(draft, { force: true }).catch(() => undefined)
    throw unwritable(folder, error)
  }
}

async function writeDurably(path: string, text: string): Promise<void> {
  const file = await open(path, 'w')
  try {
    await file.writeFile(text)
    await file.sync() // a full disk may say so only now
  } finally {
    await file.close()
  }
}

function unwritable(folder: string, error: unknown): ToolError {
  const code = error instanceof Error && 'code' in error ? String(error.code) : ''
  const reasons: Readonly<Record<string, string>> = {
    ENOSPC: 'the disk is full',
    EDQUOT: 'the disk quota is used up',
    EACCES: 'no permission',
    EPERM: 'no permission',
    EROFS: 'the disk is read-only',
    ENOTDIR: 'something in the path is a file, not a folder',
    EEXIST: 'there is a file of that name',
  }
  const words = error instanceof Error ? error.message : String(error)
  const message =
    code === 'FOLDER_UNMAKEABLE'
      ? `The report could not be written. ${words}`
      : `The report could not be written to "${folder}": ${reasons[code] ?? words}.`
  return new ToolError('REPORT_UNWRITABLE', message, {
    hint: 'Make room, or choose another folder for the report.',
    where: { path: folder },
    cause: error,
  })
}
