// References that a model wrote into a text, where nothing fills them in: `"${a.rows}"`, `"{{a}}"`, `"see {\"$from\": \"a\"}"`.
//
// A person may mean such a text as it stands, so the validator only warns of it. A model that has just been told how references
// are written, and names a step of its own plan so, does not.
import type { Finding } from '../../../plan/finding.ts'
import type { Json } from '../../../plan/json.ts'
import { formatPointer } from '../../../plan/pointer.ts'
import type { Step } from '../../../plan/schema.ts'

const template =
  /\$\{\s*(?:steps?[.:/])?([\w-]{1,200})[^{}]{0,200}\}|\{\{\s*(?:steps?[.:/])?([\w-]{1,200})[^{}]{0,200}\}\}/g
const written = /\\?"\$(?:from|item)\\?"\s{0,20}:/
// `$1` is left alone: it may be an amount.
const placeholder = /^#E\d{1,4}$|\$\{\d{1,4}\}/

/** Whether a step has a text that might be meant as a reference: what it means shows when the plan is whole. */
export function hasTemplates(step: Step): boolean {
  let isFound = false
  visitTexts(step.input, (text) => {
    isFound ||= text.includes('${') || text.includes('{{') || written.test(text) || placeholder.test(text)
  })
  return isFound
}

/** What in a step's input is meant as a reference to a step and is none.
 *
 * @param place of the step, as a JSON Pointer into the answer.
 */
export function textReferences(step: Step, ids: ReadonlySet<string>, place: string): Finding[] {
  const findings: Finding[] = []
  visitTexts(step.input, (text, path) => {
    const mark = markIn(text, ids)
    if (mark === undefined) return
    findings.push({
      code: 'TEMPLATE_IN_TEXT',
      severity: 'error',
      path: `${place}/input${formatPointer(path)}`,
      stepId: step.id,
      message: `Step "${step.id}" has the text ${JSON.stringify(mark.slice(0, 100))}, which is not filled in: the tool gets it as it stands.`,
      hint: 'In place of the whole text write a reference: {"$from": "stepId", "path": "/field"}. To put a value into a text, use a tool that does.',
    })
  })
  return findings
}

function markIn(text: string, ids: ReadonlySet<string>): string | undefined {
  const quick = written.exec(text)?.[0] ?? placeholder.exec(text)?.[0]
  if (quick !== undefined) return quick
  for (const [mark, one, two] of text.matchAll(template)) if (ids.has(one ?? two ?? '')) return mark
  return undefined
}

/** All texts inside a value. Of a value that is nested without end, the validator tells. */
function visitTexts(value: Json | undefined, visit: (text: string, path: readonly (string | number)[]) => void): void {
  const open: (readonly [Json | undefined, readonly (string | number)[]])[] = [[value, []]]
  for (let next = open.pop(); next !== undefined; next = open.pop()) {
    const [inner, path] = next
    if (typeof inner === 'string') visit(inner, path)
    if (typeof inner !== 'object' || inner === null || path.length > 64) continue
    for (const [key, item] of Object.entries(inner)) open.push([item, [...path, key]])
  }
}
