// What all drawings of a plan show: its steps and dependencies, with the children of expanded steps folded into them if wanted.
import { childId, dependenciesOf, isChildOf } from '../references.ts'
import type { Plan, Step } from '../schema.ts'

export interface RenderOptions {
  /** How far a step is, in one word; nothing is said of steps for which it gives `undefined`. */
  readonly status?: (stepId: string) => string | undefined
  /** Whether an expanded `forEach` step is drawn as one, its children inside it. @default false */
  readonly fold?: boolean
}

export interface PictureNode {
  readonly step: Step
  /** Steps that are folded into this one, at any depth. */
  readonly folded: readonly Step[]
  readonly status: string | undefined
  /** Ids of other nodes that it depends on. */
  readonly uses: readonly PictureEdge[]
}

export interface PictureEdge {
  readonly from: string
  /** `data`: some output of it is used. `order`: it only has to be finished. */
  readonly kind: 'data' | 'order'
}

/** The nodes in the order of the plan. Dependencies on steps that are not there are left out. */
export function picture(plan: Plan, { status, fold = false }: RenderOptions): readonly PictureNode[] {
  const shown = fold ? foldedInto(plan) : new Map(plan.steps.map((step) => [step.id, step.id]))
  const folded = new Map<string, Step[]>()
  const uses = new Map<string, Map<string, PictureEdge>>()
  for (const step of plan.steps) {
    const id = shown.get(step.id) ?? step.id
    if (!uses.has(id)) uses.set(id, new Map())
    if (id !== step.id) folded.set(id, [...(folded.get(id) ?? []), step])
    for (const edge of edgesOf(step, shown)) if (edge.from !== id) addEdge(uses.get(id), edge)
  }
  return plan.steps.flatMap((step) => {
    if (shown.get(step.id) !== step.id) return []
    const inside = folded.get(step.id) ?? []
    const edges = [...(uses.get(step.id)?.values() ?? [])]
    return { step, folded: inside, status: statusOf(step, inside, status), uses: edges }
  })
}

/** For each step, the one that stands for it in the picture. */
function foldedInto(plan: Plan): Map<string, string> {
  const byId = new Map(plan.steps.map((step) => [step.id, step]))
  const parents = new Map<string, string>()
  for (const step of plan.steps) {
    for (let index = 0; index < (step.expanded ?? 0); index++) {
      const child = childId(step.id, index)
      if (byId.has(child)) parents.set(child, step.id)
    }
  }
  const shown = new Map<string, string>()
  for (const { id } of plan.steps) {
    let top = id
    for (let parent = parents.get(top); parent !== undefined; parent = parents.get(top)) top = parent
    shown.set(id, top)
  }
  return shown
}

function edgesOf(step: Step, shown: ReadonlyMap<string, string>): PictureEdge[] {
  const after = new Set(step.after)
  return dependenciesOf(step).flatMap((id) => {
    const from = shown.get(id)
    return from === undefined ? [] : { from, kind: after.has(id) && !isChildOf(id, step) ? 'order' : 'data' }
  })
}

function addEdge(edges: Map<string, PictureEdge> | undefined, edge: PictureEdge): void {
  if (edges === undefined) return
  if (edge.kind === 'data' || !edges.has(edge.from)) edges.set(edge.from, edge)
}

/** The status of a step; for one with others folded into it, theirs, counted: `succeeded 70, failed 3`. */
function statusOf(step: Step, folded: readonly Step[], status: RenderOptions['status']): string | undefined {
  if (status === undefined) return step.abandoned === undefined ? undefined : 'abandoned'
  if (folded.length === 0) return status(step.id)
  const counts = new Map<string, number>()
  for (const { id } of folded) {
    const word = status(id)
    if (word !== undefined) counts.set(word, (counts.get(word) ?? 0) + 1)
  }
  if (counts.size === 0) return status(step.id)
  const [only] = counts.keys()
  return counts.size === 1 ? only : [...counts].map(([word, count]) => `${word} ${count}`).join(', ')
}
