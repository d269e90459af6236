// Keys by their very letters, in any writing, in texts that are whole or come piece by piece.
//
// K1. No piece that is given on holds a key, nor the beginning of one that goes on in the next.
// K2. A short key counts only where it stands alone: "a1b2" within another word is none.

export interface Secrets {
  takeOut(text: string): string
  /** The same for a text in pieces: each is given on as soon as no key can begin at its end. `end` gives the rest. */
  takeOutOf(tell: (piece: string) => void): { readonly piece: (piece: string) => void; readonly end: () => void }
}

export const mark = '[redacted]'

export function secretsOf(secrets: readonly (string | undefined)[]): Secrets {
  const given = secrets.filter((secret) => secret !== undefined && isSecret(secret)) as readonly string[]
  const written = given.flatMap((secret) => [
    secret,
    encodeURIComponent(Buffer.from(secret).toString('utf8')),
    JSON.stringify(secret).slice(1, -1),
    Buffer.from(secret).toString('base64'),
  ])
  const longestFirst = [...new Set(written)].sort((a, b) => b.length - a.length)
  const takeOut = takingOut(longestFirst, '(?!\\w)')
  const takeOutOfBeginning = takingOut(longestFirst, '(?=\\W)')
  return { takeOut, takeOutOf: (tell) => inPieces({ secrets: longestFirst, takeOut, takeOutOfBeginning, tell }) }
}

/** A word of letters that is shorter ("none", "ollama") stands where a local server asks for no key. */
const shortestWord = 8
const shortest = 4

function isSecret(secret: string): boolean {
  return secret.length >= shortestWord || (secret.length >= shortest && !/^[a-z]+$/i.test(secret))
}

/** @param afterShort what a short key is followed by (K2) */
function takingOut(secrets: readonly string[], afterShort: string): (text: string) => string {
  const patterns = secrets.map((secret) => {
    const letters = secret.replace(/[.*+?^${}()|[\]\\/-]/g, '\\$&')
    return new RegExp(secret.length >= shortestWord ? letters : `(?<!\\w)${letters}${afterShort}`, 'g')
  })
  return (text) => patterns.reduce((rest, pattern) => rest.replaceAll(pattern, mark), text)
}

interface InPieces {
  /** The longest first. */
  readonly secrets: readonly string[]
  readonly takeOut: (text: string) => string
  /** The same for a text that goes on. */
  readonly takeOutOfBeginning: (text: string) => string
  readonly tell: (piece: string) => void
}

function inPieces({ secrets, takeOut, takeOutOfBeginning, tell }: InPieces): ReturnType<Secrets['takeOutOf']> {
  const longest = secrets[0]?.length
  if (longest === undefined) return { piece: tell, end: () => undefined }
  let held = ''
  return {
    piece(piece) {
      held = takeOutOfBeginning(held + piece) // first, since the end of a key may be the beginning of one
      const safe = held.length - openEnd(held, secrets, longest)
      const whole = held.slice(0, safe)
      held = held.slice(safe)
      if (whole !== '') tell(whole)
    },
    end() {
      const rest = takeOut(held)
      held = ''
      if (rest !== '') tell(rest)
    },
  }
}

/** How many letters at the end may be the beginning of a key (K1), or a short one that is a word only if nothing follows (K2). */
function openEnd(text: string, secrets: readonly string[], longest: number): number {
  for (let length = Math.min(longest, text.length); length > 0; length--) {
    const end = text.slice(-length)
    if (secrets.some((secret) => secret.startsWith(end))) return length
  }
  return 0
}
