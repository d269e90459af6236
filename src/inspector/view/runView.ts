// A run as a watcher sees it: the fold of its entries, the same in the server and in the page.
//
// V1. Equal entries, taken in order, give equal views, whoever takes them.
// V2. Taking an entry in gives what it changed, as it was before: undone in the reverse order, every earlier view comes back.
// V3. An entry costs what it changes; only a revision costs as much as the plan is long.
import type { RevisionMade, RunEntry, StepChange, StepStatusName } from '../protocol/runEntry.ts'
import type { FactView, RevisionView, RunSnapshot } from '../protocol/runSnapshot.ts'
import { noPlan, revised } from './planOutline.ts'

/** How far a step of this revision or an earlier one has come. */
export type StepView = StepChange

/** What is never changed, only replaced. */
export type RunFace = RunSnapshot['face']

/** What an entry has changed, as it was before. */
export interface Undo {
  readonly face: RunFace
  readonly steps: readonly (readonly [id: string, before: StepView | undefined])[]
  readonly facts: readonly (readonly [key: string, before: FactView | undefined])[]
}

const beginning: RunFace = {
  next: 0,
  startedAt: 0,
  at: 0,
  state: 'planning',
  used: { tokens: 0, cost: 0, plannerCalls: 0, replans: 0 },
  plan: noPlan,
  revisions: [],
}

export class RunView {
  #face: RunFace
  readonly #steps = new Map<string, StepView>()
  readonly #facts = new Map<string, FactView>()
  readonly #counts = new Map<StepStatusName, number>()

  /** @param from where it goes on from. @default the beginning of the run */
  constructor({ face, steps, facts }: RunSnapshot = { face: beginning, steps: [], facts: [] }) {
    this.#face = face
    for (const step of steps) this.#setStep(step.id, step)
    for (const fact of facts) this.#facts.set(fact.key, fact)
  }

  get face(): RunFace {
    return this.#face
  }

  /** Steps of all revisions so far, by id. */
  get steps(): ReadonlyMap<string, StepView> {
    return this.#steps
  }

  /** Those that are known, by key. */
  get facts(): ReadonlyMap<string, FactView> {
    return this.#facts
  }

  /** How many steps stand at each status; none stands at those that are missing. */
  get counts(): ReadonlyMap<StepStatusName, number> {
    return this.#counts
  }

  snapshot(): RunSnapshot {
    return { face: this.#face, steps: [...this.#steps.values()], facts: [...this.#facts.values()] }
  }

  /** @returns what undoes it (V2) */
  take(entry: RunEntry): Undo {
    const { n, at, steps = [], facts = [] } = entry
    const undo: Undo = {
      face: this.#face,
      steps: steps.map(({ id }) => [id, this.#steps.get(id)]),
      facts: facts.map(({ key }) => [key, this.#facts.get(key)]),
    }
    for (const step of steps) this.#setStep(step.id, step)
    for (const { key, by, preview = '' } of facts)
      this.#setFact(key, by === undefined ? undefined : { key, by, preview, n, at })
    this.#face = faceAfter(this.#face, entry)
    return undo
  }

  /** Takes back the entry that was taken in last. */
  undo({ face, steps, facts }: Undo): void {
    for (const [id, before] of steps) this.#setStep(id, before)
    for (const [key, before] of facts) this.#setFact(key, before)
    this.#face = face
  }

  #setStep(id: string, step: StepView | undefined): void {
    const before = this.#steps.get(id)
    if (before !== undefined) this.#count(before.status, -1)
    if (step === undefined) this.#steps.delete(id)
    else {
      this.#count(step.status, 1)
      this.#steps.set(id, step)
    }
  }

  #setFact(key: string, fact: FactView | undefined): void {
    if (fact === undefined) this.#facts.delete(key)
    else this.#facts.set(key, fact)
  }

  #count(status: StepStatusName, by: number): void {
    const count = (this.#counts.get(status) ?? 0) + by
    if (count === 0) this.#counts.delete(status)
    else this.#counts.set(status, count)
  }
}

function faceAfter(face: RunFace, { n, at, origin, state, outcome, used, revisions = [] }: RunEntry): RunFace {
  return {
    ...face,
    next: n + 1,
    at,
    ...(origin && { origin, startedAt: at }),
    ...(state && { state }),
    ...(outcome && { outcome }),
    ...(used && { used }),
    plan: revisions.reduce(revised, face.plan),
    revisions: revisions.length === 0 ? face.revisions : withRevisions(face.revisions, revisions, n, at),
  }
}

/** A plan that streams in is one revision, which its whole plan completes. */
function withRevisions(
  before: readonly RevisionView[],
  made: readonly RevisionMade[],
  n: number,
  at: number,
): RevisionView[] {
  const all = [...before]
  for (const { operations, ...revision } of made) {
    const last = all.at(-1)
    const isSame = last?.revision === revision.revision
    const counts: Record<string, number> = isSame && revision.kind === 'streamed' ? { ...last.counts } : {}
    for (const { op } of operations) counts[op] = (counts[op] ?? 0) + 1
    all.splice(isSame ? -1 : all.length, isSame ? 1 : 0, { ...revision, n, at, counts })
  }
  return all
}
