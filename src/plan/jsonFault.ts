// Where a text stops being JSON, and what should stand there: engines say it differently, and some of them not at all.

export interface JsonFault {
  /** Offset into the text; its length where the text ends too early. */
  readonly at: number
  /** What was expected, and what was found. */
  readonly why: string
}

/** Finds the first place where a text is no JSON; undefined for one that is. Time grows with the text. */
export function findJsonFault(text: string): JsonFault | undefined {
  /** What is open around the place. */
  const open: ('{' | '[')[] = []
  let wants:
    'a value' | 'a value or "]"' | 'a key in double quotes or "}"' | 'a key in double quotes' | '":"' | 'next' =
    'a value'
  let at = 0
  for (;;) {
    blanks.lastIndex = at
    blanks.exec(text)
    at = blanks.lastIndex
    const sign = text[at]
    if (wants === 'next') {
      const inside = open.at(-1)
      if (inside === undefined) return sign === undefined ? undefined : fault(text, at, 'the end of the text')
      if (sign === ',') wants = inside === '{' ? 'a key in double quotes' : 'a value'
      else if (sign === (inside === '{' ? '}' : ']')) open.pop()
      else return fault(text, at, inside === '{' ? '"," or "}"' : '"," or "]"')
      at += 1
    } else if (wants === '":"') {
      if (sign !== ':') return fault(text, at, wants)
      wants = 'a value'
      at += 1
    } else if (wants === 'a key in double quotes' || wants === 'a key in double quotes or "}"') {
      if (sign === '}' && wants !== 'a key in double quotes') {
        open.pop()
        wants = 'next'
        at += 1
        continue
      }
      const end = endOf(string, text, at)
      if (end === undefined) return sign === '"' ? brokenString(text, at) : fault(text, at, wants)
      wants = '":"'
      at = end
    } else if (sign === '{' || sign === '[') {
      open.push(sign)
      wants = sign === '{' ? 'a key in double quotes or "}"' : 'a value or "]"'
      at += 1
    } else if (sign === ']' && wants === 'a value or "]"') {
      open.pop()
      wants = 'next'
      at += 1
    } else {
      const end = endOf(string, text, at) ?? endOf(literal, text, at)
      if (end === undefined) return sign === '"' ? brokenString(text, at) : fault(text, at, wants)
      wants = 'next'
      at = end
    }
  }
}

const blanks = /[ \t\r\n]*/y
// eslint-disable-next-line no-control-regex -- no control character may stand in a string
const string = /"[^"\\\u0000-\u001f]*(?:\\(?:["\\/bfnrt]|u[0-9a-fA-F]{4})[^"\\\u0000-\u001f]*)*"/y
const literal = /(?:-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][-+]?\d+)?|true|false|null)(?![\w.])/y
// eslint-disable-next-line no-control-regex -- the same, up to where it breaks
const begunString = /"[^"\\\u0000-\u001f]*(?:\\(?:["\\/bfnrt]|u[0-9a-fA-F]{4})[^"\\\u0000-\u001f]*)*/y

function endOf(pattern: RegExp, text: string, at: number): number | undefined {
  pattern.lastIndex = at
  return pattern.test(text) ? pattern.lastIndex : undefined
}

function brokenString(text: string, start: number): JsonFault {
  const at = endOf(begunString, text, start) ?? start
  if (text[at] === '\\')
    return { at, why: `In a text in double quotes, ${shown(text.slice(at, at + 2))} means nothing` }
  return fault(text, at, 'the closing double quote of a text')
}

function fault(text: string, at: number, wanted: string): JsonFault {
  const found =
    at >= text.length
      ? 'the text ends'
      : `${shown(/^(?:\w+|[^])/.exec(text.slice(at, at + 20))?.[0] ?? '')} stands there`
  return { at, why: `Expected ${wanted}, but ${found}` }
}

function shown(text: string): string {
  return named[text] ?? JSON.stringify(text)
}

const named: Readonly<Record<string, string>> = {
  '\n': 'the end of the line',
  '\r': 'the end of the line',
  '"': 'a double quote',
  "'": 'a single quote',
}
