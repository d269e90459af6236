// The body of an error, in the form of OpenAI: `{"error": {"message", "code", "param", …}}`. The package shows what stands there, and
// nothing else.
//
// E1. What a server repeats of the request is no part of what it has against it.
import { listOf, recordOf, textIn } from './gathered.ts'

/** @returns the body in that form; as it is where it is no JSON */
export function errorInUsualForm(body: string): string {
  let value: unknown
  try {
    value = JSON.parse(body)
  } catch {
    return body
  }
  const { error } = recordOf(value)
  const isUsual = typeof error === 'object' && error !== null
  const told = recordOf(isUsual ? error : value)
  const said = faultsIn(recordOf(value)['detail']) ?? messageIn(told) ?? body
  return JSON.stringify({ error: { ...(isUsual && told), ...codesIn(told), message: said } })
}

function messageIn(told: Readonly<Record<string, unknown>>): string | undefined {
  const { message, detail, param } = told
  const text = textIn(message) || textIn(detail)
  if (text === '') return undefined
  const said = faultsInWords(text) ?? text
  const name = textIn(param)
  return name === '' || said.includes(name) ? said : `${said} (${name})`
}

/** FastAPI: a list of faults, each with its place, what is wrong there, and what was sent (E1). */
function faultsIn(detail: unknown): string | undefined {
  const faults = listOf(detail).flatMap((fault) => {
    const { loc, msg } = recordOf(fault)
    return textIn(msg) === '' ? [] : [`${listOf(loc).map(String).join('.')}: ${textIn(msg)}`]
  })
  return faults.length === 0 ? undefined : faults.join('; ')
}

/** The same list as Python writes it, which vLLM sends as a text. */
function faultsInWords(text: string): string | undefined {
  const faults = [...text.matchAll(/'loc': \(([^)]*)\), 'msg': (?:'((?:[^'\\]|\\.)*)'|"((?:[^"\\]|\\.)*)")/g)]
  if (faults.length === 0) return undefined
  return faults
    .map(
      ([, loc = '', single, double]) =>
        `${loc.replaceAll(/['\s]/g, '').replaceAll(',', '.')}: ${single ?? double ?? ''}`,
    )
    .join('; ')
}

function codesIn({ code, type, param }: Readonly<Record<string, unknown>>): Record<string, unknown> {
  return Object.fromEntries(Object.entries({ code, type, param }).filter(([, value]) => value !== undefined))
}
