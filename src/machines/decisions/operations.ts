// Which steps an operation of a patch is about.
import type { Operation } from '../../plan/schema.ts'

/** Steps that it changes where they are. Giving a step up is no change of it: that may happen to any. */
export function alteredBy(operation: Operation): readonly string[] {
  switch (operation.op) {
    case 'remove':
    case 'replace':
    case 'rewire':
      return [operation.id]
    case 'reorder':
      return operation.ids
    case 'insert':
    case 'abandon':
    case 'assume':
    case 'unassume':
    case 'regoal':
      return []
  }
}

/** Steps whose content it says anew, be it the same. */
export function renewedBy(operation: Operation): readonly string[] {
  return operation.op === 'replace' ? [operation.id] : operation.op === 'insert' ? [operation.step.id] : []
}
