// What the planner's chart hears, and what it and the behaviour behind it say to each other.
//
// N1. What a planner answers is `unknown` until it has been checked: planners are other people's code.
import type { Finding } from '../plan/finding.ts'
import type { Goal, Plan, Step } from '../plan/schema.ts'
import type { ToolDescription } from '../plan/toolDescription.ts'
import type { Behaviour } from './behaviour.messages.ts'
import type { PlanCancel, PlanRequestCommand } from './command.messages.ts'
import type { FactReport, Failure, PlanSituation, Trouble } from './reports.messages.ts'
import type { RunLimits } from './settings.messages.ts'

/** A request as its host delivers it: with what the planner is to see of the run. */
export interface PlannerRequest extends PlanRequestCommand {
  readonly facts: readonly FactReport[]
  readonly limits: RunLimits
  /** Where the request is about a revision: the run at the moment of asking. Without it, a first plan is asked for. */
  readonly situation?: PlanSituation
}

/** What the behaviour asks its planner. */
export interface PlannerQuestion {
  readonly goal: Goal
  readonly tools: readonly ToolDescription[]
  readonly facts: readonly FactReport[]
  readonly limits: RunLimits
  /** What was found in the last answer to this same request. */
  readonly findings: readonly Finding[]
  /** Steps that were streamed in before and may have begun: the answer must hold them as they are. */
  readonly begun?: readonly Step[]
  /** The executor roles that steps may name. */
  readonly executors: readonly string[]
  /** Present where trouble with a plan is the question. */
  readonly amend?: { readonly plan: Plan; readonly situation: PlanSituation; readonly troubles: readonly Trouble[] }
}

interface AboutQuestion {
  readonly requestId: string
  /** How often the planner has been asked in this request, from 1. */
  readonly round: number
}

/** Ask the planner. */
export interface PlannerAsk extends AboutQuestion {
  readonly type: 'planner.ask'
  readonly question: PlannerQuestion
}
/** Its answer is no longer wanted. */
export interface PlannerStop {
  readonly type: 'planner.stop'
  readonly requestId: string
}

/** One step of an answer that is still being written. */
export interface PlannerStepProposed extends AboutQuestion {
  readonly type: 'planner.stepProposed'
  readonly step: unknown
}
export interface PlannerAnswered extends AboutQuestion {
  readonly type: 'planner.answered'
  readonly answer: unknown
}
export interface PlannerThrew extends AboutQuestion {
  readonly type: 'planner.threw'
  readonly failure: Failure
}
/** The behaviour has died of a defect: no planner can do that. XState says it so. */
export interface PlannerCrashed {
  readonly type: `xstate.error.actor.${string}`
  readonly actorId: string
  readonly error: unknown
}

export type PlannerReply = PlannerStepProposed | PlannerAnswered | PlannerThrew

export type PlannerMessage = PlannerRequest | PlanCancel | PlannerReply | PlannerCrashed

export type PlannerBehaviour = Behaviour<PlannerAsk | PlannerStop, PlannerReply>
