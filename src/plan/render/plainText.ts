// Text from plans, made fit to be shown: it may come from a model, and a picture must not be made to lie or a terminal to act.
import type { Step } from '../schema.ts'

/** One line of text: control characters (escape sequences among them) and marks that turn the direction of writing become
 * spaces, and what is too long is cut. */
export function plainText(text: string, maxLength = 120): string {
  const line = text.replace(unshowable, ' ').replace(/ {2,}/g, ' ').trim()
  if (line.length <= maxLength) return line
  const points = Array.from(line.slice(0, maxLength * 2))
  return points.length <= maxLength
    ? line
    : `${points
        .slice(0, maxLength - 1)
        .join('')
        .trimEnd()}…`
}

/** What a step does, in a few words: its tool, or what it asks for. */
export function whatItDoes(step: Step): string {
  if (step.tool !== undefined) return step.tool
  if (step.instruction !== undefined) return `asks${whoMay(step)}: ${step.instruction}`
  return step.goal === undefined ? '' : `reaches: ${step.goal.text}`
}

/** The tools of a step that a model follows: what it may do matters as much as what it is asked. */
function whoMay({ tools }: Step): string {
  if (tools === undefined) return ''
  if (tools.length === 0) return ' a model'
  const more = tools.length > 5 ? ` and ${tools.length - 4} more` : ''
  return ` a model with ${tools.slice(0, more === '' ? 5 : 4).join(', ')}${more}`
}

// C0, C1, line and paragraph separators, direction marks, overrides and isolates, zero-width characters, and stray halves of pairs.
const unshowable =
  // eslint-disable-next-line no-control-regex -- exactly those are to go
  /[\u0000-\u001f\u007f-\u009f\u200b-\u200f\u2028-\u202e\u2060-\u2069\ufeff]|[\ud800-\udbff](?![\udc00-\udfff])|(?<![\ud800-\udbff])[\udc00-\udfff]/g
