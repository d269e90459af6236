// Where what came differs from what was recorded.
import type { Json } from '../../plan/json.ts'
import { formatPointer } from '../../plan/pointer.ts'
import { valueDifferences } from '../../plan/valueDifferences.ts'

export interface Difference {
  /** JSON Pointer. */
  readonly pointer: string
  /** `undefined` where there was nothing. */
  readonly recorded: Json | undefined
  readonly came: Json | undefined
}

/** Places at which two values differ, in order, as deep as they can be named. Time grows with both. */
export function differences(recorded: Json | undefined, came: Json | undefined): Difference[] {
  return [...valueDifferences(recorded, came)].map(({ path, before, after }) => ({
    pointer: formatPointer(path),
    recorded: before,
    came: after,
  }))
}
