// Words of a command as a person types them: printed commands are copied into a shell.
import { printable } from './escape.ts'

/** A word as a shell takes it: `read[3]` is a pattern to it, unless it is quoted. */
export function quoted(word: string): string {
  return /^[\w@%+=:,./-]+$/.test(word) ? word : `'${printable(word).replaceAll("'", "'\\''")}'`
}
