// A plan as Markdown, for people: in an issue, a review, a report.
//
// Every text of a plan is escaped: none can start a heading, a link, a cell or markup.
import type { Plan } from '../schema.ts'
import { renderMermaid } from './mermaid.ts'
import { picture, type PictureNode, type RenderOptions } from './picture.ts'
import { plainText, whatItDoes } from './plainText.ts'

/** Writes a plan as Markdown: goal, a drawing, a table of steps, and assumptions.
 *
 * @returns the same text for the same plan.
 * @example
 * import { parsePlan, renderMarkdown } from 'planloom/plan'
 * const plan = parsePlan({ id: 'p', goal: { text: 'go' }, steps: [{ id: 'a', tool: 'walk' }] })
 * renderMarkdown(plan).startsWith('# go\n') // true
 */
export function renderMarkdown(plan: Plan, options: RenderOptions & { readonly drawing?: boolean } = {}): string {
  const nodes = picture(plan, options)
  const isTold = nodes.some(({ status }) => status !== undefined)
  const parts = [`# ${escape(plan.goal.text, 300)}`, headOf(plan)]
  if (options.drawing !== false && nodes.length > 0) parts.push(`\`\`\`mermaid\n${renderMermaid(plan, options)}\`\`\``)
  parts.push(tableOf(nodes, isTold))
  if (plan.assumptions.length > 0) parts.push('## Assumptions', assumptionsOf(plan))
  return `${parts.join('\n\n')}\n`
}

function headOf({ revision, by, because, goal, steps }: Plan): string {
  const model = by.model === undefined ? '' : ` with ${escape(by.model)}`
  const wanted = (goal.want ?? []).map(({ fact }) => escape(fact))
  const count = steps.length === 1 ? '1 step' : `${steps.length} steps`
  const lines = [`Revision ${revision}, ${count}, by ${escape(by.planner)}${model}: ${escape(because.text, 300)}`]
  if (wanted.length > 0) lines.push(`Wanted: ${wanted.join(', ')}.`)
  return lines.join('\n\n')
}

function tableOf(nodes: readonly PictureNode[], isTold: boolean): string {
  const heads = ['#', 'step', 'does', 'after', 'why', ...(isTold ? ['status'] : [])]
  const rows = nodes.map(({ step, folded, status, uses }, index) => {
    const count =
      folded.length > 0
        ? ` × ${step.expanded ?? folded.length}`
        : step.forEach && step.expanded === undefined
          ? ' × each'
          : ''
    const title = step.title === undefined ? '' : `: ${escape(step.title)}`
    return [
      String(index + 1),
      `${escape(step.id)}${title}`,
      `${escape(whatItDoes(step))}${count}`,
      uses.map(({ from }) => escape(from)).join(', '),
      escape(step.why ?? '', 300),
      ...(isTold ? [escape(status ?? '')] : []),
    ]
  })
  return [heads, heads.map(() => '---'), ...rows].map((cells) => `| ${cells.join(' | ')} |`).join('\n')
}

function assumptionsOf({ assumptions }: Plan): string {
  return assumptions
    .map(
      ({ statement, fact, steps }) =>
        `- ${escape(statement, 300)} (about ${escape(fact)}; for ${steps.map((id) => escape(id)).join(', ')})`,
    )
    .join('\n')
}

function escape(text: string, maxLength?: number): string {
  return plainText(text, maxLength)
    .replace(/[\\`*_[\]{}()#+!|~$^=:-]/g, (sign) => (readable.has(sign) ? sign : `\\${sign}`))
    .replaceAll('&', '&amp;')
    .replaceAll('<', '&lt;')
    .replaceAll('>', '&gt;')
    .replaceAll('@', '&#64;')
    .replace(/^(\d+)\./, '$1\\.')
    .replace(/\b(https?|ftp|www)(?=\\?:|\.)/gi, (name) => `${name}&#8203;`)
}

/** Signs that mean nothing inside a line. */
const readable: ReadonlySet<string> = new Set(['(', ')', ':', '-', '+', '=', '^', '{', '}', '#', '!'])
