// Loads a plan from a document or a module, as it came or checked.
import { PlanloomError } from '../errors.ts'
import { parsePlan, type Plan, type ToolCatalogue } from '../plan/index.ts'
import type { Tool } from '../runtime/index.ts'
import { findingsOf, InvalidWorkError } from './invalidWork.ts'
import { isModulePath, loadModule } from './loadModule.ts'
import { readDocument } from './readDocument.ts'

/** What claims to be a plan: a document, or what a module exports as `plan`. */
export async function loadPlanValue(path: string): Promise<unknown> {
  if (!isModulePath(path)) return readDocument(path)
  const { plan } = await loadModule(path)
  if (plan !== undefined) return plan
  throw new PlanloomError('MODULE_UNUSABLE', `${path} exports no \`plan\`.`, {
    hint: 'Export one, or give a JSON or YAML file.',
    where: { path },
  })
}

/** @throws `PLAN_INVALID` with all findings */
export async function loadPlan(path: string): Promise<Plan> {
  return checkedPlan(path, await loadPlanValue(path))
}

/** The plan that a file holds, checked by these tools. @throws `PLAN_INVALID` with all findings, and the name of the file */
export function checkedPlan(path: string, value: unknown, tools: readonly Tool[] = []): Plan {
  try {
    return parsePlan(value, catalogueOf(tools))
  } catch (error) {
    const findings = findingsOf(error)
    if (findings.length === 0) throw error
    throw new InvalidWorkError('PLAN_INVALID', `${path} is not a valid plan.`, path, findings)
  }
}

/** What a check is told of the tools; where there are none, it says nothing about them. */
export function catalogueOf(tools: readonly Tool[]): { readonly tools?: ToolCatalogue } {
  return tools.length === 0 ? {} : { tools: new Map(tools.map(({ description }) => [description.name, description])) }
}
