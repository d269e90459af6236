// Text that others wrote (titles, error messages, file names) made safe for a terminal.
//
// A control character can move the cursor, clear the screen or retitle the window; a bidirectional override can make a
// line read as what it is not. Both are shown as what they are instead of being obeyed.

const unsafe =
  // eslint-disable-next-line no-control-regex -- control characters are what it looks for
  /[\u0000-\u001f\u007f-\u009f\u00ad\u061c\u200b-\u200f\u2028-\u202e\u2060-\u206f\ufeff\ufff9-\ufffb]|[\ud800-\udbff](?![\udc00-\udfff])|(?<![\ud800-\udbff])[\udc00-\udfff]/g

/** One line of text with nothing in it that a terminal would obey: `\n` becomes `⏎`, ESC becomes `\x1b`. */
export function printable(text: string): string {
  return text.replace(/\r?\n/g, '⏎').replace(unsafe, (character) => {
    if (character === '\t') return ' '
    if (character === '\u200d') return character // joins emoji; has no width and no power of its own
    const code = character.charCodeAt(0)
    return code < 0x100 ? `\\x${code.toString(16).padStart(2, '0')}` : `\\u${code.toString(16).padStart(4, '0')}`
  })
}

/** Like `printable`, but keeps line breaks: for messages that are meant to have several lines. */
export function printableLines(text: string): string[] {
  return text.split(/\r?\n/).map(printable)
}
