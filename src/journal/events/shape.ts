// Schemas that are kept in step with the types of messages: a field that a message has got is a compile error until it is here.
import { z } from 'zod'
import { sameJson } from '../../plan/sameJson.ts'

/** A schema for each field of `M`; those that may be absent are `exactOptional`, since a record holds no `undefined`. */
export type ShapeOf<M> = {
  readonly [K in keyof M]-?: object extends Pick<M, K> ? z.ZodExactOptional<z.ZodType<Given<M[K]>>> : z.ZodType<M[K]>
}

type Given<V> = Exclude<V, undefined>

/** An object with these fields and no others: what is not known could not be told. */
export function strictly<M>(shape: ShapeOf<M>): z.ZodType<M> {
  return z.strictObject(shape) as unknown as z.ZodType<M>
}

/** As it stands in a record: what the schema would fill in must be there. */
export function asRecorded<S extends z.ZodType>(schema: S): z.ZodType<z.output<S>> {
  return z.unknown().superRefine((value, context) => {
    const parsed = schema.safeParse(value)
    for (const { path, message } of parsed.error?.issues ?? []) context.addIssue({ code: 'custom', path, message })
    if (parsed.success && !sameJson(parsed.data, value))
      context.addIssue({ code: 'custom', message: 'lacks what a recorded one has' })
  }) as unknown as z.ZodType<z.output<S>>
}
