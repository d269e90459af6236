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
export type { Finding, FindingCode } from './finding.ts'
export { formatPointer, getPointer, parsePointer } from './pointer.ts'
export { dependenciesOf, isReference, referencesIn, resolveReferences } from './references.ts'
export { canonicalJson, hashJson, planHash, stepHash } from './hash.ts'
export { checkSchema, type SchemaProblem } from './jsonSchemaCheck.ts'
export { applyPatch, PatchRefusedError } from './patch.ts'
export { diffPlans } from './diff.ts'
export { expandForEach } from './expand.ts'
export { branchOf } from './graph.ts'
export { parsePlan, parsePlanText, PlanInvalidError } from './parse.ts'
export { validatePlan, type PlanCheck, type ValidateOptions } from './validate.ts'
export { definePlan, step, type StepHandle } from './define.ts'
export { planJsonSchema } from './planJsonSchema.ts'
export { renderDot } from './render/dot.ts'
export { renderMarkdown } from './render/markdown.ts'
export { renderMermaid } from './render/mermaid.ts'
export { renderTree } from './render/tree.ts'
