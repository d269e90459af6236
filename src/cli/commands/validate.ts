// `planloom validate`: finds everything that is wrong with a plan, at once.
import { validatePlan } from '../../plan/index.ts'
import { exitCodes } from '../exitCodes.ts'
import { findingCounts, findingLines } from '../findingLines.ts'
import { catalogueOf, loadPlanValue } from '../loadPlan.ts'
import { loadTools } from '../loadWork.ts'
import type { Output } from '../output.ts'

export interface ValidateOptions {
  readonly tools?: readonly string[]
}

export async function validate(file: string, options: ValidateOptions, output: Output): Promise<number> {
  const tools = await loadTools(options.tools)
  const { plan, findings } = validatePlan(await loadPlanValue(file), catalogueOf(tools))
  const isValid = plan !== undefined
  output.print([...findingLines(findings, output.colours), headline(file, isValid, findingCounts(findings), output)])
  if (tools.length === 0)
    output.note([output.errorColours.dim('tools were not checked: name the modules that have them with --tools')])
  output.document({ valid: isValid, findings, ...(plan && { steps: plan.steps.length, revision: plan.revision }) })
  return isValid ? exitCodes.done : exitCodes.invalidPlan
}

function headline(file: string, isValid: boolean, counts: string, { colours }: Output): string {
  return isValid
    ? `${colours.green('✓')} ${file} is a valid plan (${counts})`
    : `${colours.red('✗')} ${file} cannot run (${counts})`
}
