// What a model is told after an answer that could not be taken: the values that it asked for, or what was found in it.
import type { Finding } from '../../../plan/finding.ts'
import { isPointer, getPointer } from '../../../plan/pointer.ts'
import type { Step } from '../../../plan/schema.ts'
import type { PlanRequest, ReplanRequest } from '../planner.ts'
import { fence } from '../../fence.ts'
import type { Wanted } from './readAnswer.ts'
import { shorten } from './shorten.ts'

const mostFindings = 30
const mostWanted = 20
const roomForValues = 40_000

/** The findings in words. They quote what the model wrote, and what it took from data, so they stand in a fence. */
export function findingsInWords(findings: readonly Finding[], begun: readonly Step[] | undefined): string {
  const lines = findings
    .slice(0, mostFindings)
    .map(({ path, message, hint }) => `- ${path === '' ? '' : `${path}: `}${message} ${hint}`)
  if (findings.length > mostFindings) lines.push(`- and ${String(findings.length - mostFindings)} more`)
  const ids = (begun ?? []).map(({ id }) => id)
  const stand =
    ids.length === 0
      ? 'Answer anew, as a whole, with all of it put right.'
      : `Some steps of it were sound and have begun. They stay in the plan as they are: ${fence('begun', ids.join(', '))}\nAnswer with the other steps, with all of it put right; leave these out.`
  return `Your answer cannot be used:\n${fence('findings', lines.join('\n'))}\n${stand}`
}

/** The values that were asked for. */
export function valuesInWords(
  wanted: readonly Wanted[],
  request: PlanRequest | ReplanRequest,
  asksLeft: number,
): string {
  const room = Math.floor(roomForValues / Math.max(1, Math.min(wanted.length, mostWanted)))
  const lines = wanted.slice(0, mostWanted).map((one) => {
    const name = `${one.step === undefined ? `fact ${JSON.stringify(one.fact)}` : JSON.stringify(one.step)} ${JSON.stringify(one.path)}`
    const value = lookUp(one, request)
    return value === undefined ? `${name}: there is nothing` : `${name}: ${shorten(value, room).text}`
  })
  const more =
    asksLeft > 0
      ? `You may ask ${asksLeft === 1 ? 'once' : `${String(asksLeft)} times`} more.`
      : 'You may not ask any more.'
  return `${fence('values', lines.join('\n'))}\n${more} Now answer.`
}

function lookUp({ step, fact, path }: Wanted, request: PlanRequest | ReplanRequest) {
  const value =
    step !== undefined
      ? 'situation' in request
        ? request.situation.output(step)
        : undefined
      : request.facts.find(({ key }) => key === fact)?.value
  return value === undefined || !isPointer(path) ? undefined : getPointer(value, path)
}
