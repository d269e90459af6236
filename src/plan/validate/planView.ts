// A plan as far as it could be read: what one part has wrong in its shape does not keep the others from being checked.
//
// V1. What could not be read is marked, so that nothing is concluded from its being away.
// V2. Where it is not known which step is meant (an id given twice, or none), nothing is concluded from the content of either.
import type { JsonSchema } from '../json.ts'
import { stepSchema, type Assumption, type Goal, type Step } from '../schema.ts'
import { quoted, Suggestions } from './report.ts'

/** The id of a step, or of a dependency on one, that could not be read. */
export const unreadId = ''

export interface PlacedStep {
  /** What could be read of it. */
  readonly step: Step
  /** Its index in `steps`. */
  readonly index: number
  /** Fields that are there, and cannot be read, or not wholly. */
  readonly unread: ReadonlySet<string>
  /** Those of them that are only there under a name which resembles theirs. */
  readonly misnamed: ReadonlySet<string>
}

export interface PlacedAssumption {
  readonly assumption: Assumption
  readonly index: number
  readonly unread: ReadonlySet<string>
}

export interface PlanParts {
  readonly goal: Goal | undefined
  readonly steps: readonly PlacedStep[]
  readonly assumptions: readonly PlacedAssumption[]
  /** Fields of the plan that cannot be read, or not wholly. */
  readonly unread: ReadonlySet<string>
  /** All ids that can be read. */
  readonly ids: ReadonlySet<string>
  /** Ids that no step has, but that those may have whose id cannot be read. */
  readonly guessedIds: ReadonlySet<string>
  /** Ids that more than one step has. */
  readonly doubledIds: ReadonlySet<string>
  /** Whether no step is known, so that an id may be that of any. */
  readonly isAnyId: boolean
}

export interface PlanView extends PlanParts {
  /** The steps whose ids are their own: the graph. */
  readonly byId: ReadonlyMap<string, Step>
  readonly likeIds: Suggestions
  /** Arrays and objects of inputs that have references in them; filled as inputs are looked at. */
  readonly holders: WeakSet<object>
  /** Objects that were meant as references, and are none; filled as inputs are looked at. */
  readonly mistakes: Set<object>
  /** Schemas that are none; filled as they are looked at. */
  readonly badSchemas: Set<JsonSchema>
  /** Whether an id is that of a step, as far as that can be known. */
  readonly has: (id: string) => boolean
  readonly unreadOf: (step: Step) => ReadonlySet<string>
}

export const nothingUnread: ReadonlySet<string> = new Set()

/** Of a step that is no object, or one that cannot be looked into. */
export const everythingUnread: ReadonlySet<string> = new Set(Object.keys(stepSchema.shape))

export function planView(parts: PlanParts): PlanView {
  const { steps, ids, guessedIds, doubledIds, isAnyId } = parts
  const byId = new Map<string, Step>()
  const unread = new Map<Step, ReadonlySet<string>>()
  for (const placed of steps) {
    const { id } = placed.step
    if (id !== unreadId && !doubledIds.has(id)) byId.set(id, placed.step) // V2
    if (placed.unread.size > 0) unread.set(placed.step, placed.unread)
  }
  return {
    ...parts,
    byId,
    likeIds: new Suggestions(ids),
    holders: new WeakSet(),
    mistakes: new Set(),
    badSchemas: new Set(),
    has: (id) => ids.has(id) || id === unreadId || isAnyId || guessedIds.has(id),
    unreadOf: (step) => unread.get(step) ?? nothingUnread,
  }
}

/** A step as messages call it: `Step "read"`, or `Step 3` where its id cannot be read. */
export function nameOfStep({ step, index }: PlacedStep): string {
  return step.id === unreadId ? `Step ${index}` : `Step ${quoted(step.id)}`
}

/** The id for a finding, where it can be read. */
export function idOfStep({ step }: PlacedStep): string | undefined {
  return step.id === unreadId ? undefined : step.id
}
