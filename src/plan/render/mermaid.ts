// A plan as a Mermaid flowchart.
//
// Whatever a plan says stands inside quotes as entities: no text of a plan can end a label, add a node or bring in markup.
import type { Plan } from '../schema.ts'
import { picture, type PictureNode, type RenderOptions } from './picture.ts'
import { plainText, whatItDoes } from './plainText.ts'

/** Draws a plan as a Mermaid flowchart, from top to bottom; dependencies that only order steps are dashed.
 *
 * @returns the same text for the same plan.
 * @example
 * import { parsePlan, renderMermaid } from 'planloom/plan'
 * const plan = parsePlan({ id: 'p', goal: { text: 'go' }, steps: [{ id: 'a', tool: 'walk' }] })
 * renderMermaid(plan) // 'flowchart TD\n  s0["a<br/>walk"]\n'
 */
export function renderMermaid(plan: Plan, options: RenderOptions = {}): string {
  const nodes = picture(plan, options)
  const names = new Map(nodes.map(({ step }, index) => [step.id, `s${index}`]))
  const lines = ['flowchart TD']
  for (const node of nodes) lines.push(`  ${names.get(node.step.id) ?? ''}${shapeOf(node)}`)
  for (const { step, uses } of nodes) {
    for (const { from, kind } of uses) {
      lines.push(`  ${names.get(from) ?? ''} ${kind === 'data' ? '-->' : '-.->'} ${names.get(step.id) ?? ''}`)
    }
  }
  return `${[...lines, ...classesOf(nodes, names)].join('\n')}\n`
}

function shapeOf({ step, folded, status }: PictureNode): string {
  const count = folded.length > 0 ? ` × ${step.expanded ?? folded.length}` : ''
  const lines = [`${step.title ?? step.id}${count}`, whatItDoes(step), status ?? '']
  const label = lines
    .filter((line) => line !== '')
    .map(escape)
    .join('<br/>')
  if (step.tool === undefined) return `{{"${label}"}}`
  return folded.length > 0 ? `[["${label}"]]` : `["${label}"]`
}

function escape(text: string): string {
  return plainText(text).replace(/[^\p{L}\p{N} .,:()×…_+-]/gu, (sign) => `#${sign.codePointAt(0) ?? 0xfffd};`)
}

const colours: Readonly<Record<string, string>> = {
  running: 'fill:#dbeafe,stroke:#1d4ed8',
  succeeded: 'fill:#dcfce7,stroke:#15803d',
  failed: 'fill:#fee2e2,stroke:#b91c1c',
  skipped: 'fill:#f3f4f6,stroke:#9ca3af,stroke-dasharray:3 3',
  abandoned: 'fill:#f3f4f6,stroke:#9ca3af,stroke-dasharray:3 3',
  uncertain: 'fill:#fef9c3,stroke:#a16207',
}

function classesOf(nodes: readonly PictureNode[], names: ReadonlyMap<string, string>): string[] {
  return Object.entries(colours).flatMap(([status, style]) => {
    const members = nodes.filter((node) => node.status === status).map(({ step }) => names.get(step.id) ?? '')
    return members.length === 0 ? [] : [`  classDef ${status} ${style}`, `  class ${members.join(',')} ${status}`]
  })
}
