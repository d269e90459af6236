// HTML that cannot be broken by what is put into it: every value is escaped, unless it is markup made here.
//
// H1. Text from files, names and errors reaches the page only through `html`, which escapes it.

/** A piece of HTML that is safe to put into a page as it is. */
export class Markup {
  readonly text: string
  constructor(text: string) {
    this.text = text
  }
}

type Part = Markup | string | number | undefined | false | readonly Part[]

const signs: Readonly<Record<string, string>> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;', "'": '&#39;' }

/** HTML with escaped values; the indentation of the source is left out.
 *
 * @example html`<b>${'<script>'}</b>`.text // '<b>&lt;script&gt;</b>' */
export function html(strings: TemplateStringsArray, ...parts: readonly Part[]): Markup {
  return new Markup(
    strings.reduce(
      (text, string, index) =>
        text + string.replaceAll(/\s*\n\s*/g, '\n') + (index < parts.length ? render(parts[index]) : ''),
      '',
    ),
  )
}

function render(part: Part): string {
  if (part === undefined || part === false) return ''
  if (part instanceof Markup) return part.text
  if (typeof part === 'object') return part.map(render).join('')
  return escapeText(String(part))
}

/** Control and direction signs are shown as a replacement sign: they could make text look like something else. */
export function escapeText(text: string): string {
  return text
    .replaceAll(/\p{Surrogate}/gu, '\ufffd')
    .replaceAll(/[&<>"']/g, (sign) => signs[sign] ?? '')
    .replaceAll(/[\u0000-\u0008\u000b\u000c\u000e-\u001f\u007f\u202a-\u202e\u2066-\u2069]/g, '\ufffd') // eslint-disable-line no-control-regex
}
