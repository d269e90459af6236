// The subset of JSON Schema that servers with strict schemas take.
import { isJsonObject, type Json, type JsonObject } from '../../src/plan/json.ts'

/** What in a schema a server with strict schemas does not take; nothing where it takes it. */
export function faultsOf(schema: Json | undefined, path = ''): string[] {
  if (!isJsonObject(schema)) return [`${path}: no object`]
  const known = new Set([
    'type',
    'properties',
    'required',
    'additionalProperties',
    'items',
    'anyOf',
    'enum',
    '$ref',
    '$defs',
    'description',
    'minimum',
    'maximum',
    'exclusiveMinimum',
    'exclusiveMaximum',
    'multipleOf',
    'minItems',
    'maxItems',
    'pattern',
    'format',
  ])
  const faults = Object.keys(schema)
    .filter((keyword) => !known.has(keyword))
    .map((keyword) => `${path}: ${keyword}`)
  if ('$ref' in schema) return Object.keys(schema).length === 1 ? faults : [...faults, `${path}: beside $ref`]
  if (!('type' in schema) && !('anyOf' in schema)) faults.push(`${path}: no type`)
  if (schema['type'] === 'object') {
    const properties = schema['properties'] as JsonObject
    if (schema['additionalProperties'] !== false) faults.push(`${path}: open`)
    if (JSON.stringify(schema['required']) !== JSON.stringify(Object.keys(properties))) faults.push(`${path}: optional`)
    for (const [name, property] of Object.entries(properties)) faults.push(...faultsOf(property, `${path}/${name}`))
  }
  for (const [index, each] of ((schema['anyOf'] ?? []) as readonly Json[]).entries())
    faults.push(...faultsOf(each, `${path}/${index}`))
  if ('items' in schema) faults.push(...faultsOf(schema['items'], `${path}/items`))
  for (const [name, each] of Object.entries((schema['$defs'] ?? {}) as JsonObject))
    faults.push(...faultsOf(each, `${path}/$defs/${name}`))
  return faults
}
