// The subcommands about journals in SQLite files, with their options and help.
import { Option, type Command } from 'commander'
import { events, type EventsOptions } from './commands/events.ts'
import { repair, verify } from './commands/journal.ts'
import { prune, type PruneRunsOptions } from './commands/prune.ts'
import { runs, type RunsOptions } from './commands/runs.ts'
import { show, type ShowOptions } from './commands/show.ts'
import { exportRun, importRun, type ExportOptions, type ImportCommandOptions } from './commands/transfer.ts'
import { defaultJournal } from './journals.ts'
import type { Output } from './output.ts'
import { labelsOf, takeAnother, takeSetting, timeSpan, wholeNumber } from './settings.ts'

export interface JournalProgramOptions {
  readonly program: Command
  readonly command: (usage: string, description: string, examples: readonly string[]) => Command
  readonly output: Output
  readonly end: (code: number) => void
}

export function addJournalCommands({ program, command, output, end }: JournalProgramOptions): void {
  onJournal(
    command('runs', 'list the runs of a journal, newest first', ['runs', 'runs --state failed --within 24h --json']),
  )
    .option('--state <state>', 'only runs in this state; may be repeated', takeAnother)
    .option('--goal <text>', 'only runs whose goal has this text in it')
    .option('--label <name=value>', 'only runs with this label; may be repeated', takeSetting)
    .option('--within <time>', 'only runs that were started so lately: 30s, 5min, 24h', timeSpan)
    .option('-n, --limit <count>', 'at most so many', wholeNumber)
    .action(async ({ label, within, ...options }: RunsOptions & RunsLine) => {
      end(
        await runs(
          { ...options, ...(label && { labels: labelsOf(label) }), ...(within !== undefined && { withinMs: within }) },
          output,
        ),
      )
    })

  onJournal(command('show [run]', 'show a run, as it is or as it was', ['show', 'show run-8k2v --at 120']))
    .option('--at <event>', 'as it was after this event', wholeNumber)
    .action(async (run: string | undefined, options: ShowOptions) => {
      end(await show(run, options, output))
    })

  onJournal(
    command('events [run]', 'list what happened in a run', ['events --follow', 'events run-8k2v --from 100 --json']),
  )
    .option('--from <event>', 'from this event on', wholeNumber)
    .option('-f, --follow', 'go on until the run is over, in whatever process it is')
    .action(async (run: string | undefined, options: EventsOptions) => {
      end(await events(run, options, output))
    })

  onJournal(command('export [run]', 'write a run to a file of its own', ['export run-8k2v --out run.jsonl']))
    .option('-o, --out <file>', 'the file; without it, stdout')
    .option('--overwrite', 'replace what stands in the file')
    .action(async (run: string | undefined, options: ExportOptions) => {
      end(await exportRun(run, options, output))
    })

  onJournal(command('import <file>', 'take an exported run into a journal', ['import run.jsonl --journal runs.db']))
    .option('--unchecked', 'take what can be read of a file that was cut or changed')
    .action(async (file: string, options: ImportCommandOptions) => {
      end(await importRun(file, options, output))
    })

  onJournal(
    command('prune', 'remove old runs that are over, and what is kept for other runs and is too old', [
      'prune --older-than 720h',
      'prune --older-than 720h --dry-run',
      'prune --reuse',
    ]),
  )
    .option('--older-than <time>', 'runs in which nothing has happened for so long: 30min, 720h', timeSpan)
    .option('--unfinished', 'those that are not over as well')
    .option('--reuse', 'everything that is kept for other runs, old or not')
    .option('--dry-run', 'tell what would be removed, and remove nothing')
    .action(async ({ olderThan, ...options }: PruneRunsOptions & { readonly olderThan?: number }) => {
      end(await prune({ ...options, ...(olderThan !== undefined && { olderThanMs: olderThan }) }, output))
    })

  const journal = program.command('journal').description('look a journal file through, and save what is intact')
  journal
    .command('verify [file]')
    .description('find what is damaged')
    .option('--json', 'print one JSON document on stdout, and all else on stderr')
    .action((file: string = process.env[journalVariable] ?? defaultJournal) => {
      end(verify(file, output))
    })
  journal
    .command('repair <file>')
    .description('write what is intact into a new file; the damaged one stays as it is')
    .requiredOption('-o, --out <file>', 'the new file')
    .option('--json', 'print one JSON document on stdout, and all else on stderr')
    .action(async (file: string, options: { readonly out: string }) => {
      end(await repair(file, options, output))
    })
}

interface RunsLine {
  readonly label?: ReadonlyMap<string, unknown>
  readonly within?: number
}

/** Names a journal once for all commands. */
export const journalVariable = 'PLANLOOM_JOURNAL'

export function onJournal(command: Command): Command {
  return command.addOption(
    new Option('-j, --journal <file>', 'the journal').default(defaultJournal).env(journalVariable),
  )
}
