// template_render: a text made of a template and data.
import { z } from 'zod'
import type { JsonObject } from '../../plan/json.ts'
import { defineTool } from '../defineTool.ts'
import { renderStrict } from './strictMustache.ts'

export interface TemplateRenderOptions {
  /** Largest text that is made. @default 5,000,000 */
  readonly maxBytes?: number
}

/** Makes `template_render`: Mustache templates (`{{name}}`, `{{#rows}}…{{/rows}}`, `{{^rows}}…{{/rows}}`, `{{> partial}}`),
 * without code in them. A name that leads nowhere is a failure unless `missing` is `empty`; `null` shows as nothing.
 *
 * @example
 * import { carryOut, templateRenderTool } from 'planloom/tools'
 * templateRenderTool().description.effects // 'none'
 */
export function templateRenderTool({ maxBytes = 5_000_000 }: TemplateRenderOptions = {}) {
  return defineTool({
    name: 'template_render',
    description:
      'Renders a Mustache template with data: {{name}}, {{#rows}} … {{/rows}}, {{^rows}} … {{/rows}}, {{> partial}}.',
    input: z.strictObject({
      template: z.string().max(1_000_000),
      data: z.record(z.string(), z.unknown()).default({}),
      partials: z.record(z.string(), z.string()).default({}),
      escape: z
        .enum(['html', 'none'])
        .default('none')
        .describe('"html" for pages; {{{name}}} and {{&name}} are never escaped.'),
      missing: z.enum(['fail', 'empty']).default('fail'),
    }),
    output: z.strictObject({ text: z.string() }),
    effects: 'none',
    run: ({ data, ...options }) => ({ text: renderStrict({ ...options, data: data as JsonObject, maxBytes }) }),
  })
}
