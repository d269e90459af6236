// What a run is given: a goal or a plan, and the tools, from the files that the user names, or from words.
import { existsSync } from 'node:fs'
import { PlanloomError } from '../errors.ts'
import { goalSchema, type Finding, type Goal } from '../plan/index.ts'
import type { Runtime, RuntimeOptions, Tool } from '../runtime/index.ts'
import { InvalidWorkError } from './invalidWork.ts'
import { isModulePath, loadModule } from './loadModule.ts'
import { modelMissing, modelNamed, type ModelNamed } from './modelNamed.ts'
import { readDocument } from './readDocument.ts'
import { toolModule } from './toolModules.ts'

/** Beside goal or plan and tools, a module may export whatever of the runtime's options it wants to set. */
export interface Work extends Pick<
  RuntimeOptions,
  'planner' | 'model' | 'executors' | 'limits' | 'approval' | 'dispatch' | 'uncertain'
> {
  readonly tools: readonly Tool[]
  readonly goal?: Goal
  /** As it came; whether it is a plan is for the validator to say. */
  readonly plan?: unknown
  /** Is told the runtime that carries it out, before anything runs: tools find in it how their run has gone so far. */
  readonly watch?: (runtime: Runtime) => void
}

export interface WorkOptions extends ModelNamed {
  /** Modules with tools. */
  readonly tools?: readonly string[]
  /** Facts that hold at the start, beside those of the goal. */
  readonly facts?: ReadonlyMap<string, unknown>
}

/** Loads a module (`goal` or `plan`, and `tools`), or a JSON or YAML document that is a goal or a plan; several words that name no
 * file are a goal themselves.
 *
 * @throws `FILE_UNREADABLE`, `MODULE_UNUSABLE`, `DOCUMENT_INVALID`, `GOAL_INVALID`, and as `modelNamed`
 */
export async function loadWork(path: string, options: WorkOptions = {}): Promise<Work> {
  const content = await contentOf(path)
  const tools = [...toolsIn(path, content), ...(await loadTools(options.tools))]
  const { planner, executors, limits, approval, dispatch, uncertain, watch } = content as Partial<Work>
  const model = modelNamed(options) ?? (content as Partial<Work>).model
  if (isWords(path) && model === undefined) throw modelMissing('A goal in words needs a model')
  return {
    ...(content['goal'] !== undefined && { goal: goalOf(path, content['goal'], options.facts) }),
    ...(content['goal'] === undefined && { plan: withFacts(planOf(path, content), options.facts) }),
    ...(planner && { planner }),
    ...(model && { model }),
    ...(executors && { executors }),
    ...(limits && { limits }),
    ...(approval && { approval }),
    ...(dispatch && { dispatch }),
    ...(uncertain && { uncertain }),
    ...(watch && { watch }),
    tools,
  }
}

async function contentOf(path: string): Promise<Readonly<Record<string, unknown>>> {
  if (isWords(path)) return { goal: path }
  return isModulePath(path) ? loadModule(path) : partOf(path, readDocument(path))
}

/** Whether what stands for a file are words: a goal as people say it. */
function isWords(text: string): boolean {
  return /\S\s+\S/.test(text) && !/\.\w{2,5}$/.test(text) && !existsSync(text)
}

/** The tools of these modules: each exports `tools`, or single tools under any name. @throws as `loadModule` */
export async function loadTools(paths: readonly string[] = []): Promise<Tool[]> {
  const found: Tool[] = []
  for (const path of paths.map(toolModule)) {
    const content = await loadModule(path)
    const tools = toolsIn(path, content)
    if (tools.length === 0) {
      throw new PlanloomError('MODULE_UNUSABLE', `${path} exports no tools.`, {
        hint: 'Export what defineTool() gives, or a list of it as `tools`.',
        where: { path },
      })
    }
    found.push(...tools)
  }
  return found
}

function toolsIn(path: string, content: Readonly<Record<string, unknown>>): Tool[] {
  const listed = content['tools']
  if (listed === undefined) return Object.values(content).filter(isTool)
  if (Array.isArray(listed) && listed.every(isTool)) return listed
  throw new PlanloomError('MODULE_UNUSABLE', `What ${path} exports as \`tools\` is not a list of tools.`, {
    hint: 'Export an array of what defineTool() gives.',
    where: { path },
  })
}

function isTool(value: unknown): value is Tool {
  if (typeof value !== 'object' || value === null) return false
  const { description, run } = value as Partial<Record<string, unknown>>
  return typeof run === 'function' && typeof description === 'object' && description !== null
}

/** A document is a plan where it has steps, and a goal (or words, which are one) otherwise. */
function partOf(path: string, value: unknown): Record<string, unknown> {
  if (typeof value === 'string') return { goal: value }
  if (typeof value === 'object' && value !== null && !Array.isArray(value)) {
    if ('steps' in value) return { plan: value }
    if ('goal' in value) return { goal: value.goal }
    if ('text' in value) return { goal: value }
  }
  throw new PlanloomError('DOCUMENT_INVALID', `${path} holds neither a goal nor a plan.`, {
    hint: 'A plan has `goal` and `steps`; a goal has `text`, and `want` for the facts that it is about.',
    where: { path },
  })
}

function planOf(path: string, content: Readonly<Record<string, unknown>>): unknown {
  if (content['plan'] !== undefined) return content['plan']
  throw new PlanloomError('MODULE_UNUSABLE', `${path} exports neither \`goal\` nor \`plan\`.`, {
    hint: "Export one of them: export const goal = { text: 'what is wanted', want: [{ fact: 'report' }] }",
    where: { path },
  })
}

/** Facts of the command line stand beside those of the plan's goal; what is no plan stays as it is, for the check to name. */
function withFacts(plan: unknown, facts: WorkOptions['facts']): unknown {
  if (!facts || typeof plan !== 'object' || plan === null || !('goal' in plan)) return plan
  const { goal } = plan
  if (typeof goal !== 'object' || goal === null) return plan
  const own = 'facts' in goal && typeof goal.facts === 'object' ? goal.facts : {}
  return { ...plan, goal: { ...goal, facts: { ...own, ...Object.fromEntries(facts) } } }
}

function goalOf(path: string, value: unknown, facts: WorkOptions['facts']): Goal {
  const parsed = goalSchema.safeParse(typeof value === 'string' ? { text: value } : value)
  if (!parsed.success) {
    throw new InvalidWorkError(
      'GOAL_INVALID',
      `The goal in ${path} is not valid.`,
      path,
      parsed.error.issues.map(goalFinding),
    )
  }
  if (!facts) return parsed.data
  return { ...parsed.data, facts: { ...parsed.data.facts, ...(Object.fromEntries(facts) as Goal['facts']) } }
}

function goalFinding({ path, message }: { readonly path: readonly PropertyKey[]; readonly message: string }): Finding {
  const pointer = path.map((key) => `/${String(key).replaceAll('~', '~0').replaceAll('/', '~1')}`).join('')
  const hint = 'A goal has `text`, and may have `want` (a list of { fact, is }), `facts` and `partial`.'
  return { code: 'PLAN_SHAPE', severity: 'error', path: pointer, message, hint }
}
