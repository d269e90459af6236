// What the audit is called with.
import { parseArgs } from 'node:util'
import { defaultJournal } from '../../src/cli/journals.ts'
import { realFolder } from './goal.ts'

const defaultOut = 'audit-report'

export interface AuditArguments {
  readonly folder: string
  /** Folder of the report. */
  readonly out: string
  /** File of the journal; none where nothing is to be recorded. */
  readonly journal: string | undefined
  /** Whether the journal was named, so that nothing must go on without it. */
  readonly isJournalWanted: boolean
  /** Id of a run in the journal to go on with. */
  readonly resume: string | undefined
}

const usage = `Usage: npm start -- [folder] [--out folder] [--journal file | --no-journal] [--resume run]

Audits the data files in a folder (without one: 73 real files), and writes report.html and report.json.

  --out <folder>    where the report goes (default: ${defaultOut})
  --journal <file>  where the run is recorded (default: ${defaultJournal})
  --no-journal      record nothing
  --resume <run>    go on with a run whose process has ended; folder and --out as they were`

/** Ends the process where the help was asked for, or would help. */
export function readArguments(): AuditArguments {
  const refuse = (problem: string): never => {
    console.error(`error: ${problem}\n${usage}`)
    process.exit(2)
  }
  try {
    const { values, positionals } = parseArgs({
      allowPositionals: true,
      options: {
        out: { type: 'string', default: defaultOut },
        journal: { type: 'string' },
        'no-journal': { type: 'boolean', default: false },
        resume: { type: 'string' },
        help: { type: 'boolean', short: 'h' },
      },
    })
    if (values.help === true) {
      console.log(usage)
      process.exit(0)
    }
    const [folder = realFolder, ...more] = positionals
    if (more.length > 0)
      return refuse(`one folder at a time; there is also ${more.map((name) => `"${name}"`).join(', ')}`)
    if (folder === '' || values.out === '') return refuse('the name of a folder is empty')
    const { out, journal, resume } = values
    if (values['no-journal'] && (journal !== undefined || resume !== undefined))
      return refuse('--no-journal goes with neither --journal nor --resume')
    return {
      folder,
      out,
      journal: values['no-journal'] ? undefined : (journal ?? defaultJournal),
      isJournalWanted: journal !== undefined || resume !== undefined,
      resume,
    }
  } catch (error) {
    return refuse(error instanceof Error ? error.message : String(error))
  }
}

/** The command that goes on with a run of an audit that was called like this. */
export function resumeCommand({ folder, out, journal }: AuditArguments, runId: string): string {
  const given = [
    ...(folder === realFolder ? [] : [folder]),
    ...(out === defaultOut ? [] : ['--out', out]),
    ...(journal === undefined || journal === defaultJournal ? [] : ['--journal', journal]),
    '--resume',
    runId,
  ]
  return `npm start -- ${given.map((word) => (/^[\w./:-]+$/.test(word) ? word : JSON.stringify(word))).join(' ')}`
}
