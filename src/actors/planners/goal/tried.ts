// What has been tried: which tool has had which input.
//
// V1. What has failed is not tried again under another name (the values count); what has succeeded may be (only the
//     references count): items can be alike.
import type { PlanSituation } from '../../../machines/reports.messages.ts'
import { canonicalJson } from '../../../plan/hash.ts'
import type { Json } from '../../../plan/json.ts'
import { getPointer } from '../../../plan/pointer.ts'
import { resolveReferences } from '../../../plan/references.ts'
import type { Step } from '../../../plan/schema.ts'
import type { PlanIndex } from './planIndex.ts'

export interface Tried {
  readonly has: (tool: string, input: Json) => boolean
  /** Whether its tool has had what the step would be sent. */
  readonly hasInputOf: (step: Step) => boolean
}

/** Reads what a tool has had when that is first asked for. */
export function readTried({ byTool }: PlanIndex, situation: PlanSituation): Tried {
  const byName = new Map<string, ReadonlySet<string>>()
  const inputsOf = (tool: string): ReadonlySet<string> => {
    const known = byName.get(tool)
    if (known) return known
    const inputs = new Set((byTool.get(tool) ?? []).flatMap((step) => triedBy(step, situation)))
    byName.set(tool, inputs)
    return inputs
  }
  return {
    has: (tool, input) => {
      const inputs = inputsOf(tool)
      return inputs.size > 0 && inputs.has(canonicalJson(input))
    },
    hasInputOf: (step) => {
      if (step.tool === undefined) return false
      const inputs = inputsOf(step.tool)
      if (inputs.size === 0) return false
      const values = valuesOf(step, situation)
      return inputs.has(inputText(step)) || (values !== undefined && inputs.has(canonicalJson(values)))
    },
  }
}

/** A step's input, references as they are, as canonical JSON. */
export function inputText(step: Step): string {
  const known = texts.get(step)
  if (known !== undefined) return known
  const text = canonicalJson(step.input ?? {})
  if (Object.isFrozen(step)) texts.set(step, text)
  return text
}

const texts = new WeakMap<Step, string>()

function triedBy(step: Step, situation: PlanSituation): readonly string[] {
  if (step.forEach) return []
  switch (situation.step(step.id)?.status) {
    case 'succeeded':
    case 'running':
    case 'backing_off':
      return [inputText(step)]
    case 'failed':
    case 'uncertain': {
      const values = valuesOf(step, situation)
      return values === undefined ? [inputText(step)] : [inputText(step), canonicalJson(values)]
    }
    case 'waiting':
    case 'ready':
    case 'held':
    case 'skipped':
    case 'abandoned':
    case 'cancelled':
    case undefined:
      return []
  }
}

/** What a step is sent, references filled in; nothing where that is not known any more. */
function valuesOf(step: Step, situation: PlanSituation): Json | undefined {
  const resolved = resolveReferences(step.input ?? {}, ({ $from, path }) => {
    const output = situation.output($from)
    return output === undefined ? undefined : getPointer(output, path)
  })
  return 'value' in resolved ? resolved.value : undefined
}
