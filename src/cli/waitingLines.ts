// What a run waits for, and what was asked of it and has come to no end yet: so that somebody knows what to say.
import type { Patch, Plan } from '../plan/index.ts'
import type { Question, Replay, RunRequest } from '../runtime/index.ts'
import type { Colours } from './colours.ts'
import { duration } from './duration.ts'
import { operationLines } from './operationLines.ts'
import { printable } from './escape.ts'
import { quoted } from './quoted.ts'

/** What can be said to each kind of question. */
const saying: Readonly<Record<Question['kind'], (run: string, step: string) => string>> = {
  answer: (run, step) => `planloom answer ${run} ${step} <value>`,
  approval: (run, step) => `planloom approve ${run} --step ${step}   (or reject ${run} <because> --step ${step})`,
  uncertain: (run, step) =>
    `planloom answer ${run} ${step} <value>   (it happened; or retry ${run} ${step}, or skip ${run} ${step})`,
}

/** The command that answers a question. */
export function answerCommand(runId: string, { kind, stepId }: Pick<Question, 'kind' | 'stepId'>): string {
  return saying[kind](quoted(runId), quoted(stepId))
}

/** The command that lets a plan or an amendment go on. */
export function approveCommand(runId: string): string {
  const run = quoted(runId)
  return `planloom approve ${run}   (or reject ${run} <because>)`
}

/** What an amendment would change, and because of what. */
export function amendmentLines({ because, operations }: Patch, plan: Plan, colours: Colours): string[] {
  const changes = operationLines(operations, plan, colours)
  const kept = 'the plan stays as it is, and what a broken assumption holds back goes on'
  return [printable(because.text), ...(changes.length === 0 ? [kept] : changes).map((line) => `  ${line}`)]
}

/** The questions of a run, each with the command that answers it. */
export function questionLines(
  {
    runId,
    state,
    questions,
    plan: current,
    proposed,
  }: Pick<Replay, 'runId' | 'state' | 'questions' | 'plan' | 'proposed'>,
  colours: Colours,
): string[] {
  const run = quoted(runId)
  const amendment = current === undefined || proposed === undefined ? [] : amendmentLines(proposed, current, colours)
  const what = proposed === undefined ? 'the plan' : 'an amendment'
  const plan =
    state === 'approving'
      ? [`  ${what}  ${colours.dim(approveCommand(runId))}`, ...amendment.map((line) => `    ${line}`)]
      : []
  const lines = questions.flatMap(({ stepId, kind, text }) => [
    `  ${colours.bold(printable(stepId))}  ${printable(text)}`,
    `    ${colours.dim(answerCommand(runId, { kind, stepId }))}`,
  ])
  if (state === 'paused') lines.unshift(`  the end of the pause  ${colours.dim(`planloom continue ${run}`)}`)
  return plan.length + lines.length === 0 ? [] : ['It waits for', ...plan, ...lines]
}

/** Requests that have not been answered. */
export function requestLines(requests: readonly RunRequest[], now: number): string[] {
  if (requests.length === 0) return []
  return [
    'Asked of it, and not taken yet:',
    ...requests.map((request) => `  ${request.number}  ${requestInWords(request)}, ${duration(now - request.at)} ago`),
  ]
}

const mostRefused = 5

/** The latest requests that were refused, with the reasons. */
export function refusedLines(requests: readonly RunRequest[], now: number): string[] {
  if (requests.length === 0) return []
  const more = requests.length - mostRefused
  return [
    'Asked of it, and refused:',
    ...(more > 0 ? [`  … ${more} more before these`] : []),
    ...requests
      .slice(-mostRefused)
      .flatMap((request) => [
        `  ${request.number}  ${requestInWords(request)}, ${duration(now - request.at)} ago`,
        ...(request.refused ? [`    ${refusalInWords(request.refused)}`] : []),
      ]),
  ]
}

/** What was asked, of which step, and by whom. */
export function requestInWords({ command, by }: RunRequest): string {
  const whom = 'stepId' in command ? ` ${printable(command.stepId)}` : ''
  return `${command.type}${whom}${by === undefined ? '' : ` by ${printable(by)}`}`
}

export function refusalInWords({ code, message }: NonNullable<RunRequest['refused']>): string {
  return `${printable(message)} [${code}]`
}
