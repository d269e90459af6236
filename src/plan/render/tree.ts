// A plan as a tree for the terminal: plain text, no colours, no escape sequences.
//
// A plan is a graph, and a tree shows each step once: under the dependency that is furthest from the start, the others named.
import type { Plan } from '../schema.ts'
import { picture, type PictureNode, type RenderOptions } from './picture.ts'
import { plainText, whatItDoes } from './plainText.ts'

/** Draws a plan as a tree of steps, each under the dependency that comes last.
 *
 * @returns lines that end with a line break; the same text for the same plan.
 * @example
 * import { parsePlan, renderTree } from 'planloom/plan'
 * const steps = [{ id: 'a', tool: 'walk' }, { id: 'b', tool: 'sit', after: ['a'] }]
 * renderTree(parsePlan({ id: 'p', goal: { text: 'go' }, steps })) // 'go\n└─ a: walk\n   └─ b: sit\n'
 */
export function renderTree(plan: Plan, options: RenderOptions = {}): string {
  const nodes = picture(plan, options)
  const parents = findParents(nodes)
  const children = childrenByParent(nodes, parents)
  const lines = [plainText(plan.goal.text)]
  const open = branchesOf(children.get(undefined), '')
  for (let branch = open.pop(); branch !== undefined; branch = open.pop()) {
    const { node, prefix, isLast } = branch
    lines.push(`${prefix}${isLast ? '└─' : '├─'} ${describe(node, parents.get(node.step.id))}`)
    const below = prefix.length >= deepestIndent ? prefix : `${prefix}${isLast ? '   ' : '│  '}`
    open.push(...branchesOf(children.get(node.step.id), below))
  }
  return `${lines.join('\n')}\n`
}

/** Columns after which lines move no further to the right: a chain of 10,000 steps would be a text of 300 MB. */
const deepestIndent = 60

interface Branch {
  readonly node: PictureNode
  readonly prefix: string
  readonly isLast: boolean
}

function childrenByParent(
  nodes: readonly PictureNode[],
  parents: ReadonlyMap<string, string>,
): Map<string | undefined, PictureNode[]> {
  const children = new Map<string | undefined, PictureNode[]>()
  for (const node of nodes) {
    const parent = parents.get(node.step.id)
    const list = children.get(parent)
    if (list) list.push(node)
    else children.set(parent, [node])
  }
  return children
}

/** In reverse, to be taken from the end. */
function branchesOf(nodes: readonly PictureNode[] = [], prefix: string): Branch[] {
  return nodes.map((node, index) => ({ node, prefix, isLast: index === nodes.length - 1 })).reverse()
}

/** For each node the dependency that is furthest from the start; none for those that begin, or that wait for each other. */
function findParents(nodes: readonly PictureNode[]): Map<string, string> {
  const waiting = new Map(nodes.map(({ step, uses }) => [step.id, uses.length]))
  const users = new Map<string, PictureNode[]>()
  for (const node of nodes) {
    for (const { from } of node.uses) {
      const list = users.get(from)
      if (list) list.push(node)
      else users.set(from, [node])
    }
  }
  const depth = new Map<string, number>()
  const parents = new Map<string, string>()
  const ready = nodes.filter(({ uses }) => uses.length === 0)
  for (const node of ready) {
    const { id } = node.step
    const last = node.uses.reduce<string | undefined>((deepest, { from }) => {
      return deepest === undefined || (depth.get(from) ?? 0) > (depth.get(deepest) ?? 0) ? from : deepest
    }, undefined)
    if (last !== undefined) parents.set(id, last)
    depth.set(id, last === undefined ? 0 : (depth.get(last) ?? 0) + 1)
    for (const user of users.get(id) ?? []) {
      const left = (waiting.get(user.step.id) ?? 0) - 1
      waiting.set(user.step.id, left)
      if (left === 0) ready.push(user)
    }
  }
  return parents
}

function describe({ step, folded, status, uses }: PictureNode, parent: string | undefined): string {
  const others = uses.filter(({ from }) => from !== parent).map(({ from }) => from)
  const what = plainText(whatItDoes(step))
  const title = step.title === undefined ? '' : ` (${plainText(step.title)})`
  const count =
    folded.length > 0
      ? ` × ${step.expanded ?? folded.length}`
      : step.forEach && step.expanded === undefined
        ? ' × each'
        : ''
  const also = others.length === 0 ? '' : `, also after ${namesOf(others)}`
  return `${step.id}: ${what}${count}${title}${also}${status === undefined ? '' : ` [${plainText(status)}]`}`
}

function namesOf(ids: readonly string[]): string {
  return ids.length <= 4 ? ids.join(', ') : `${ids.slice(0, 3).join(', ')} and ${ids.length - 3} more`
}
