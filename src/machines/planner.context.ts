// What the planner's chart holds.
import { OrderedMap } from 'immutable'
import type { Finding } from '../plan/finding.ts'
import type { Step } from '../plan/schema.ts'
import type { ToolCatalogue, ToolDescription } from '../plan/toolDescription.ts'
import type { HostRef } from './behaviour.messages.ts'
import type { UnsoundRound } from './coordinator.messages.ts'
import type { Usage } from './reports.messages.ts'
import type { CheckedAnswer } from './planner.check.ts'
import type { PlannerBehaviour, PlannerRequest } from './planner.messages.ts'

export interface PlannerInput {
  readonly host: HostRef
  /** Name of the planner, for the head of its plans. */
  readonly planner: string
  /** Id of the plan; of a run's plan, the id of the run. */
  readonly planId: string
  /** The tools that steps may use. */
  readonly tools: ToolCatalogue
  /** The executor roles that steps may name. */
  readonly executors: readonly string[]
  readonly behaviour: PlannerBehaviour
  /** How often it is asked again because its answer was not sound. @default 2 */
  readonly repairRounds?: number
}

export interface PlannerContext {
  readonly settings: Required<PlannerInput>
  readonly toolList: readonly ToolDescription[]
  /** The request that is being answered; in `idle`, the last one. */
  readonly request: PlannerRequest | undefined
  /** How often the planner has been asked in this request. */
  readonly round: number
  /** How many of its answers to this request were not sound. */
  readonly unsound: number
  /** What was found in the last of them. */
  readonly findings: readonly Finding[]
  /** Each of them, for the record. */
  readonly unsoundAnswers: readonly UnsoundRound[]
  /** What all its answers to this request have cost together. */
  readonly usage: Usage | undefined
  /** Steps that were passed on before the plan was whole: they may be out already. */
  readonly streamed: OrderedMap<string, Step>
  readonly checked: CheckedAnswer | undefined
  /** Id of the behaviour's actor: `behaviour`, `behaviour.2`, … */
  readonly behaviourId: string
  /** Crashes of the behaviour within this request. */
  readonly crashes: number
}

export function contextOf({ input }: { readonly input: PlannerInput }): PlannerContext {
  return {
    settings: { repairRounds: 2, ...input },
    toolList: [...input.tools.values()],
    request: undefined,
    round: 0,
    unsound: 0,
    findings: [],
    unsoundAnswers: [],
    usage: undefined,
    streamed: OrderedMap(),
    checked: undefined,
    behaviourId: 'behaviour',
    crashes: 0,
  }
}
