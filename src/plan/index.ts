// The plan as data: what others may use of this room.
export { isJsonObject, type Json, type JsonObject, type JsonSchema } from './json.ts'
export {
  assumptionSchema,
  goalSchema,
  operationSchema,
  patchSchema,
  planLimits,
  planSchema,
  stepSchema,
  type Assumption,
  type Because,
  type Condition,
  type Goal,
  type Operation,
  type Patch,
  type Plan,
  type Reference,
  type Retry,
  type Step,
} from './schema.ts'
export type { Effects, Gift, Need, ToolCatalogue, ToolDescription } from './toolDescription.ts'
export { findingCodes, type Finding, type FindingCode } from './finding.ts'

// Reading and checking
export { parsePlan, PlanInvalidError } from './parse.ts'
export { findPlace, parsePlanText, PlanSyntaxError, type PlanTextOptions, type TextPlace } from './planText.ts'
export { validatePlan, type PlanCheck, type ValidateOptions } from './validate.ts'
export type { BudgetLimits } from './validate/budget.ts'
export { checkSchema } from './jsonSchemaCheck.ts'
export { schemaProblems, type SchemaProblem } from './schemaProblems.ts'
export { planJsonSchema, patchJsonSchema } from './planJsonSchema.ts'

// Writing plans in TypeScript
export { definePlan, step, type PlanDefinition, type StepHandle, type TypedTool } from './define.ts'
export type { Ref, RefTo, WithRefs } from './typedReferences.ts'

// Pointers and references
export { formatPointer, getPointer, isPointer, parsePointer, shortPointer } from './pointer.ts'
export {
  childId,
  dependenciesOf,
  isChildOf,
  isReference,
  referencesIn,
  resolveReferences,
  rewireStep,
} from './references.ts'
export { branchOf, canDoWithout, dependentsById } from './graph.ts'

// Identity, change
export { canonicalJson, hashJson, planHash, stepHash } from './hash.ts'
export { deepFreeze } from './freeze.ts'
export { applyPatch, PatchRefusedError, touchedBy } from './patch.ts'
export { diffPlans } from './diff.ts'
export { StepList } from './stepList.ts'
export { expandForEach } from './expand.ts'
export { valueDifferences, type ValueDifference } from './valueDifferences.ts'

// Drawing
export { renderDot } from './render/dot.ts'
export { renderMarkdown } from './render/markdown.ts'
export { renderMermaid } from './render/mermaid.ts'
export { renderTree } from './render/tree.ts'
export type { RenderOptions } from './render/picture.ts'
