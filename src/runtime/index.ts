// The runtime: what others may use of this room.
export { PlanloomError, type ErrorPlace } from '../errors.ts'
export { CommandRefusedError } from './commandRefused.ts'
export type { RunChange } from './changes.ts'
export { createRuntime } from './createRuntime.ts'
export { systemClock, type Clock, type TimeoutHandle } from './clock.ts'
export { defaultLimits, unlimited } from './settings.ts'
export type {
  ForkOptions,
  ResumeAllOptions,
  ResumedRuns,
  ResumeOptions,
  RunLeft,
  Runtime,
  RuntimeOptions,
  StartOptions,
} from './runtime.ts'
export type { Question, Replay, Run, RunState, StepProgress, Transition } from './run.ts'
export { copyRun } from './copyRun.ts'
export { repairJournal, verifyJournal, type Repaired } from './repairJournal.ts'
export type { JournalFault, VerifyReport } from '../journal/sqlite/verify.ts'
export type { Pruned, PrunedAll, PruneOptions } from '../journal/sqlite/prune.ts'
export { sqliteJournal, type SqliteJournal, type SqliteJournalOptions } from '../journal/sqlite/sqliteJournal.ts'
export { memoryJournal, type MemoryJournalOptions } from '../journal/memoryJournal.ts'
export { exportJournal, JournalLines } from '../journal/jsonLines.ts'
export { importJournal, readExport, type ExportedRun, type ImportOptions } from '../journal/readJsonLines.ts'
export {
  journalVersion,
  type Durability,
  type RunFilter,
  type RunProgress,
  type Journal,
  type JournalEvent,
  type RunEnd,
  type RunJournal,
  type RunSummary,
} from '../journal/journal.ts'
export type {
  Reusable,
  ReusableOutput,
  Reused,
  ReuseDropped,
  ReuseKind,
  ReuseLimits,
  ReuseStore,
} from '../journal/reuse.ts'
export { replayJournal } from './replay.ts'
export { checkReplay, type ReplayCheck, type ReplayDifference } from './checkReplay.ts'
export { EventMarks, type EventMark } from './eventMarks.ts'
export { checkRequest } from './requestCheck.ts'
export { roleOf } from '../machines/decisions/lanes.ts'
export { readRun, type ReadRunOptions } from './readRun.ts'
export { compareRuns, type FactDifference, type RunDifference, type StepDifference } from './compareRuns.ts'
export { isOpen as isOpenRequest, type RunCommand, type RunRequest } from '../journal/requests.ts'
export { runLogic, type RunActorInput, type RunActorSnapshot } from './runLogic.ts'
export type { RunActorEvent, RunRefused } from './runActorEvents.ts'
export { createFixedPlanner, type FixedPlannerOptions } from '../actors/planners/fixed.ts'
export { createGoalPlanner, type GoalPlannerOptions } from '../actors/planners/goal/goalPlanner.ts'
export { createFallbackPlanner, type FallbackPlannerOptions, type Shortfall } from '../actors/planners/fallback.ts'
export { defaultPlanners } from './defaultPlanner.ts'
export { createModelPlanner } from '../actors/planners/model/modelPlanner.ts'
export type { ModelPlannerOptions } from '../actors/planners/model/settings.ts'
export {
  forbids,
  noMoreThan,
  requires,
  type Critic,
  type Requirement,
  type Verdict as CriticVerdict,
} from '../actors/planners/model/critics.ts'
export { modelCritic } from '../actors/planners/model/modelCritic.ts'
export { modelStandsCheck, type Standing, type StandsCheck } from '../actors/planners/standsCheck.ts'
export { createCachedPlanner, type CachedPlannerOptions } from '../actors/planners/cached.ts'
export { memoryPlanStore, type PlanStore } from '../actors/planners/planStore.ts'
export { journalPlanStore } from './journalPlanStore.ts'
export { filePlanStore } from '../actors/planners/filePlanStore.ts'
export type {
  PlanAnswer,
  PlanDraft,
  Planner,
  PlannerContext,
  PlanRequest,
  PlanStream,
  ReplanAnswer,
  ReplanRequest,
  UnsoundAnswer,
} from '../actors/planners/planner.ts'
export { createModelExecutor } from '../actors/executors/model/modelExecutor.ts'
export type { ModelExecutorOptions, ModelStepLimits, ToolUse } from '../actors/executors/model/modelMeans.ts'
export type { Executor, ExecutorContext, Progress, StepOutput, StepResult } from '../actors/executors/executor.ts'
export type { CoordinatorCommand, StepExecute } from '../machines/command.messages.ts'
export type { CoordinatorMessage, RunStarted } from '../machines/coordinator.messages.ts'
export type {
  BudgetUsed,
  FactReport,
  Failure,
  Outcome,
  OutcomeReason,
  PlanSituation,
  StepOrigin,
  StepReport,
  StepStatus,
  SubRunUse,
  Trouble,
  Usage,
} from '../machines/reports.messages.ts'
export type { ModelUse, SubRunModelUse } from './modelUse.ts'
export type { RunLimits, RunSettings, ToolTraits, UncertainPolicy } from '../machines/settings.messages.ts'
export {
  cassette,
  modelOnCassette,
  recordCassette,
  replayCassette,
  type CassetteOptions,
  type RecordOptions,
} from '../models/cassette/cassette.ts'
export type { CassetteMismatchError } from '../models/cassette/mismatch.ts'
export type { Difference } from '../models/cassette/differences.ts'
export type { ModelRateLimitedError, ModelUnavailableError } from '../models/server/serverErrors.ts'
export type { Fetch } from '../models/cassette/request.ts'
export { defineTool } from '../tools/defineTool.ts'
export { createToolRegistry, type ToolRegistry } from '../tools/registry.ts'
export { ToolError } from '../tools/toolError.ts'
export type { CheckContext, CheckResult, Tool, ToolContext, ToolDeclaration } from '../tools/tool.ts'
export { createModel } from '../models/createModel.ts'
export { ModelError, type ModelErrorCode } from '../models/modelError.ts'
export type { ModelOptions } from '../models/modelSettings.ts'
export { estimateTokens } from '../models/estimateTokens.ts'
export { jsonInText } from '../models/json/jsonInText.ts'
export { withoutAddedNulls } from '../models/json/withoutAddedNulls.ts'
export { addUsage, type ModelUsage } from '../machines/modelUsage.messages.ts'
export type { ModelPrices } from '../models/usage.ts'
export type { RetrySettings, ServerLimits } from '../models/server/serverLimits.ts'
export type {
  AnswerEnd,
  CallBudget,
  CallOptions,
  CallReport,
  JsonFormat,
  Model,
  ModelAnswer,
  ModelMessage,
  ModelRequest,
  ModelTool,
  Reservation,
  ToolCall,
} from '../models/model.ts'
