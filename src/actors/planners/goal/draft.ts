// A plan in the making, as the search sees it while it chooses.
import type { Link, Support, Use } from './posedProblem.ts'

/** How a link is met: by a use, or by what is known. */
export type Choice = Support | 'known'

/** A part of the plan under construction, as the search and its checks see it. */
export interface Draft {
  readonly choiceOf: (link: Link) => Choice | undefined
  readonly isChosen: (use: Use) => boolean
  readonly consumersOf: (use: Use) => readonly Use[]
}
