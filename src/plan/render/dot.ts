// A plan in the DOT language of Graphviz.
//
// Every text of a plan is a quoted string with quotes and backslashes escaped; HTML labels are never used.
import type { Plan } from '../schema.ts'
import { picture, type PictureNode, type RenderOptions } from './picture.ts'
import { plainText, whatItDoes } from './plainText.ts'

/** Draws a plan in DOT, for Graphviz; dependencies that only order steps are dashed.
 *
 * @returns the same text for the same plan.
 * @example
 * import { parsePlan, renderDot } from 'planloom/plan'
 * const plan = parsePlan({ id: 'p', goal: { text: 'go' }, steps: [{ id: 'a', tool: 'walk' }] })
 * renderDot(plan).includes('"a" [label="a\\nwalk"]') // true
 */
export function renderDot(plan: Plan, options: RenderOptions = {}): string {
  const nodes = picture(plan, options)
  const lines = [
    `digraph ${quote(plainText(plan.goal.text))} {`,
    '  rankdir=TB',
    '  node [shape=box, style="rounded,filled", fillcolor=white, fontname="sans-serif"]',
  ]
  for (const node of nodes) lines.push(`  ${quote(node.step.id)} [${attributesOf(node).join(', ')}]`)
  for (const { step, uses } of nodes) {
    for (const { from, kind } of uses) {
      lines.push(`  ${quote(from)} -> ${quote(step.id)}${kind === 'data' ? '' : ' [style=dashed]'}`)
    }
  }
  return `${lines.join('\n')}\n}\n`
}

function attributesOf({ step, folded, status }: PictureNode): string[] {
  const count = folded.length > 0 ? ` × ${step.expanded ?? folded.length}` : ''
  const lines = [`${step.title ?? step.id}${count}`, whatItDoes(step), status ?? '']
  const label = lines
    .filter((line) => line !== '')
    .map((line) => escape(plainText(line)))
    .join('\\n')
  const colour = status === undefined ? undefined : colours[status]
  return [
    `label="${label}"`,
    ...(folded.length > 0 ? ['peripheries=2'] : []),
    ...(step.tool === undefined ? ['shape=hexagon'] : []),
    ...(colour === undefined ? [] : [`fillcolor="${colour}"`]),
  ]
}

function quote(text: string): string {
  return `"${escape(text)}"`
}

function escape(text: string): string {
  return text.replaceAll('\\', '\\\\').replaceAll('"', '\\"')
}

const colours: Readonly<Partial<Record<string, string>>> = {
  running: '#dbeafe',
  succeeded: '#dcfce7',
  failed: '#fee2e2',
  skipped: '#f3f4f6',
  abandoned: '#f3f4f6',
  uncertain: '#fef9c3',
}
