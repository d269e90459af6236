// Types along references: what the step that is referred to will give, as far as its tool's output schema tells.
import type { JsonSchema } from '../json.ts'
import type { Reference, Step } from '../schema.ts'
import type { ToolCatalogue } from '../toolDescription.ts'
import { schemaAt, schemaOfElements, type Typed } from './schemaPaths.ts'

export class Flow {
  readonly #byId: ReadonlyMap<string, Step>
  readonly #tools: ToolCatalogue | undefined

  constructor(byId: ReadonlyMap<string, Step>, tools: ToolCatalogue | undefined) {
    this.#byId = byId
    this.#tools = tools
  }

  /** What is known of the value at a reference: each of these holds; nothing when nothing is known. */
  at({ $from, path }: Reference): Typed[] {
    const step = this.#byId.get($from)
    return step === undefined ? [] : this.#outputsOf(step).map((output) => schemaAt(output, path))
  }

  /** The same for a place in the item that a `forEach` step works on. */
  atItem({ forEach }: Step, path: string): Typed[] {
    return forEach === undefined ? [] : this.at(forEach).map((list) => schemaAt(schemaOfElements(list), path))
  }

  /** What the tool gives and what the step expects of it; for a `forEach` step that of all items in an array. */
  #outputsOf(step: Step): Typed[] {
    const output = step.tool === undefined ? undefined : this.#tools?.get(step.tool)?.output
    return [output, step.expect].flatMap((schema) => {
      if (schema === undefined) return []
      return { schema: step.forEach === undefined ? schema : listOf(schema), root: schema }
    })
  }
}

/** `null` takes the place of the output of an item that was skipped. */
function listOf(schema: JsonSchema): JsonSchema {
  if (typeof schema === 'boolean') return { type: 'array' }
  let list = lists.get(schema)
  if (list === undefined) lists.set(schema, (list = { type: 'array', items: { anyOf: [schema, { type: 'null' }] } }))
  return list
}

const lists = new WeakMap<object, JsonSchema>()
