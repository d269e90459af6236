// JSON values as types. Everything that crosses an actor, the journal or the process is one of these.

export type Json = null | boolean | number | string | readonly Json[] | JsonObject
export interface JsonObject {
  readonly [key: string]: Json
}

/** A JSON Schema (draft 2020-12) as data. */
export type JsonSchema = boolean | JsonObject

export function isJsonObject(value: unknown): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}
