// Loads a user's JavaScript or TypeScript module.
//
// Node 22.18 and later read TypeScript by themselves. Before that it takes tsx, which is used where it is installed:
// beside the module, or beside this package.
import { existsSync } from 'node:fs'
import { createRequire } from 'node:module'
import { resolve } from 'node:path'
import { pathToFileURL } from 'node:url'
import { PlanloomError } from '../errors.ts'

/** Whether a path is one of a module, by its ending. */
export function isModulePath(path: string): boolean {
  return /\.[cm]?[jt]sx?$/.test(path)
}

/** What a module exports; a default export that is an object stands beside the named ones.
 *
 * @throws `FILE_UNREADABLE` when there is no such file, `MODULE_UNUSABLE` when it cannot be loaded or throws.
 */
export async function loadModule(path: string): Promise<Readonly<Record<string, unknown>>> {
  const file = resolve(path)
  if (!existsSync(file)) {
    throw new PlanloomError('FILE_UNREADABLE', `There is no file ${path}.`, {
      hint: 'Check the path.',
      where: { path },
    })
  }
  const { default: main, ...named } = await importAny(path, file)
  return { ...(typeof main === 'object' && main !== null ? main : {}), ...named }
}

async function importAny(path: string, file: string): Promise<Record<string, unknown>> {
  const url = pathToFileURL(file).href
  try {
    return (await import(url)) as Record<string, unknown>
  } catch (error) {
    if (!isTypeScriptTrouble(error)) throw unusable(path, error)
    const tsx = findTsx(file)
    if (tsx === undefined) throw noTypeScript(path, error)
    await import(tsx) // puts itself in the way of imports
  }
  try {
    // Another address: the first attempt is remembered under the old one.
    return (await import(`${url}?with=tsx`)) as Record<string, unknown>
  } catch (error) {
    throw unusable(path, error)
  }
}

function isTypeScriptTrouble(error: unknown): boolean {
  const code = (error as { code?: unknown } | undefined)?.code
  return code === 'ERR_UNKNOWN_FILE_EXTENSION' || code === 'ERR_UNSUPPORTED_TYPESCRIPT_SYNTAX'
}

function findTsx(file: string): string | undefined {
  for (const from of [file, import.meta.url]) {
    try {
      return pathToFileURL(createRequire(from).resolve('tsx/esm')).href
    } catch {
      // Not there: look beside the next one.
    }
  }
  return undefined
}

function noTypeScript(path: string, cause: unknown): PlanloomError {
  const isReadInPart = (cause as { code?: unknown }).code === 'ERR_UNSUPPORTED_TYPESCRIPT_SYNTAX'
  const message = isReadInPart
    ? `${path} cannot be loaded: Node only strips types, and ${(cause as Error).message}`
    : `${path} is TypeScript, which this Node (${process.version}) does not read by itself.`
  const otherwise = isReadInPart
    ? 'or write it without enums, namespaces and parameter properties'
    : 'use Node 22.18 or later, or give a .js file'
  const hint = `Install tsx (npm install --save-dev tsx), ${otherwise}.`
  return new PlanloomError('MODULE_UNUSABLE', message, { hint, where: { path }, cause })
}

function unusable(path: string, cause: unknown): PlanloomError {
  const message = cause instanceof Error ? cause.message : String(cause)
  return new PlanloomError('MODULE_UNUSABLE', `${path} cannot be loaded: ${message}`, {
    hint: 'Run it by itself to see where it breaks.',
    where: { path },
    cause,
  })
}
