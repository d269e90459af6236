// What tells one use of a tool from another: the tool and its input.
import { canonicalJson } from '../../../plan/hash.ts'
import type { Json } from '../../../plan/json.ts'

export function triedKey(tool: string, input: Json): string {
  return `${tool} ${canonicalJson(input)}`
}
