// Everything that `planloom` exports, name by name. Parts that stand alone are subpaths: `planloom/plan`, `planloom/tools`.
export { PlanloomError, type ErrorPlace } from './errors.ts'
export { createRuntime } from './runtime/createRuntime.ts'
export { systemClock, type Clock, type TimeoutHandle } from './runtime/clock.ts'
export { defaultLimits, unlimited } from './runtime/settings.ts'
export type { Runtime, RuntimeOptions, StartOptions } from './runtime/runtime.ts'
export type { Question, Run, RunState, StepProgress, Transition } from './runtime/run.ts'
export { memoryJournal } from './journal/memoryJournal.ts'
export { exportJournal, importJournal } from './journal/jsonLines.ts'
export { journalVersion, type Journal, type JournalEvent, type RunJournal, type RunSummary } from './journal/journal.ts'
export { replayJournal, type Replay } from './runtime/replay.ts'
export { runLogic, type RunActorInput, type RunActorEvent } from './runtime/runLogic.ts'
export { createFixedPlanner, type FixedPlannerOptions } from './actors/planners/fixed.ts'
export { createGoalPlanner, type GoalPlannerOptions } from './actors/planners/goal/goalPlanner.ts'
export type {
  PlanAnswer,
  PlanDraft,
  Planner,
  PlannerContext,
  PlanRequest,
  ReplanAnswer,
  ReplanRequest,
} from './actors/planners/planner.ts'
export type { Executor, ExecutorContext, Progress, StepOutput, StepResult } from './actors/executors/executor.ts'
export type {
  BudgetUsed,
  CoordinatorCommand,
  CoordinatorMessage,
  FactReport,
  Failure,
  Outcome,
  OutcomeReason,
  PlanSituation,
  RunLimits,
  RunSettings,
  RunStarted,
  StepExecute,
  StepReport,
  StepStatus,
  ToolTraits,
  Trouble,
  Usage,
} from './machines/coordinator.messages.ts'
export { defineTool } from './tools/defineTool.ts'
export { createToolRegistry, type ToolRegistry } from './tools/registry.ts'
export { ToolError } from './tools/toolError.ts'
export type { Tool, ToolContext, ToolDeclaration } from './tools/tool.ts'
export {
  applyPatch,
  definePlan,
  diffPlans,
  parsePlan,
  planHash,
  PlanInvalidError,
  step,
  validatePlan,
  type Finding,
  type Goal,
  type Json,
  type Operation,
  type Patch,
  type Plan,
  type Step,
  type ToolCatalogue,
  type ToolDescription,
} from './plan/index.ts'
