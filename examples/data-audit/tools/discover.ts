// Which files there are. Everything else in the audit happens once for each of them.
import { lstat, opendir, realpath, stat } from 'node:fs/promises'
import { basename, join, relative, resolve } from 'node:path'
import { ToolError, confine, defineTool, unreadable } from 'planloom/tools'
import { z } from 'zod'
import { fileSchema, type Audit, type AuditFile } from '../audit.ts'
import { extensionOf } from '../formats.ts'

type Found = Omit<AuditFile, 'table' | 'number'>

const mostFiles = 5000
const mostFolders = 1000

export function discoverTool({ db, out }: Audit) {
  return defineTool({
    name: 'discover',
    description:
      'Lists the files of a folder and of the folders in it: name, extension and size. Hidden ones and links that lead out are left aside.',
    input: z.strictObject({ folder: z.string() }),
    output: z.strictObject({
      files: z.array(fileSchema),
      /** What was left aside, and why. */
      aside: z.array(z.strictObject({ name: z.string(), because: z.string() })),
    }),
    needs: { folder: 'folder' },
    gives: { file: { from: '/files', each: true }, aside: '/aside' },
    effects: 'read',
    run: ({ folder }, { signal }) => discover(db.roots, folder, out, signal),
  })
}

/** Lists the files below a folder, by name.
 * @throws `FOLDER_MISSING`, `NO_PERMISSION`, `FOLDER_EMPTY`, `FOLDER_TOO_LARGE`, `PATH_OUTSIDE` */
async function discover(roots: readonly string[], folder: string, out: string, signal?: AbortSignal) {
  const root = await confineFolder(roots, folder)
  const own = await realpath(out).catch(() => out)
  const written = own === root ? ['report.html', 'report.json', 'tables'].map((name) => join(own, name)) : [own]
  const files: Found[] = []
  const aside: { name: string; because: string }[] = []
  const open = [root]
  for (let nth = 0; nth < open.length; nth++) {
    if (nth >= mostFolders) throw tooLarge(folder, `${String(mostFolders)} folders`)
    const current = open[nth] ?? root
    let names: string[]
    try {
      names = await namesIn(current, current === root ? folder : relative(root, current))
    } catch (error) {
      if (current === root) throw error
      aside.push({ name: relative(root, current), because: whyAside(error, false) })
      continue
    }
    for (const name of names) {
      signal?.throwIfAborted()
      const path = join(current, name)
      const shown = relative(root, path)
      if (name.startsWith('.')) continue
      if (written.includes(path)) {
        aside.push({ name: shown, because: 'what this audit itself writes' })
        continue
      }
      let isLink = false
      try {
        const found = await lstat(path)
        isLink = found.isSymbolicLink()
        const target = isLink ? await stat(await confine(roots, path)) : found
        if (target.isDirectory()) {
          if (isLink) aside.push({ name: shown, because: 'a link to a folder' })
          else open.push(path)
        } else if (target.isFile())
          files.push({ path, name: shown, extension: extensionOf(name), sizeBytes: target.size })
        else aside.push({ name: shown, because: 'neither a file nor a folder' })
      } catch (error) {
        aside.push({ name: shown, because: whyAside(error, isLink) })
      }
      if (files.length > mostFiles) throw tooLarge(folder, `${String(mostFiles)} files`)
    }
  }
  if (files.length === 0) {
    throw new ToolError('FOLDER_EMPTY', `The folder "${folder}" holds no files to audit.`, {
      retryable: false,
      hint: 'Check that it is the folder you mean; hidden files are left aside.',
      where: { path: folder },
    })
  }
  return { files: numbered(files), aside }
}

async function confineFolder(roots: readonly string[], folder: string): Promise<string> {
  try {
    const path = await confine(roots, resolve(folder))
    if ((await stat(path)).isDirectory()) return path
  } catch (error) {
    if (!(error instanceof ToolError) || error.code !== 'FILE_MISSING') throw error
    throw folderMissing(folder, error)
  }
  throw new ToolError('FOLDER_MISSING', `"${folder}" is a file, not a folder.`, {
    retryable: false,
    where: { path: folder },
  })
}

function whyAside(error: unknown, isLink: boolean): string {
  switch (unreadable('', error).code) {
    case 'FILE_MISSING':
    case 'FOLDER_MISSING':
      return isLink ? 'a link to nothing' : 'it is not there (any more)'
    case 'PATH_OUTSIDE':
      return 'a link that leads out of the folder'
    case 'PATH_INVALID':
      return isLink ? 'a link that leads in a circle' : 'its name is longer than the file system allows'
    case 'NO_PERMISSION':
      return 'no permission to read it'
    default:
      return error instanceof Error ? error.message : String(error)
  }
}

async function namesIn(path: string, shown: string): Promise<string[]> {
  const names: string[] = []
  try {
    for await (const entry of await opendir(path)) names.push(entry.name)
  } catch (error) {
    const reason = unreadable(shown, error)
    throw reason.code === 'FILE_MISSING' ? folderMissing(shown, error) : reason
  }
  return names.sort()
}

/** `airports.csv` becomes the table `airports`; where two files would share a name, the extension stays. */
function numbered(files: readonly Found[]): AuditFile[] {
  const short = ({ name, extension }: Found) => (extension === '' ? name : name.slice(0, -extension.length))
  const counts = new Map<string, number>()
  for (const file of files) counts.set(short(file), (counts.get(short(file)) ?? 0) + 1)
  const sorted = files.toSorted((a, b) => (a.name < b.name ? -1 : 1))
  return sorted.map((file, number) => ({
    number,
    ...file,
    table: counts.get(short(file)) === 1 ? short(file) : file.name,
  }))
}

function folderMissing(folder: string, cause: unknown): ToolError {
  return new ToolError('FOLDER_MISSING', `There is no folder "${folder}".`, {
    retryable: false,
    hint: 'Check the path; it is taken from where the command was started.',
    where: { path: folder },
    cause,
  })
}

function tooLarge(folder: string, limit: string): ToolError {
  return new ToolError('FOLDER_TOO_LARGE', `"${basename(folder)}" holds more than ${limit}.`, {
    retryable: false,
    hint: 'Audit a part of it: give the folder of that part.',
    where: { path: folder },
  })
}
