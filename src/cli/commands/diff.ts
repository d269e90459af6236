// `planloom diff`: what turns one plan into another, as a patch.
import { PlanloomError } from '../../errors.ts'
import { canonicalJson, diffPlans, type Goal, type Operation, type Plan } from '../../plan/index.ts'
import type { Colours } from '../colours.ts'
import { printable } from '../escape.ts'
import { exitCodes } from '../exitCodes.ts'
import { loadPlan } from '../loadPlan.ts'
import type { Output } from '../output.ts'

/** With `--json` the document is the patch itself. */
export async function diff(fileA: string, fileB: string, output: Output): Promise<number> {
  if (fileA === '-' && fileB === '-') {
    throw new PlanloomError('USAGE', 'Only one of the two plans can come from the standard input.', {
      hint: 'Give the other one as a file.',
    })
  }
  const [a, b] = [await loadPlan(fileA), await loadPlan(fileB)]
  const patch = diffPlans(a, b)
  const none = `goal, steps and assumptions of ${fileA} and ${fileB} are the same`
  const lines = patch.operations.map((operation) => operationLine(operation, a, output.colours))
  const named = a.id === b.id ? [] : [`# id: ${printable(a.id)} becomes ${printable(b.id)}`]
  output.print([...named, ...(lines.length === 0 ? [none] : lines)])
  output.document(patch)
  return exitCodes.done
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

/** The parts that have changed, and what they are now: `facts: {"x":1} becomes {"x":2}`. */
function goalChange(before: Goal, after: Goal): string {
  const parts = (['text', 'want', 'facts', 'partial'] as const).flatMap((part) => {
    const [then, now] = [shown(before[part]), shown(after[part])]
    return then === now ? [] : [`${part}: ${cut(then)} becomes ${cut(now)}`]
  })
  return parts.join('; ')
}

function shown(value: unknown): string {
  return value === undefined ? 'nothing' : typeof value === 'string' ? value : canonicalJson(value)
}

function cut(text: string): string {
  const line = printable(text)
  return line.length <= 120 ? line : `${line.slice(0, 119)}…`
}
