// What servers have against requests, told from their words: every provider has its own.
//
// W1. A refusal is taken for what it names. One that names a value, and not a parameter, says nothing about the parameter.

/** Longer than the model's context, in the words of OpenAI, llama.cpp, vLLM and others. */
export function isTooLong(code: string | undefined, said: string): boolean {
  return (
    code === 'context_length_exceeded' ||
    /maximum context length|context (?:length|size|window)|exceeds? the (?:available )?context|prompt is too long/i.test(
      said,
    )
  )
}

/** A limit that the request itself has named is larger than the server takes. */
export function isLimitTooLarge(said: string): boolean {
  return /\bmax\w*tokens\b/i.test(said) && isAboutValue(said)
}

/** W1 */
export function isAboutValue(said: string): boolean {
  return /\btoo (?:large|long|many|high|big)\b|at most|maximum|exceed|(?:less|greater|more) than|between|\brange\b/i.test(
    said,
  )
}

/** The server, or the model, takes no tools at all. */
export function isAboutTools(said: string): boolean {
  return (
    /\b(?:tools?|functions?)\b/i.test(said) &&
    /(?:not|n't|no endpoints found that) support|unsupported|not (?:available|enabled|allowed|permitted)|unrecognized|unknown|unexpected|extra (?:inputs|fields)|requires? --/i.test(
      said,
    ) &&
    !aboutPartOfTools.test(said)
  )
}

/** One tool, a field of one, or how they are called: the server takes tools, and not these. */
const aboutPartOfTools =
  /schema for (?:tool|function)|\btools?(?:\[|\.\d)|tool_choice|parallel_tool_calls|function\.\w/i

/** Key, account, length, and the model itself: a request that asks for less would be refused as well. */
export function isAboutSomethingElse(said: string): boolean {
  return (
    /api[ _-]?key|unauthori[sz]ed|billing|quota|credit|no such model|model .*(?:not (?:found|exist)|does not exist|unknown)|unknown model/i.test(
      said,
    ) ||
    /\bcontext\b/i.test(said) ||
    isAboutValue(said)
  )
}
