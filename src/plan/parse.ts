// Reading plans from values and from text.
import { LineCounter, parseDocument } from 'yaml'
import { PlanloomError } from '../errors.ts'
import type { Finding } from './finding.ts'
import type { Plan } from './schema.ts'
import { validatePlan, type ValidateOptions } from './validate.ts'

/** A plan that cannot run, with everything that is wrong with it. */
export class PlanInvalidError extends PlanloomError {
  override readonly name = 'PlanInvalidError'
  readonly findings: readonly Finding[]
  constructor(findings: readonly Finding[]) {
    const errors = findings.filter((finding) => finding.severity === 'error')
    const [first] = errors
    const more = errors.length > 1 ? ` (and ${String(errors.length - 1)} more)` : ''
    super('PLAN_INVALID', `The plan cannot run: ${first?.message ?? 'it is not valid.'}${more}`, {
      hint: first?.hint,
      where: { path: first?.path ?? '', ...(first?.stepId !== undefined && { stepId: first.stepId }) },
    })
    this.findings = findings
  }
}

/** Checks a value and makes it a plan, with its defaults filled in.
 *
 * @returns a frozen plan.
 * @throws `PLAN_INVALID` with all `findings`.
 * @example
 * import { parsePlan } from 'planloom/plan'
 * parsePlan({ id: 'p', goal: { text: 'go' }, steps: [{ id: 'a', tool: 'walk' }] }).revision // 1
 */
export function parsePlan(value: unknown, options?: ValidateOptions): Plan {
  const { plan, findings } = validatePlan(value, options)
  if (plan === undefined) throw new PlanInvalidError(findings)
  return plan
}

/** Parses JSON or YAML text (JSON is YAML): the value, not yet checked.
 *
 * @throws `PLAN_SYNTAX` with line and column. Aliases are refused when they would blow the value up.
 * @example
 * import { parsePlanText } from 'planloom/plan'
 * parsePlanText('id: p') // { id: 'p' }
 */
export function parsePlanText(text: string, options: { readonly name?: string } = {}): unknown {
  const lines = new LineCounter()
  const document = parseDocument(text, { lineCounter: lines, prettyErrors: false, uniqueKeys: true })
  const [error] = document.errors
  if (error) {
    const { line, col } = lines.linePos(error.pos[0])
    throw syntaxError(`${options.name ?? 'The text'}, line ${String(line)}, column ${String(col)}: ${error.message}`, options.name, error)
  }
  try {
    return document.toJS({ maxAliasCount: 100 }) as unknown
  } catch (cause) {
    throw syntaxError(`${options.name ?? 'The text'}: ${cause instanceof Error ? cause.message : String(cause)}`, options.name, cause)
  }
}

function syntaxError(message: string, path: string | undefined, cause: unknown): PlanloomError {
  return new PlanloomError('PLAN_SYNTAX', message, {
    hint: 'Mend the JSON or YAML at that place.',
    where: path === undefined ? {} : { path },
    cause,
  })
}
