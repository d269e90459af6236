// Mustache templates, strictly: a name that leads nowhere is an error, and nothing but the given data can be reached.
//
// M1. Only own properties are looked at: no template reaches a prototype, and what is found is data, never called.
// M2. Rendering ends: partials nest up to a depth, and text and steps have limits.
import mustache from 'mustache'
import { isJsonObject, type Json, type JsonObject } from '../../plan/json.ts'
import { ToolError } from '../toolError.ts'

export interface RenderOptions {
  readonly template: string
  readonly data: JsonObject
  readonly partials: Readonly<Record<string, string>>
  readonly escape: 'html' | 'none'
  /** What a name that leads nowhere is: an error, or nothing. */
  readonly missing: 'fail' | 'empty'
  readonly maxBytes: number
}

/** Renders a template.
 *
 * @throws `TEMPLATE_INVALID`, `VALUE_MISSING`, `VALUE_NOT_TEXT`, `TEXT_TOO_LARGE`
 */
export function renderStrict({ template, data, partials, escape, missing, maxBytes }: RenderOptions): string {
  const writer = new StrictWriter({ maxBytes, missing, partials })
  const context = new StrictContext(data, undefined, missing)
  const escapeText = escape === 'html' ? (value: string) => mustache.escape(textOf(value)) : textOf
  try {
    return writer.render(template, context, (name: string) => writer.partial(name), { escape: escapeText })
  } catch (error) {
    if (error instanceof ToolError || !(error instanceof Error)) throw error
    // mustache itself throws plain errors, with the position in the template.
    throw new ToolError('TEMPLATE_INVALID', `The template cannot be read: ${error.message}.`, {
      hint: 'Each {{#section}} and {{^section}} needs its {{/section}}, and each {{ its }}.',
      retryable: false,
      where: { path: '/template' },
      cause: error,
    })
  }
}

class StrictContext extends mustache.Context {
  readonly own: Json
  readonly above: StrictContext | undefined
  readonly missing: RenderOptions['missing']

  constructor(view: Json, above: StrictContext | undefined, missing: RenderOptions['missing']) {
    super(view, above)
    this.own = view
    this.above = above
    this.missing = missing
  }

  override push(view: Json): StrictContext {
    return new StrictContext(view, this, this.missing)
  }

  override lookup(name: string): Json | undefined {
    const found = this.find(name)
    if (found !== undefined || this.missing === 'empty') return found
    throw new ToolError('VALUE_MISSING', `The template asks for "${name}", which the data does not have.`, {
      hint: `There is: ${this.names().join(', ') || 'nothing'}. Pass missing: "empty" to leave out what is not there.`,
      retryable: false,
      where: { path: '/data' },
    })
  }

  /** The first part of a name is looked for here and further out; the rest from there on, and nowhere else. */
  find(name: string): Json | undefined {
    if (name === '.') return this.own
    const [first = '', ...rest] = name.split('.')
    // eslint-disable-next-line @typescript-eslint/no-this-alias -- it is the first of a list of contexts
    let holder: StrictContext | undefined = this
    while (holder !== undefined && ownValue(holder.own, first) === undefined) holder = holder.above
    return holder && rest.reduce<Json | undefined>(ownValue, ownValue(holder.own, first))
  }

  names(): string[] {
    const own = isJsonObject(this.own) ? Object.keys(this.own).slice(0, 12) : []
    return [...own, ...(this.above?.names() ?? [])].slice(0, 24)
  }
}

/** M1 */
function ownValue(holder: Json | undefined, name: string): Json | undefined {
  if (typeof holder !== 'object' || holder === null || !Object.hasOwn(holder, name)) return undefined
  return Array.isArray(holder) && name === 'length' ? holder.length : (holder as JsonObject)[name]
}

type Tokens = Parameters<InstanceType<typeof mustache.Writer>['renderTokens']>

class StrictWriter extends mustache.Writer {
  readonly limits: Pick<RenderOptions, 'maxBytes' | 'missing' | 'partials'>
  depth = 0
  steps = 0

  constructor(limits: Pick<RenderOptions, 'maxBytes' | 'missing' | 'partials'>) {
    super()
    this.limits = limits
  }

  /** M2: each section, each of its rounds, and each partial comes through here. */
  override renderTokens(...given: Tokens): string {
    this.steps += 1 + given[0].length
    if (this.depth >= mostNested) throw tooMuch(`nests deeper than ${String(mostNested)} sections and partials`)
    if (this.steps > mostSteps) throw tooMuch(`takes more than ${String(mostSteps)} steps`)
    this.depth++
    const text = super.renderTokens(...given)
    this.depth--
    if (text.length > this.limits.maxBytes)
      throw tooMuch(`makes a text of more than ${String(this.limits.maxBytes)} bytes`)
    return text
  }

  override unescapedValue(token: string[], context: StrictContext): string {
    const value = context.lookup(token[1] ?? '')
    return value === undefined || value === null ? '' : textOf(value)
  }

  partial(name: string): string | undefined {
    const found = Object.hasOwn(this.limits.partials, name) ? this.limits.partials[name] : undefined
    if (found !== undefined || this.limits.missing === 'empty') return found
    throw new ToolError('VALUE_MISSING', `The template asks for the partial "${name}", which was not given.`, {
      hint: 'Pass it in partials.',
      retryable: false,
      where: { path: '/partials' },
    })
  }
}

const mostNested = 50
const mostSteps = 5_000_000

function textOf(value: unknown): string {
  if (typeof value !== 'object' || value === null) return String(value)
  throw new ToolError(
    'VALUE_NOT_TEXT',
    `The template shows ${Array.isArray(value) ? 'a list' : 'an object'} as if it were text.`,
    {
      hint: 'Name one of its properties ({{user.name}}), or go through it with a section ({{#rows}} … {{/rows}}).',
      retryable: false,
      where: { path: '/template' },
    },
  )
}

function tooMuch(what: string): ToolError {
  return new ToolError('TEXT_TOO_LARGE', `Rendering the template ${what}.`, {
    hint: 'Render parts of it; see whether a section goes through more than it should, or a partial includes itself.',
    retryable: false,
    where: { path: '/template' },
  })
}
