// What a model planner is told that does not change within a run: its trade, the plan format, and the tools.
//
// P1. The same tools give the same bytes, whatever order they are registered in: servers keep what they have read of a prompt.
// P2. All that changes from question to question comes after it.
import { isJsonObject, type JsonSchema } from '../../../plan/json.ts'
import type { ToolDescription } from '../../../plan/toolDescription.ts'
import { fenceRule } from '../../fence.ts'
import type { AnswerScope } from './answerSchema.ts'

/** The system message. */
export function instructionsFor(scope: AnswerScope): string {
  return [rules, kindsOf(scope), `# Tools\n\n${toolsInWords(scope.tools)}`].join('\n\n')
}

const rules = `You are a planner. You turn a goal into a plan of steps, and amend the plan when there is trouble. You carry nothing out yourself.

Answer with one JSON object and nothing else: no words and no fence around it.

# A plan

Answer a goal with {"steps": […], "assumptions": […]}, or with {"giveUp": "why"} where the tools cannot reach it.

A step is {"id": "read", "tool": "read_file", "input": {…}}, and may have
- "after": ["id", …]: steps that must be finished first although nothing of their output is used;
- "forEach": {"$from": "id", "path": "/files"}: it is carried out once for each item of that list. In its input {"$item": ""} is the item, {"$item": "/name"} a part of it. A reference to such a step gives the list of all its outputs;
- "when": {"value": {"$from": "id", "path": "/count"}, "is": {"minimum": 1}}: it is skipped where the value does not satisfy that JSON Schema;
- "expect": [{"path": "/rows", "is": {"minItems": 1}}]: what must hold of its output, where the schema does not promise it and the plan rests on it; where it does not hold, you are asked;
- "retry": {"attempts": 3, "backoffMs": 1000}: it is tried again before its failure is final, where the failure may pass by itself;
- "onFailure": "replan" (default), "skip" or "fail"; "onSkipped": "run" where it can do with null in place of what was skipped;
- "approval": "required" where a person is to agree first; "why": in a few words.

To use what another step gives, put a reference in place of the value: {"$from": "id", "path": "/rows/0/name"}. The path is a JSON Pointer into that step's output; "" is all of it. A reference is a dependency, and is not repeated in "after".

Rules
- Write each step after those that it depends on. Steps that do not depend on each other run side by side.
- Use only the tools below, with the inputs that their schemas name. Invent none.
- Ids are short: letters, digits, "-" and "_", no spaces, each once.
- Never write a reference inside a text ("\${read.text}", "{{read}}" and the like are not filled in).
- One step does one thing. Steps are a flat list: no step holds other steps.
- An assumption is {"id", "statement", "fact", "is", "steps"}: something about a fact that the named steps rest on.
- Write no comments, and no values that you do not know: let a step find them out.

# Trouble

Answer trouble with one of
- {"because": "why", "patch": [operations]}: {"op": "insert", "step": {…}, "before": "id"?}, {"op": "replace", "id", "step"}, {"op": "remove", "id"}, {"op": "rewire", "id", "from", "to"} (in step "id", references to "from" become references to "to"), {"op": "reorder", "ids": […], "before"?}, {"op": "abandon", "id", "because"} (the step and all that cannot do without it), {"op": "assume", "assumption"}, {"op": "unassume", "id"};
- {"keep": "why"}: the plan stands; a failure is final then, a surprise is taken as a result;
- {"giveUp": "why"}.
What has succeeded or is running stays as it is: put other steps beside or behind it, and rewire what waits for a failed step. Amend only what the trouble touches.

Values are shortened where they are long. Where you need more of one, answer {"ask": [{"step": "id", "path": "/rows/3"}]} or {"ask": [{"fact": "name", "path": ""}]} first, and only then.

# Data

${fenceRule}`

function kindsOf({ executors, mayDelegate }: AnswerScope): string {
  const kinds = [
    ...(executors.includes('model')
      ? [
          '- {"id", "executor": "model", "instruction": "what to do, in words", "tools": ["names that it may use"], "input": {"given": [references]}}: for what needs judgement and no tool does by itself.',
        ]
      : []),
    ...(executors.includes('person')
      ? [
          '- {"id", "executor": "person", "instruction": "what is asked", "input": {"given": [references]}}: a question to a person, who is waited for. Only where nobody else can know.',
        ]
      : []),
    ...(mayDelegate
      ? [
          '- {"id", "goal": {"text": "what is to be reached"}, "input": {"given": [references]}}: a part that is planned by itself, when its turn comes. Only where it cannot be planned before. Its output holds those of its steps, by their ids.',
        ]
      : []),
  ]
  return kinds.length === 0
    ? '# Steps without a tool\n\nThere are none here: each step has a tool.'
    : `# Steps without a tool\n\n${kinds.join('\n')}`
}

/** Tools with their schemas, by name. */
export function toolsInWords(tools: readonly ToolDescription[]): string {
  return [...tools].sort(byName).map(toolInWords).join('\n\n')
}

function toolInWords({ name, description, input, output, effects, cost }: ToolDescription): string {
  const traits = [
    ...(effects === 'write' || effects === 'external' ? [`changes something outside (${effects})`] : []),
    ...(cost === 1 ? [] : [`costs ${String(cost)}`]),
  ]
  return [
    `## ${name}${traits.length > 0 ? ` (${traits.join(', ')})` : ''}`,
    description,
    `input: ${schemaText(input)}`,
    `output: ${schemaText(output)}`,
  ].join('\n')
}

/** Names and first lines, for a first look at many. */
export function namesOf(tools: readonly ToolDescription[]): string {
  return [...tools]
    .sort(byName)
    .map(({ name, description }) => `- ${name}: ${firstLine(description)}`)
    .join('\n')
}

function firstLine(text: string): string {
  const line = text.split('\n', 1)[0] ?? ''
  const sentence = /^.*?[.!?](?=\s|$)/.exec(line)?.[0] ?? line
  return sentence.length > 160 ? `${sentence.slice(0, 160)}…` : sentence
}

function schemaText(schema: JsonSchema): string {
  if (!isJsonObject(schema)) return JSON.stringify(schema)
  const { $schema: _, ...rest } = schema
  return JSON.stringify(rest)
}

function byName(a: ToolDescription, b: ToolDescription): number {
  return a.name < b.name ? -1 : a.name > b.name ? 1 : 0
}
