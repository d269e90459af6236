// Which tools a model is shown, where there are more than fit: it picks from their names first.
import { estimateTokens } from '../../../models/estimateTokens.ts'
import type { ModelAnswer, ModelRequest } from '../../../models/model.ts'
import type { Finding } from '../../../plan/finding.ts'
import type { Json, JsonObject } from '../../../plan/json.ts'
import type { ToolDescription } from '../../../plan/toolDescription.ts'
import { fenceRule } from '../../fence.ts'
import { namesOf, toolsInWords } from './instructions.ts'
import { readObject } from '../../../models/json/jsonInText.ts'
import { unusable } from './readAnswer.ts'
import type { ModelPlannerSettings } from './settings.ts'

/** Whether all tools can be shown as they are. Remembered, since a run asks about the same list again and again. */
export function allFit(
  tools: readonly ToolDescription[],
  { maxToolsShown, maxToolTokens }: Pick<ModelPlannerSettings, 'maxToolsShown' | 'maxToolTokens'>,
): boolean {
  if (tools.length > maxToolsShown) return false
  const known = sizes.get(tools)
  const size = known ?? estimateTokens(toolsInWords(tools))
  if (known === undefined) sizes.set(tools, size)
  return size <= maxToolTokens
}

const sizes = new WeakMap<readonly ToolDescription[], number>()

/** @param question what the tools are for, in the words of the question that follows. */
export function pickRequest(
  tools: readonly ToolDescription[],
  question: string,
  most: number,
  findings: readonly Finding[],
): ModelRequest {
  const names = tools.map(({ name }) => name)
  const said = findings.length === 0 ? '' : `\n\nYour last answer did not do: ${findings[0]?.message ?? ''}`
  return {
    messages: [
      {
        role: 'system',
        text: `You choose tools for a planner. Name those that a plan may need, the likeliest first, at most ${String(most)}; leave out what certainly has no use. Answer with one JSON object: {"tools": ["name", …]}.\n\n# Tools\n\n${namesOf(tools)}\n\n# Data\n\n${fenceRule}`,
      },
      { role: 'user', text: `${question}\n\nDo not plan yet: which of the tools may be needed?${said}` },
    ],
    format: { name: 'tools', schema: schemaFor(names) },
  }
}

export type Picked = { readonly tools: readonly ToolDescription[] } | { readonly finding: Finding }

/** Reads which tools were picked. Names that there are not are passed over: they can only be left out. */
export function readPicked({ end, text }: ModelAnswer, tools: readonly ToolDescription[], most: number): Picked {
  const reading = readObject(text, ['tools'])
  const given: Json | undefined = 'value' in reading ? reading.value.tools : undefined
  const names = new Set(Array.isArray(given) ? (given as readonly Json[]) : [])
  const byName = new Map(tools.map((tool) => [tool.name, tool]))
  const picked = [...names].flatMap((name) => (typeof name === 'string' ? (byName.get(name) ?? []) : []))
  if (end === 'stop' && picked.length > 0) return { tools: picked.slice(0, most) }
  const problem =
    'problem' in reading ? reading.problem : names.size > 0 ? 'It names no tool that there is.' : 'It names no tool.'
  return { finding: unusable(problem, 'Answer with {"tools": ["name", …]}, with names from the list.') }
}

/** A server is held to the names, where they are not too many for it. */
function schemaFor(names: readonly string[]): JsonObject {
  const items: JsonObject =
    names.length <= mostNames && names.length > 0 ? { type: 'string', enum: names } : { type: 'string' }
  return {
    type: 'object',
    properties: { tools: { type: 'array', items } },
    required: ['tools'],
    additionalProperties: false,
  }
}

const mostNames = 500
