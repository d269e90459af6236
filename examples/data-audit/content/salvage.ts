// Saving what can be saved of a broken JSON array: every object that is complete.

/** The texts of the complete objects in a JSON array that breaks off or is broken in places. */
export function* completeObjects(text: string): Generator<string> {
  let start = -1
  let depth = 0
  let isString = false
  for (let at = text.indexOf('[') + 1; at < text.length; at++) {
    const sign = text[at]
    if (isString) {
      if (sign === '\\') at += 1
      else if (sign === '"') isString = false
      else if (sign === '\n') {
        // A line break cannot stand in a string: the closing quote is missing. Begin again at the next object.
        isString = false
        depth = 0
        start = -1
      }
    } else if (sign === '"') isString = true
    else if (sign === '{') {
      if (depth === 0) start = at
      depth += 1
    } else if (sign === '}' && depth > 0) {
      depth -= 1
      if (depth === 0 && start >= 0) {
        const found = text.slice(start, at + 1)
        if (isJson(found)) yield found
        start = -1
      }
    }
  }
}

function isJson(text: string): boolean {
  try {
    JSON.parse(text)
    return true
  } catch {
    return false
  }
}
