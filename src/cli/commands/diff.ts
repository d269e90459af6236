// `planloom diff`: what turns one plan into another, as a patch.
import { diffPlans, type Operation } from '../../plan/index.ts'
import type { Colours } from '../colours.ts'
import { printable } from '../escape.ts'
import { exitCodes } from '../exitCodes.ts'
import { loadPlan } from '../loadPlan.ts'
import type { Output } from '../output.ts'

/** With `--json` the document is the patch itself. */
export async function diff(fileA: string, fileB: string, output: Output): Promise<number> {
  const patch = diffPlans(await loadPlan(fileA), await loadPlan(fileB))
  const { colours } = output
  const none = `the steps of ${fileA} and ${fileB} are the same`
  output.print(
    patch.operations.length === 0 ? [none] : patch.operations.map((operation) => operationLine(operation, colours)),
  )
  output.document(patch)
  return exitCodes.done
}

function operationLine(operation: Operation, colours: Colours): string {
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
      return `◎ goal: ${printable(operation.goal.text)}`
  }
}
