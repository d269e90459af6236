// A goal, plan or patch that cannot be used, with everything that was found in it.
import { PlanloomError } from '../errors.ts'
import type { Finding } from '../plan/index.ts'

export class InvalidWorkError extends PlanloomError {
  override readonly name = 'InvalidWorkError'
  readonly findings: readonly Finding[]

  constructor(
    code: 'GOAL_INVALID' | 'PLAN_INVALID' | 'DOCUMENT_INVALID',
    message: string,
    path: string,
    findings: readonly Finding[],
  ) {
    super(code, message, { where: { path } })
    this.findings = findings
  }
}

/** What was found, where the error brings it: ours does, and that of the runtime. */
export function findingsOf(error: unknown): readonly Finding[] {
  const { findings } = error as { readonly findings?: unknown }
  return Array.isArray(findings) ? (findings as Finding[]) : []
}
