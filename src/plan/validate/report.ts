// Making findings.
import type { Finding, FindingCode } from '../finding.ts'
import { formatPointer } from '../pointer.ts'

export function problem(code: FindingCode, place: readonly (string | number)[], stepId: string | undefined, message: string, hint: string): Finding {
  return { code, severity: 'error', path: formatPointer(place), ...(stepId !== undefined && { stepId }), message, hint }
}

export function warning(code: FindingCode, place: readonly (string | number)[], stepId: string | undefined, message: string, hint: string): Finding {
  return { ...problem(code, place, stepId, message, hint), severity: 'warning' }
}
