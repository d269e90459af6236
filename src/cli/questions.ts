// What a run asks of people: answers, and leave to go on. Asked at the terminal, one question at a time, or answered
// beforehand by options; where there is neither, the question is refused at once, since a run must not wait for nobody.
import { createInterface } from 'node:readline/promises'
import { PlanloomError } from '../errors.ts'
import type { Question, RuntimeOptions } from '../runtime/index.ts'
import type { Colours } from './colours.ts'
import { printable, printableLines } from './escape.ts'
import type { Streams } from './output.ts'
import { valueOf } from './settings.ts'
import { answerCommand } from './waitingLines.ts'

export interface QuestionOptions {
  readonly streams: Streams
  readonly colours: Colours
  /** Answers given beforehand, by step id. */
  readonly answers: ReadonlyMap<string, unknown>
  /** Say yes to every plan and step that wants approval. */
  readonly isApproved: boolean
  /** Where people are asked: at the terminal, or nowhere here, since they answer through the journal. @default 'terminal' */
  readonly people?: 'terminal' | 'journal' | undefined
  /** The screen is wanted for a question; called again with false when it is free. */
  readonly takeScreen: (taken: boolean) => void
}

export interface Questions {
  /** Answers given beforehand that no step has asked for. */
  unused(): readonly string[]
  readonly ask: NonNullable<RuntimeOptions['ask']>
  /** Whether to go on. Without anybody to ask, the answer is no, and says why.
   *
   * @param lines with what.
   * @param elsewhere the command that says so from elsewhere. */
  approve(
    lines: readonly string[],
    elsewhere: string,
    signal: AbortSignal,
  ): Promise<{ readonly isApproved: boolean; readonly because: string }>
}

export function createQuestions(options: QuestionOptions): Questions {
  const { streams, colours, answers } = options
  const isInteractive = streams.stdin.isTTY && streams.stderr.isTTY === true
  const used = new Set<string>()
  let last: Promise<unknown> = Promise.resolve()

  /** Waits for its turn, since two questions at once are none. */
  const prompt = (lines: readonly string[], question: string, signal: AbortSignal): Promise<string> => {
    const turn = last.then(() => promptNow(lines, question, signal))
    last = turn.catch(() => undefined)
    return turn
  }
  const promptNow = async (lines: readonly string[], question: string, signal: AbortSignal): Promise<string> => {
    signal.throwIfAborted()
    options.takeScreen(true)
    const reader = createInterface({ input: streams.stdin, output: streams.stderr as NodeJS.WritableStream })
    // In raw mode the reader gets Ctrl-C instead of the process.
    reader.on('SIGINT', () => process.kill(process.pid, 'SIGINT'))
    try {
      streams.stderr.write(lines.map((line) => `${line}\n`).join(''))
      return await reader.question(question, { signal })
    } finally {
      reader.close()
      options.takeScreen(false)
    }
  }

  /** What a tool's own check would say. */
  const askWhether = async (question: Question, signal: AbortSignal): Promise<unknown> => {
    const lines = questionLines(question, colours)
    const asked = `${colours.cyan('Did it happen?')} [y/n, or Enter if nobody knows] `
    const said = (await prompt(lines, asked, signal)).trim()
    if (/^no?$/i.test(said)) return { happened: false }
    if (!/^y(es)?$/i.test(said)) return { unknown: 'it was not known at the terminal' }
    return { happened: true, output: valueOf(await prompt([], `${colours.cyan('what came of it')} `, signal)) }
  }

  /** Says what is waited for; it comes as a command of the run. */
  const leaveToOthers = (lines: readonly string[], command: string, signal: AbortSignal): Promise<never> => {
    options.takeScreen(true)
    streams.stderr.write([...lines, `  ${colours.dim(command)}`, ''].join('\n'))
    options.takeScreen(false)
    return withdrawn(signal)
  }

  return {
    unused: () => [...answers.keys()].filter((stepId) => !used.has(stepId)),

    async ask(question, signal) {
      if (answers.has(question.stepId)) {
        used.add(question.stepId)
        const output = answers.get(question.stepId)
        return question.kind === 'uncertain' ? { happened: true, output } : output
      }
      if (options.people === 'journal')
        return leaveToOthers(questionLines(question, colours), answerCommand(question.runId, question), signal)
      if (!isInteractive) throw nobody(question)
      if (question.kind === 'uncertain') return askWhether(question, signal)
      return valueOf(await prompt(questionLines(question, colours), `${colours.cyan('answer')} `, signal))
    },

    async approve(lines, elsewhere, signal) {
      if (options.isApproved) return { isApproved: true, because: '' }
      if (options.people === 'journal') return leaveToOthers(lines, elsewhere, signal)
      if (!isInteractive)
        return {
          isApproved: false,
          because:
            'it wants approval, and nobody is there to ask; --yes gives it beforehand, --people journal waits for "planloom approve"',
        }
      const answer = await prompt(lines, `${colours.cyan('Go on?')} [y/N] `, signal)
      return { isApproved: /^y(es)?$/i.test(answer.trim()), because: 'it was not approved at the terminal' }
    },
  }
}

/** Waits until the question is no longer wanted. */
function withdrawn(signal: AbortSignal): Promise<never> {
  return new Promise((_resolve, reject) => {
    const end = (): void => {
      reject(signal.reason instanceof Error ? signal.reason : new Error(String(signal.reason)))
    }
    if (signal.aborted) end()
    else signal.addEventListener('abort', end, { once: true })
  })
}

function questionLines({ stepId, text, input }: Question, colours: Colours): string[] {
  const shown = JSON.stringify(input) === '{}' ? [] : printableLines(JSON.stringify(input, undefined, 2))
  return [
    `${colours.cyan('?')} ${colours.bold(stepId)}  ${printable(text)}`,
    ...shown.map((line) => `  ${colours.dim(line)}`),
  ]
}

function nobody({ stepId, text }: Question): PlanloomError {
  return new PlanloomError('NOBODY_TO_ASK', `Step "${stepId}" asks "${text}", and there is no terminal to ask at.`, {
    hint: `Give the answer beforehand: --answer ${stepId}=…; or have it wait for "planloom answer": --people journal`,
    where: { stepId },
  })
}
