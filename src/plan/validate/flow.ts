// Types along references: what the step that is referred to will give, as far as its tool's output schema tells.
import type { JsonSchema } from '../json.ts'
import type { Reference, Step } from '../schema.ts'
import type { ToolCatalogue } from '../toolDescription.ts'
import { schemaAt, schemaOfElements, type Typed } from './schemaPaths.ts'

export class Flow {
  readonly #byId: ReadonlyMap<string, Step>
  readonly #tools: ToolCatalogue | undefined
  readonly #outputs = new Map<Step, readonly Typed[]>()

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

  #outputsOf(step: Step): readonly Typed[] {
    let outputs = this.#outputs.get(step)
    if (outputs === undefined) this.#outputs.set(step, (outputs = outputsOf(step, this.#tools)))
    return outputs
  }
}

/** What the tool gives and what the step expects of it; for a `forEach` step that of all items in an array. */
function outputsOf(step: Step, tools: ToolCatalogue | undefined): Typed[] {
  const found: Typed[] = []
  const output = step.tool === undefined ? undefined : tools?.get(step.tool)?.output
  for (const schema of [output, step.expect]) {
    if (schema !== undefined) found.push({ schema: step.forEach === undefined ? schema : listOf(schema), root: schema })
  }
  return found
}

/** `null` takes the place of the output of an item that was skipped. */
function listOf(schema: JsonSchema): JsonSchema {
  if (typeof schema === 'boolean') return { type: 'array' }
  let list = lists.get(schema)
  if (list === undefined) lists.set(schema, (list = { type: 'array', items: { anyOf: [schema, { type: 'null' }] } }))
  return list
}

const lists = new WeakMap<object, JsonSchema>()
