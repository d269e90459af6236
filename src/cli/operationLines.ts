// What is done to a plan, line by line: of a patch, or of the difference of two plans.
import type { Goal, Json, Operation, Plan } from '../plan/index.ts'
import type { Colours } from './colours.ts'
import { printable } from './escape.ts'
import { foldFamilies } from './families.ts'
import { valueChanges } from './valueChanges.ts'

/** An order in which much has changed says little place by place. */
export function operationLines(operations: readonly Operation[], before: Plan, colours: Colours): readonly string[] {
  const moves = operations.filter((one) => one.op === 'reorder')
  const isShuffled = moves.length > 3
  const told = isShuffled ? operations.filter(({ op }) => op !== 'reorder') : operations
  const moved = moves.reduce((sum, { ids }) => sum + ids.length, 0)
  return [
    ...foldFamilies(
      told.map((one) => ({ id: subjectOf(one), kind: one.op, line: operationLine(one, before, colours) })),
    ),
    ...(isShuffled ? [`↕ ${moved} steps stand elsewhere`] : []),
  ]
}

function subjectOf(operation: Operation): string {
  switch (operation.op) {
    case 'insert':
      return operation.step.id
    case 'assume':
      return operation.assumption.id
    case 'reorder':
      return operation.ids.join()
    case 'regoal':
      return 'goal'
    case 'remove':
    case 'replace':
    case 'rewire':
    case 'abandon':
    case 'unassume':
      return operation.id
  }
}

function operationLine(operation: Operation, before: Plan, colours: Colours): string {
  switch (operation.op) {
    case 'insert': {
      const { id, title, tool } = operation.step
      return colours.green(
        `+ ${id}  ${printable(title ?? tool ?? '')}${operation.before === undefined ? '' : `  (before ${operation.before})`}`,
      )
    }
    case 'remove':
      return colours.red(`- ${operation.id}`)
    case 'replace':
      return colours.yellow(`~ ${operation.id}  ${printable(operation.step.title ?? operation.step.tool ?? '')}`)
    case 'reorder':
      return `↕ ${operation.ids.join(', ')}  ${operation.before === undefined ? 'to the end' : `before ${operation.before}`}`
    case 'rewire':
      return `→ ${operation.id}  ${operation.from} becomes ${operation.to ?? 'nothing'}`
    case 'abandon':
      return colours.red(`⊘ ${operation.id}  ${printable(operation.because)}`)
    case 'assume':
      return `! assumes ${operation.assumption.id}: ${printable(operation.assumption.statement)}`
    case 'unassume':
      return `! assumes ${operation.id} no longer`
    case 'regoal':
      return `◎ goal: ${goalChange(before.goal, operation.goal)}`
  }
}

/** The parts that have changed, and how: `facts: /x 1 becomes 2`. */
function goalChange(before: Goal, after: Goal): string {
  const parts = (['text', 'want', 'facts', 'partial'] as const).flatMap((part) => {
    const { told, more } = valueChanges(before[part] as Json | undefined, after[part] as Json | undefined)
    return told.length === 0 ? [] : [`${part}: ${told.join(', ')}${more > 0 ? `, and ${more} more` : ''}`]
  })
  return parts.join('; ')
}
