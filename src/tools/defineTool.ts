// defineTool: checks what a tool's author declares, and makes the tool with its description.
import type { z } from 'zod'
import { PlanloomError } from '../errors.ts'
import { retrySchema, type Retry } from '../plan/schema.ts'
import type { Gift, Need, ToolDescription } from '../plan/toolDescription.ts'
import { checkDeclaration } from './checkDeclaration.ts'
import { describeSchema } from './describeSchema.ts'
import type { Tool, ToolDeclaration } from './tool.ts'

/** Makes a tool: what it takes and gives as zod schemas, what it needs and gives as facts, and a function that does it.
 *
 * @param declaration see `ToolDeclaration` for the defaults. `run` gets the parsed input; what it returns is checked by `output`.
 * @throws `TOOL_INVALID` with all that is wrong with the declaration.
 * @example
 * import { z } from 'zod'
 * import { defineTool } from 'planloom/tools'
 * const double = defineTool({
 *   name: 'double',
 *   description: 'Doubles a number.',
 *   input: z.object({ n: z.number() }),
 *   output: z.object({ n: z.number() }),
 *   needs: { n: 'number' },
 *   gives: { doubled: '/n' },
 *   run: ({ n }) => ({ n: 2 * n }),
 * })
 * double.description.gives // { doubled: { from: '/n' } }
 */
export function defineTool<I extends z.ZodType, O extends z.ZodType>(declaration: ToolDeclaration<I, O>): Tool<I, O> {
  const given: unknown = declaration
  if (!isRecord(given)) {
    throw new PlanloomError('TOOL_INVALID', `defineTool() was given ${String(given)}, and takes an object.`, {
      hint: 'Give it at least name, description, input, output and run; ToolDeclaration describes each.',
    })
  }
  const schemas = {
    input: describeSchema(declaration.name, 'input', declaration.input),
    output: describeSchema(declaration.name, 'output', declaration.output),
  }
  checkDeclaration(declaration, schemas.input)
  return Object.freeze({
    description: descriptionOf(declaration, schemas),
    input: declaration.input,
    output: declaration.output,
    run: declaration.run.bind(declaration),
    ...(declaration.check && { check: declaration.check.bind(declaration) }),
  })
}

function isRecord(value: unknown): boolean {
  return typeof value === 'object' && value !== null
}

function descriptionOf<I extends z.ZodType, O extends z.ZodType>(
  declaration: ToolDeclaration<I, O>,
  schemas: Pick<ToolDescription, 'input' | 'output'>,
): ToolDescription {
  const {
    name,
    description,
    needs,
    requires,
    gives,
    concurrency,
    ratePerSecond,
    timeoutMs,
    heartbeatMs,
    retry,
    executor,
  } = declaration
  const effects = declaration.effects ?? 'none'
  return Object.freeze({
    name,
    description,
    ...schemas,
    needs: mapValues<string | Need, Need>(needs, (need) => (typeof need === 'string' ? { fact: need } : need)),
    requires: requires ?? [],
    gives: mapValues<string | Gift, Gift>(gives, (gift) => (typeof gift === 'string' ? { from: gift } : gift)),
    cost: declaration.cost ?? 1,
    likelihood: declaration.likelihood ?? 1,
    effects,
    idempotent: declaration.idempotent ?? (effects === 'none' || effects === 'read'),
    version: declaration.version ?? '1',
    ...(concurrency !== undefined && { concurrency }),
    ...(ratePerSecond !== undefined && { ratePerSecond }),
    ...(timeoutMs !== undefined && { timeoutMs }),
    ...(heartbeatMs !== undefined && { heartbeatMs }),
    ...(retry !== undefined && { retry: retrySchema.parse(retry) satisfies Retry }),
    ...(executor !== undefined && { executor }),
  })
}

function mapValues<A, B>(record: Readonly<Record<string, A | undefined>> | undefined, change: (value: A) => B) {
  const entries = Object.entries(record ?? {}).flatMap(([key, value]) =>
    value === undefined ? [] : [[key, change(value)] as const],
  )
  return Object.freeze(Object.fromEntries(entries))
}
