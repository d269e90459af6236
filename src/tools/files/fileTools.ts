// The file tools: list, read, write and hash, confined to the folders that they are given.
import { z } from 'zod'
import { PlanloomError } from '../../errors.ts'
import { defineTool } from '../defineTool.ts'
import { encodeContent } from './encodeContent.ts'
import { hashFile } from './hashFile.ts'
import { listFiles } from './listFiles.ts'
import { encodings, readWhole } from './readFile.ts'
import { openRoots } from './resolveInside.ts'
import { writeWhole } from './writeFile.ts'

export interface FileToolsOptions {
  /** The folders that may be used, with all below them. A relative path of a step starts at the first. */
  readonly roots: readonly string[]
  /** Largest file that is read or written whole. @default 5,000,000 */
  readonly maxBytes?: number
  /** Most files in one listing. @default 10,000 */
  readonly maxFiles?: number
}

const path = z.string().min(1)
const sizeBytes = z.int().min(0)
const sha256 = z.string()

/** Makes `file_list`, `file_read`, `file_write` and `file_hash`.
 *
 * No path leads out of the roots: neither `..`, nor an absolute path, nor a link in any part of it. Hard links and mounts
 * that stand inside the roots are inside. The roots are looked up at each use, so that they may come into being later.
 * @throws `TOOL_INVALID` without any root.
 * @example
 * const tools = fileTools({ roots: ['data', 'reports'] })
 * tools.map(({ description }) => description.name) // ['file_list', 'file_read', 'file_write', 'file_hash']
 */
export function fileTools({ roots, maxBytes = 5_000_000, maxFiles = 10_000 }: FileToolsOptions) {
  if (roots.length === 0) {
    throw new PlanloomError('TOOL_INVALID', 'The file tools have no folder that they may use.', {
      hint: 'Give at least one: fileTools({ roots: ["data"] }).',
    })
  }
  const limits: Limits = { roots: [...roots], maxBytes, maxFiles }
  return [fileList(limits), fileRead(limits), fileWrite(limits), fileHash(limits)] as const
}

type Limits = Required<FileToolsOptions>

function fileList({ roots, maxFiles }: Limits) {
  return defineTool({
    name: 'file_list',
    description: 'Lists the files in a folder and below it, sorted by name, with their sizes.',
    input: z.strictObject({
      path: path.default('.'),
      pattern: z
        .string()
        .max(1000)
        .optional()
        .describe('As "**/*.csv" or "data-{a,b}/*"; without "/" for the name alone.'),
      recursive: z.boolean().default(true),
      hidden: z.boolean().default(false),
    }),
    output: z.strictObject({
      files: z.array(z.strictObject({ path, name: z.string(), sizeBytes })).readonly(),
      /** What was left aside, and why: links that lead out, folders that cannot be read. */
      aside: z.array(z.strictObject({ name: z.string(), because: z.string() })).readonly(),
    }),
    effects: 'read',
    concurrency: 8,
    run: async ({ path, ...options }, { signal }) =>
      listFiles(await openRoots(roots), { folder: path, ...options, maxFiles, signal }),
  })
}

function fileRead({ roots, maxBytes }: Limits) {
  return defineTool({
    name: 'file_read',
    description: 'Reads a file as text, or as base64 where it is none.',
    input: z.strictObject({ path, encoding: z.enum(encodings).default('utf-8') }),
    output: z.strictObject({ path, content: z.string(), encoding: z.enum(encodings), sizeBytes }),
    effects: 'read',
    concurrency: 32,
    run: async ({ path, encoding }, { signal }) => {
      const read = await readWhole(await openRoots(roots), { path, encoding, maxBytes, signal })
      return { path, encoding, ...read }
    },
  })
}

function fileWrite({ roots, maxBytes }: Limits) {
  return defineTool({
    name: 'file_write',
    description: 'Writes a file whole, so that readers see the old content or the new one, never a part.',
    input: z.strictObject({
      path,
      content: z.string(),
      encoding: z.enum(encodings).default('utf-8'),
      parents: z.boolean().default(false).describe('Whether folders that are missing are made.'),
      ifExists: z.enum(['replace', 'fail']).default('replace'),
    }),
    output: z.strictObject({ path, sha256, sizeBytes }),
    effects: 'write',
    idempotent: true, // the same content at the same place, however often
    concurrency: 8,
    run: async ({ path, content, encoding, ...options }, { idempotencyKey, attempt, signal }) => {
      const bytes = encodeContent(content, encoding, { maxBytes })
      const key = `${idempotencyKey} ${attempt}`
      return { path, ...(await writeWhole(await openRoots(roots), { path, content: bytes, ...options, key, signal })) }
    },
  })
}

function fileHash({ roots }: Limits) {
  return defineTool({
    name: 'file_hash',
    description: 'Computes the SHA-256 of a file of any size.',
    input: z.strictObject({ path }),
    output: z.strictObject({ path, sha256, sizeBytes }),
    effects: 'read',
    concurrency: 4,
    run: async ({ path }, { signal }) => ({ path, ...(await hashFile(await openRoots(roots), path, signal)) }),
  })
}
