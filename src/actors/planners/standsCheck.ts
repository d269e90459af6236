// Whether a plan stands in spite of trouble: a cheap question before an amendment is paid for.
//
// W1. It can only keep a plan. Whatever it does not know is left to the planner.
// W2. A model is asked about trouble that a plan can bear: what failed is never waved through by one.
import type { Trouble, Usage } from '../../machines/reports.messages.ts'
import { askModel } from '../../models/askModel.ts'
import type { Model } from '../../models/model.ts'
import type { JsonObject } from '../../plan/json.ts'
import { fenceRule } from '../fence.ts'
import { readObject } from '../../models/json/jsonInText.ts'
import { replanQuestion } from './model/question.ts'
import type { PlannerContext, ReplanRequest } from './planner.ts'

export interface Standing {
  readonly stands: boolean
  readonly because?: string
  readonly usage?: Usage
}

/** Says whether the plan stands as it is: a failure is final then, a surprise is taken as a result, a broken assumption is waived. */
export type StandsCheck = (
  request: ReplanRequest,
  context: PlannerContext,
) => boolean | Standing | Promise<boolean | Standing>

/** Asks a check. One that throws has not said that the plan stands (W1), and ends no run: that is a warning (`STANDS_CHECK_FAILED`), and the
 * planner is asked; only who is stopped is not asked further. */
export async function askStanding(
  check: StandsCheck,
  request: ReplanRequest,
  context: PlannerContext,
): Promise<Standing> {
  let said: boolean | Standing
  try {
    said = await check(request, context)
  } catch (error) {
    context.signal.throwIfAborted()
    const why = error instanceof Error ? error.message : String(error)
    process.emitWarning(`Whether the plan stands could not be found out, so the planner is asked: ${why}`, {
      code: 'STANDS_CHECK_FAILED',
    })
    const usage = error instanceof Error && 'usage' in error ? (error.usage as Usage | undefined) : undefined
    return { stands: false, ...(usage && context.budget === undefined && { usage }) }
  }
  if (typeof said === 'boolean') return { stands: said }
  const { stands, because, usage } = said
  return { stands, ...(because !== undefined && { because }), ...(usage && { usage }) }
}

/** What is kept, in words. */
export function keepBecause({ because }: Standing): string {
  return because === undefined || because === '' ? 'The plan stands all the same.' : because
}

const bearable: ReadonlySet<Trouble['type']> = new Set(['surprised', 'assumption_broken', 'expanded'])

const schema: JsonObject = {
  type: 'object',
  properties: { because: { type: 'string' }, stands: { type: 'boolean' } },
  required: ['because', 'stands'],
  additionalProperties: false,
}

const rules =
  'A plan is being carried out, and something came otherwise than expected. Say whether the plan as it is still reaches the goal. ' +
  'Where you are not sure, it does not. Answer with one JSON object: {"because": "in one sentence", "stands": true or false}.'

/** Has a model, a small one as a rule, say whether a plan stands. Only surprises, broken assumptions and lists that became known are
 * put to it; with any other trouble the plan does not stand. Where its answer cannot be read, the planner is asked.
 * So it is where the model cannot be reached.
 */
export function modelStandsCheck(model: Model): StandsCheck {
  return async (request, { signal, now, budget }) => {
    if (!request.troubles.every(({ type }) => bearable.has(type))) return false // W2
    const { text, end, usage } = await askModel(
      model,
      {
        messages: [
          { role: 'system', text: `${rules}\n\n${fenceRule}` },
          {
            role: 'user',
            text: `${replanQuestion(request).text}\n\nDoes the plan still stand? You cannot ask for more.`,
          },
        ],
        format: { name: 'stands', schema },
      },
      { signal, now, ...(budget && { budget }) },
    )
    const reading = end === 'stop' ? readObject(text, ['stands']) : { problem: '' }
    const { stands, because } = 'value' in reading ? reading.value : {}
    return {
      stands: stands === true, // W1
      ...(typeof because === 'string' && { because: because.slice(0, 1_000) }),
      ...(budget === undefined && { usage }),
    }
  }
}
