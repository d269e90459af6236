// Answers given beforehand (`--answer step=value`): a name that no step bears is a slip, and is said.
import { closest, distance } from 'fastest-levenshtein'
import { PlanloomError } from '../errors.ts'

interface PlannedStep {
  readonly id: string
  readonly goal?: unknown
}

/** Looks before the run whether a plan has the steps that are answered; what cannot be told yet passes.
 *
 * @throws `USAGE`
 */
export function checkAnswers(answers: Iterable<string>, plan: unknown): void {
  const steps = stepsIn(plan)
  // A step that is a goal brings steps of its own.
  if (steps === undefined || steps.some(({ goal }) => goal !== undefined)) return
  const ids = steps.map(({ id }) => id)
  for (const answer of answers) {
    if (ids.some((id) => answer === id || answer.startsWith(`${id}[`))) continue
    throw new PlanloomError('USAGE', `--answer ${answer}=… answers no step: the plan has no step "${answer}".`, {
      hint:
        meant(answer, ids) ??
        (ids.length === 0
          ? 'The plan has no steps.'
          : `It has ${ids.slice(0, 5).join(', ')}${ids.length > 5 ? ', …' : ''}.`),
    })
  }
}

/** What to say at the end of answers that nobody asked for. @param ids of the steps that there were. */
export function unusedAnswerLines(unused: readonly string[], ids: readonly string[]): string[] {
  return unused.map((answer) => {
    const because = ids.includes(answer) ? 'that step asked for none' : 'there was no such step'
    const hint = ids.includes(answer) ? undefined : meant(answer, ids)
    return `--answer ${answer}=… was not used: ${because}${hint === undefined ? '' : `. ${hint}`}`
  })
}

function stepsIn(plan: unknown): readonly PlannedStep[] | undefined {
  const { steps } = (typeof plan === 'object' && plan !== null ? plan : {}) as { readonly steps?: unknown }
  return Array.isArray(steps) && steps.every(isStep) ? steps : undefined
}

function isStep(value: unknown): value is PlannedStep {
  return typeof value === 'object' && value !== null && typeof (value as Partial<PlannedStep>).id === 'string'
}

function meant(name: string, ids: readonly string[]): string | undefined {
  if (ids.length === 0) return undefined
  const near = closest(name, [...ids])
  return distance(name, near) <= Math.max(2, name.length / 3) ? `Did you mean "${near}"?` : undefined
}
