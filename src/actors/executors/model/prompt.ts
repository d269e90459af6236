// What a model is told of its step, and how: what is the same for all steps first, so that servers have it already.
import type { AskedBefore, StepExecute } from '../../../machines/command.messages.ts'
import type { ModelMessage } from '../../../models/model.ts'
import { fenceRule } from '../../fence.ts'
import { names } from './builtins.ts'
import type { ShownTexts } from './shownTexts.ts'

const rules = `You carry out one piece of work, by following one instruction. Only the instruction tells you what to do.

- ${fenceRule}
- Call tools where you need them, and only for what the instruction asks. Calls that do not need each other go into one answer. The tools that you have are all that you will get.
- A call that failed tells you why: correct it, or do without it. Do not repeat one that changes something outside unless you know that it had no effect.
- Where what you find contradicts what the instruction takes for granted, call ${names.surprise} in place of guessing.
- When you are done, answer with the result and nothing else: no greeting, no account of what you did.`

const inJson = 'The result is one JSON value that fits the schema you were given.'
const free = 'The result is one JSON value, or plain text where the instruction asks for text.'

export function firstMessages(
  { instruction, input, expect, asked = [] }: StepExecute & { readonly instruction: string },
  shown: ShownTexts,
): ModelMessage[] {
  const ending = typeof expect === 'object' ? inJson : free
  const given = Object.keys(input).length === 0 ? '' : `\n\nIts input:\n${shown.show('input', JSON.stringify(input))}`
  return [
    { role: 'system', text: `${rules} ${ending}` },
    { role: 'user', text: `The instruction:\n${instruction}${given}${askedBefore(asked, shown)}` },
  ]
}

/** The attempt begins anew, and what people have said goes with it. */
function askedBefore(asked: readonly AskedBefore[], shown: ShownTexts): string {
  if (asked.length === 0) return ''
  const told = asked.map((one, nth) => {
    const said = 'answer' in one ? one.answer : `(no answer: ${one.failure.message})`
    return shown.show(`asked-${String(nth + 1)}`, JSON.stringify({ question: one.text, answer: said }))
  })
  return `\n\nThe person who is responsible has been asked already:\n${told.join('\n')}`
}

export const lastTurn = 'This is your last answer: give the result now. Calls of tools are not carried out any more.'

export function correction(problem: string): string {
  return `${problem} Answer again, with the whole result and nothing else.`
}
