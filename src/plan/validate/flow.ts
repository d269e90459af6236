// Types along references: what the step that is referred to will give, as far as its tool's output schema tells.
import type { JsonSchema } from '../json.ts'
import type { Reference, Step } from '../schema.ts'
import type { ToolCatalogue } from '../toolDescription.ts'
import { findConflict, type Conflict } from './conflict.ts'
import type { PlanView } from './planView.ts'
import { schemaAt, schemaOfElements, type Typed } from './schemaPaths.ts'

export class Flow {
  readonly #view: PlanView
  readonly #tools: ToolCatalogue | undefined
  readonly #outputs = new Map<Step, readonly Typed[]>()

  constructor(view: PlanView, tools: ToolCatalogue | undefined) {
    this.#view = view
    this.#tools = tools
  }

  /** What is known of the value at a reference: each of these holds; nothing when nothing is known. */
  at({ $from, path }: Reference): Typed[] {
    const step = this.#view.byId.get($from)
    return step === undefined ? [] : this.#outputsOf(step).map((output) => schemaAt(output, path))
  }

  /** The same for a place in the item that a `forEach` step works on; of what is no list, nothing is known. */
  atItem(step: Step, path: string): Typed[] {
    const { forEach } = step
    if (forEach === undefined || this.#view.unreadOf(step).has('forEach')) return []
    const lists = this.at(forEach).filter((given) => given.schema !== false && findNoArray(given) === undefined)
    return lists.map((list) => schemaAt(schemaOfElements(list), path))
  }

  #outputsOf(step: Step): readonly Typed[] {
    let outputs = this.#outputs.get(step)
    if (outputs === undefined) this.#outputs.set(step, (outputs = this.#findOutputs(step)))
    return outputs
  }

  /** What the tool gives and what the step expects of it; for a `forEach` step that of all items in an array. */
  #findOutputs(step: Step): Typed[] {
    if (this.#view.unreadOf(step).has('forEach')) return []
    const found: Typed[] = []
    const output = step.tool === undefined ? undefined : this.#tools?.get(step.tool)?.output
    for (const schema of [output, step.expect]) {
      if (schema === undefined || this.#view.badSchemas.has(schema)) continue
      found.push({ schema: step.forEach === undefined ? schema : listOf(schema), root: schema })
    }
    return found
  }
}

/** Why a value cannot be an array, where that is certain. */
export function findNoArray(given: Typed): Conflict | undefined {
  return findConflict(given, { schema: anyArray, root: anyArray })
}

const anyArray: JsonSchema = { type: 'array' }

/** `null` takes the place of the output of an item that was skipped. */
function listOf(schema: JsonSchema): JsonSchema {
  if (typeof schema === 'boolean') return { type: 'array' }
  let list = lists.get(schema)
  if (list === undefined) lists.set(schema, (list = { type: 'array', items: { anyOf: [schema, { type: 'null' }] } }))
  return list
}

const lists = new WeakMap<object, JsonSchema>()
