// What calls of an attempt have done outside that must not be done twice, and what follows for the attempt.
//
// E1. An attempt that has done such a thing is not tried again by itself when it fails.
// E2. An attempt of which nobody can tell whether it has done such a thing is uncertain, and ends at once: the model cannot repeat it.
import type { Failure } from '../../../machines/reports.messages.ts'
import { changesSomething, type ToolDescription } from '../../../plan/toolDescription.ts'
import { clip } from '../../../plan/thrownValue.ts'

export class EffectsDone {
  /** Names of tools, with how often each was called; those that have answered. */
  readonly #done = new Map<string, number>()
  /** Calls that have not answered yet. */
  readonly #out = new Map<string, number>()
  #doubt: Failure | undefined

  /** A call of which nobody can tell whether it had its effect. */
  get doubt(): Failure | undefined {
    return this.#doubt
  }

  begin(tool: ToolDescription): void {
    if (mustNotBeTwice(tool)) add(this.#out, tool.name, 1)
  }

  end(tool: ToolDescription, failure: Failure | undefined): void {
    if (!mustNotBeTwice(tool)) return
    add(this.#out, tool.name, -1)
    if (failure === undefined || hasRun(failure)) add(this.#done, tool.name, 1)
    else if (failure.uncertain === true || failure.code === 'ABORTED') {
      const message = `It cannot be told whether a call of "${tool.name}" had its effect: ${failure.message}`
      this.#doubt ??= { ...failure, message: clip(message), retryable: false, uncertain: true }
    }
  }

  /** The failure that an attempt ends with, by what it has done before. */
  judge(failure: Failure): Failure {
    if (this.#doubt !== undefined) return this.#doubt
    const out = [...this.#out].filter(([, count]) => count > 0).map(([name]) => name)
    if (out.length > 0) {
      const doubt = `${failure.message} It cannot be told whether ${listOf(out)} had an effect that was called just before.`
      return { ...failure, message: clip(doubt), retryable: false, uncertain: true }
    }
    if (this.#done.size === 0) return failure
    const calls = [...this.#done].map(([name, count]) => `"${name}"${count > 1 ? ` ${String(count)} times` : ''}`)
    const hint = `It had called ${calls.join(', ')} before, so it is not tried again by itself: look at what that has done.`
    return { ...failure, retryable: false, hint: failure.hint === undefined ? hint : clip(`${failure.hint} ${hint}`) }
  }
}

/** It did what it does, and broke its promise of what it gives. */
function hasRun({ code }: Failure): boolean {
  return code.startsWith('OUTPUT_')
}

function mustNotBeTwice({ effects, idempotent }: ToolDescription): boolean {
  return !idempotent && changesSomething(effects)
}

function add(counts: Map<string, number>, name: string, by: number): void {
  counts.set(name, (counts.get(name) ?? 0) + by)
}

function listOf(names: readonly string[]): string {
  return names.map((name) => `"${name}"`).join(', ')
}
