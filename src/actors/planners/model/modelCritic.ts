// A critic that is a language model: it reads a plan and says what is against it, by what it is told to look at.
import { PlanloomError } from '../../../errors.ts'
import type { JsonObject } from '../../../plan/json.ts'
import type { Plan } from '../../../plan/schema.ts'
import { askModel } from '../../../models/askModel.ts'
import type { Model } from '../../../models/model.ts'
import type { PlanRequest } from '../planner.ts'
import type { Critic } from './critics.ts'
import { fence, fenceRule } from '../../fence.ts'
import { readObject } from '../../../models/json/jsonInText.ts'
import { shorten } from './shorten.ts'

const mostObjections = 20
const roomForPlan = 100_000

const schema: JsonObject = {
  type: 'object',
  properties: { objections: { type: 'array', items: { type: 'string' } } },
  required: ['objections'],
  additionalProperties: false,
}

/** Has a model judge plans.
 *
 * @param words what it is to look at: "No step sends anything before a person has seen it."
 * @throws (as a critic) what the model throws, and `CRITIC_FAILED` where it does not say what it thinks.
 */
export function modelCritic(model: Model, words: string): Critic {
  return async (plan, request, { signal, now, budget }) => {
    const { text, end, usage, ...answer } = await askModel(
      model,
      {
        messages: [
          { role: 'system', text: `${rules}\n\nWhat to look at:\n${words}\n\n${fenceRule}` },
          { role: 'user', text: questionOf(plan, request) },
        ],
        format: { name: 'objections', schema },
      },
      { signal, now, ...(budget && { budget }) },
    )
    const reading = readObject(text, ['objections'])
    const objections = 'value' in reading ? reading.value.objections : undefined
    if (end !== 'stop' || !Array.isArray(objections)) {
      const why = end === 'stop' && 'problem' in reading ? reading.problem : `The answer ended with "${end}".`
      const error = new PlanloomError(
        'CRITIC_FAILED',
        `The model "${model.name}" gave no judgement of the plan. ${why}`,
        {
          hint: 'Try another model as a critic, or a function.',
        },
      )
      throw Object.assign(error, { usage })
    }
    return {
      objections: objections.filter((one) => typeof one === 'string').slice(0, mostObjections),
      ...(budget === undefined && { usage }),
      model: answer.model,
    }
  }
}

const rules =
  'You judge a plan before it is carried out. Object only where the plan breaks what you are told to look at. ' +
  'Each objection is one sentence that names the step and what is to be changed. ' +
  'Answer with {"objections": []} where there is nothing.'

function questionOf({ steps, assumptions }: Plan, { goal, tools }: PlanRequest): string {
  const used = new Set(steps.flatMap((step) => [step.tool ?? [], step.tools ?? []].flat()))
  const lines = tools
    .filter(({ name }) => used.has(name))
    .map(({ name, description, effects }) => `- ${name} (effects: ${effects}): ${description}`)
  const plan = shorten({ steps, assumptions }, roomForPlan).text
  return `# Goal\n\n${goal.text}\n\n# Tools that it uses\n\n${lines.join('\n')}\n\n# The plan\n\n${fence('plan', plan)}`
}
