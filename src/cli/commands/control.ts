// `planloom pause`, `answer`, `cancel` and the like: asks something of a run, and says what came of it.
//
// C1. A run that a process has: it is told of within a moment, and what it says is waited for.
// C2. A run that nobody has: the request waits in the journal, and comes before all else when the run is gone on with.
// C3. What such a run could only refuse is refused at once, and is not kept.
import { userInfo } from 'node:os'
import { setTimeout as sleep } from 'node:timers/promises'
import {
  checkRequest,
  isOpenRequest,
  PlanloomError,
  type RunCommand,
  type RunRequest,
  type SqliteJournal,
} from '../../runtime/index.ts'
import type { Finding } from '../../plan/index.ts'
import { printable } from '../escape.ts'
import { exitCodes } from '../exitCodes.ts'
import { openRunMeant, withJournal } from '../journals.ts'
import type { Output } from '../output.ts'

export interface ControlOptions {
  readonly journal: string
  /** @default the user of this machine */
  readonly by?: string
  /** Longest wait for the process that has the run, in ms; false: none. */
  readonly wait: number | false
}

/** How often the journal is looked at meanwhile. */
const lookMs = 50

/** @param asked the command, or what makes it of the run that is meant
 * @throws what the run itself would say to it, and `REQUEST_UNANSWERED` */
export async function control(
  run: string | undefined,
  asked: RunCommand | ((journal: SqliteJournal, runId: string) => Promise<RunCommand>),
  options: ControlOptions,
  output: Output,
): Promise<number> {
  const { by = userName(), wait } = options
  return withJournal(options.journal, async (journal) => {
    const { runId, reason } = openRunMeant(journal, run)
    const command = typeof asked === 'function' ? await asked(journal, runId) : asked
    if (reason === undefined && journal.ownerOf(runId) === undefined) await checkRequest(journal, runId, command) // C3
    const number = await journal.request(runId, command, by === undefined ? {} : { by })
    const request = await answerTo(journal, runId, number, wait === false ? 0 : wait)
    const isOwned = journal.ownerOf(runId) !== undefined
    if (request.refused) throw new RequestRefusedError(request, request.refused)
    if (request.seq === undefined && isOwned && wait !== false) throw unanswered(request, wait)
    output.print([inWords(request, isOwned, output)])
    output.document({ ...request, state: request.seq === undefined ? 'waiting' : 'taken' })
    return exitCodes.done
  })
}

/** Waits as long as some process has the run. */
async function answerTo(journal: SqliteJournal, runId: string, number: number, waitMs: number): Promise<RunRequest> {
  for (let waitedMs = 0; ; waitedMs += lookMs) {
    const isOwned = journal.ownerOf(runId) !== undefined // asked first: what it has said until then is found below
    const request = journal.requests(runId).find((one) => one.number === number)
    if (request === undefined) throw new PlanloomError('RUN_UNKNOWN', `Run "${runId}" has been removed meanwhile.`)
    if (!isOpenRequest(request) || !isOwned || waitedMs >= waitMs) return request
    await sleep(lookMs)
  }
}

function inWords({ number, runId, command, seq }: RunRequest, isOwned: boolean, { colours }: Output): string {
  const run = printable(runId)
  if (seq !== undefined) return `${colours.green('✓')} ${run}: ${command.type} is event ${seq}.`
  return isOwned
    ? `${run} was asked (request ${number}).`
    : `Nobody has ${run} now: request ${number} waits, and is taken before all else when the run is gone on with (planloom resume).`
}

function unanswered({ number, runId }: RunRequest, waitMs: number): PlanloomError {
  return new PlanloomError(
    'REQUEST_UNANSWERED',
    `Request ${number} has not been answered within ${waitMs} ms by the process that has run "${runId}".`,
    { hint: `It stays in the journal: planloom show ${runId} says when it has been taken.`, where: { runId } },
  )
}

/** What the run has said to a request, as if it had been its own command. */
class RequestRefusedError extends PlanloomError {
  override readonly name = 'RequestRefusedError'
  readonly findings: readonly Finding[]

  constructor(
    { runId, command }: RunRequest,
    { code, message, hint, findings = [] }: NonNullable<RunRequest['refused']>,
  ) {
    super(code, message, { hint, where: { runId, ...('stepId' in command && { stepId: command.stepId }) } })
    this.findings = findings as unknown as readonly Finding[]
  }
}

function userName(): string | undefined {
  try {
    return userInfo().username
  } catch {
    return undefined // a user without a name, as in some containers
  }
}
