// What an attempt of a tool came to, for a test that knows which of the two it wants.
import type { Json } from '../../src/plan/json.ts'
import type { CarriedOut } from '../../src/tools/carryOut.ts'

export function outputOf(result: CarriedOut): Record<string, Json> {
  if ('failure' in result) throw new Error(`${result.failure.code}: ${result.failure.message}`)
  return result.output as Record<string, Json>
}

export function failureOf(result: CarriedOut) {
  if (!('failure' in result)) throw new Error(`it gave ${JSON.stringify(result.output).slice(0, 200)}`)
  return result.failure
}
