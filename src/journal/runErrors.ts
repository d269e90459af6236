// What a journal says of a run that it cannot give: the same words, whatever keeps the record.
import { PlanloomError } from '../errors.ts'

/** @param path of the journal, where it is a file */
export function runExists(runId: string, path?: string): PlanloomError {
  return new PlanloomError('RUN_EXISTS', `There is a record of a run "${runId}" already.`, {
    hint: 'Choose another runId, or leave it out to get a fresh one.',
    where: placeOf(runId, path),
  })
}

/** @param path of the journal, where it is a file */
export function runUnknown(runId: string, path?: string): PlanloomError {
  const where = path === undefined ? '' : ` in "${path}"`
  return new PlanloomError('RUN_UNKNOWN', `There is no record of a run "${runId}"${where}.`, {
    hint: 'List the runs of the journal to see which there are.',
    where: placeOf(runId, path),
  })
}

/** The process that asks has it itself. @param path of the journal, where it is a file */
export function runOwnedHere(runId: string, path?: string): PlanloomError {
  return new PlanloomError('RUN_OWNED', `Run "${runId}" is going on in this very process.`, {
    hint: 'Use the run that is there.',
    where: placeOf(runId, path),
  })
}

function placeOf(runId: string, path: string | undefined): { readonly runId: string; readonly path?: string } {
  return { runId, ...(path !== undefined && { path }) }
}
