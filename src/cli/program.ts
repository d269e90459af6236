// The `planloom` command: its subcommands, their options, and their help.
import { readFileSync } from 'node:fs'
import { Command, CommanderError, Option } from 'commander'
import { PlanloomError } from '../errors.ts'
import { addControlCommands } from './controlProgram.ts'
import { diff, type DiffOptions } from './commands/diff.ts'
import { fork, type ForkCommandOptions, type Moment } from './commands/fork.ts'
import { graph, type GraphOptions } from './commands/graph.ts'
import { plan, type PlanOptions } from './commands/plan.ts'
import { replay, type ReplayOptions } from './commands/replay.ts'
import { resume, type ResumeCommandOptions } from './commands/resume.ts'
import { resumeAll } from './commands/resumeAll.ts'
import { run, type RunOptions } from './commands/run.ts'
import { tools } from './commands/tools.ts'
import { validate, type ValidateOptions } from './commands/validate.ts'
import { drawingFormats } from './drawing.ts'
import { takeGiven } from './given.ts'
import { hideFixed } from './fixedOptions.ts'
import { exitCodeOfError, exitCodes } from './exitCodes.ts'
import { errorDocument, errorLines } from './findingLines.ts'
import { addJournalCommands, journalVariable, onJournal } from './journalProgram.ts'
import { createOutput, type Output, type Streams } from './output.ts'
import { atLeastOne, labelsOf, takeAnother, takeSetting, timeSpan, wholeNumber } from './settings.ts'
import { columnsOfTerminal } from './terminal.ts'
import { wrap } from './wrap.ts'

/** Carries out one call of the command.
 *
 * @param args what stands behind `planloom`.
 * @returns the exit code: 0 done, 1 failed, 2 usage, 3 invalid plan or goal, 75 left unfinished, 130 cancelled.
 */
export async function runCommand(args: readonly string[], streams: Streams): Promise<number> {
  const output = createOutput(streams, args.includes('--json'))
  let code: number = exitCodes.done
  const program = createProgram(output, (result) => {
    code = result
  })
  try {
    await program.parseAsync([...args], { from: 'user' })
    return code
  } catch (error) {
    if (error instanceof CommanderError) {
      // It has said itself what is wrong, or has shown the help that was asked for.
      if (error.exitCode === 0) return exitCodes.done
      output.document({ error: { code: 'USAGE', message: error.message.replace(/^error: /, '') } })
      return exitCodes.usage
    }
    output.note(errorLines(error, output.errorColours))
    output.document(errorDocument(error))
    return exitCodeOfError(error)
  }
}

function createProgram(output: Output, end: (code: number) => void): Command {
  const program = new Command('planloom')
    .description('Plans and carries out goals: explicit plans, live replanning, a record of every run.')
    .version(versionOfPackage(), '-V, --version', 'print the version')
    .helpOption('-h, --help', 'print this help')
    .helpCommand(false)
    .option('--json', 'print one JSON document on stdout, and all else on stderr')
    .showHelpAfterError('(planloom --help says how)')
    .exitOverride()
    .configureOutput({
      writeOut: (text) => output.streams.stdout.write(text),
      writeErr: (text) => output.streams.stderr.write(text),
      getOutHelpWidth: () => columnsOfTerminal(output.streams.stdout),
      getErrHelpWidth: () => columnsOfTerminal(output.streams.stderr),
      getOutHasColors: () => output.colours.isColorSupported,
      getErrHasColors: () => output.errorColours.isColorSupported,
    })
    .addHelpText('after', ({ error }) =>
      wrapped(programHelp, columnsOfTerminal(error ? output.streams.stderr : output.streams.stdout)),
    )

  const command = (usage: string, description: string, examples: readonly string[]): Command =>
    program
      .command(usage)
      .description(description)
      .option('--json', 'print one JSON document on stdout, and all else on stderr')
      .addHelpText('after', `\nExamples:\n${examples.map((example) => `  $ planloom ${example}`).join('\n')}`)

  runOptions(
    command('run <file>', 'carry out a goal or a plan; or a goal in words, with a model', [
      'run audit.ts',
      'run "Find what is wrong with cars.json" --tools data-audit --model gpt-5-mini',
      'run plan.yaml --tools ./tools.js --journal run.jsonl',
      'run audit.ts --fact folder=./data --json > result.json',
    ]).addOption(
      new Option(
        '-j, --journal <file>',
        'record the run as it goes on: in an SQLite file (.db) that may hold many, or as JSON Lines',
      ).env(journalVariable),
    ),
  )
    .option('--overwrite', 'with --journal: replace what stands in the file')
    .action(async (file: string, options: CommandLine<RunOptions>) => {
      end(await run(file, renamed(options), output))
    })

  hideFixed(
    'resume',
    runOptions(
      onJournal(
        command(
          'resume <file> [run]',
          'go on with a run whose process has ended; the file is the one it was begun with',
          [
            'resume audit.ts --journal runs.db',
            'resume audit.ts run-8k2v --journal runs.db --accept-changes',
            'resume audit.ts --all --label team=red',
          ],
        ),
      ),
    ),
  )
    .option('--accept-changes', 'go on although tools or planner are not those that the run had')
    .option('--all', 'every run of the journal that is not over, and that no other process has')
    .option('--label <name=value>', 'with --all: only runs with this label; may be repeated', takeSetting)
    .action(async (file: string, named: string | undefined, { all, label, ...options }: ResumeLine) => {
      const resuming = renamed(options)
      if (!all) return end(await resume(file, named, resuming, output))
      if (named !== undefined) throw new PlanloomError('USAGE', 'Either a run is named, or all are meant (--all).')
      end(await resumeAll(file, { ...resuming, ...(label && { labels: labelsOf(label) }) }, output))
    })

  hideFixed(
    'fork',
    runOptions(
      onJournal(
        command('fork <file> [run]', 'go on from a moment of a run, as a new run, with something changed', [
          'fork audit.ts run-8k2v --at 120 --report region=north',
          'fork audit.ts latest --at 12 --output list=@fewer-files.json',
          'fork audit.ts run-8k2v --at first-replan --patch patch.json',
        ]),
      ),
    ),
  )
    .requiredOption(
      '--at <event>',
      'the event after which it goes on (planloom events numbers them, and marks replannings with ↻), or "first-replan"',
      takeMoment,
    )
    .option(
      '--report <key=value>',
      'a fact that holds from then on, as JSON, text or @file; may be repeated',
      takeGiven,
    )
    .option('--withdraw <key>', 'a fact that is not known any more; may be repeated', takeAnother)
    .option('--output <step=value>', 'what a step gave that was running, or ended then; may be repeated', takeGiven)
    .option('--fail <step=reason>', 'how such a step failed; may be repeated', takeSetting)
    .option('--patch <file>', 'a patch of the plan, or the plan as it is to be')
    .option('--by <name>', 'who forks it, for the record')
    .action(async (file: string, named: string | undefined, options: CommandLine<ForkCommandOptions>) => {
      end(await fork(file, named, renamed(options), output))
    })

  workOptions(
    command('plan <file>', 'show the plan for a goal, without running it', [
      'plan audit.ts',
      'plan audit.ts --json > plan.json',
    ]),
  )
    .addOption(formatOption())
    .action(async (file: string, options: CommandLine<PlanOptions>) => {
      end(await plan(file, renamed(options), output))
    })

  command('validate <plan>', 'find everything that is wrong with a plan', [
    'validate plan.yaml --tools ./tools.js',
    'validate - < plan.json',
  ])
    .option('-t, --tools <module>', 'a module with tools, to check tools and inputs by; may be repeated', takeAnother)
    .action(async (file: string, options: ValidateOptions) => {
      end(await validate(file, options, output))
    })

  command('graph <plan>', 'draw a plan', [
    'graph plan.json --format mermaid',
    'plan audit.ts --json | planloom graph - --format dot | dot -Tsvg',
  ])
    .addOption(formatOption())
    .option('--fold', 'draw the children of a list as one with it')
    .action(async (file: string, options: GraphOptions) => {
      end(await graph(file, options, output))
    })

  onJournal(
    command('diff <a> <b>', 'show what turns one plan into another, or what differs in two runs or moments', [
      'diff before.json after.json',
      'diff run-8k2v@40 run-8k2v@120',
      'diff run-8k2v run-9m3w',
    ]),
  ).action(async (a: string, b: string, options: DiffOptions) => {
    end(await diff(a, b, options, output))
  })

  onJournal(
    command('replay <run>', 'tell a run again from its record, and whether it would be decided alike today', [
      'replay run-8k2v --journal runs.db',
      'replay run.jsonl --json --events',
    ]),
  )
    .option('--events', 'with --json: every transition as a line, before the document')
    .option('-q, --quiet', 'show the end only')
    .option('--unchecked', 'of a file that was cut or changed: take what can be read')
    .action(async (run: string, options: ReplayOptions) => {
      end(await replay(run, options, output))
    })

  command('tools [module...]', 'list tools, with what they need and give', ['tools ./tools.js'])
    .option('-t, --tools <module>', 'a module with tools; may be repeated', takeAnother)
    .action(async (modules: readonly string[], options: { readonly tools?: readonly string[] }) => {
      end(await tools([...modules, ...(options.tools ?? [])], output))
    })

  addControlCommands({ program, command, output, end })
  addJournalCommands({ program, command, output, end })

  program
    .command('help [command]')
    .description('print the help of a command')
    .action((name: string | undefined) => {
      const named = program.commands.find((found) => found.name() === name)
      if (name !== undefined && named === undefined) {
        throw new PlanloomError('USAGE', `There is no command "${name}".`, {
          hint: `There are ${program.commands.map((found) => found.name()).join(', ')}.`,
        })
      }
      ;(named ?? program).help()
    })

  return program
}

function wrapped(text: string, columns: number): string {
  return text
    .split('\n')
    .flatMap((line) => (line.startsWith('  $ ') ? [line] : wrap(line, columns))) // a command is copied whole
    .join('\n')
}

/** Options as commander names them; some commands call them by a name that says more. */
type CommandLine<O> = O & {
  readonly fact?: ReadonlyMap<string, unknown>
  readonly answer?: ReadonlyMap<string, unknown>
  readonly time?: number
}

type ResumeLine = CommandLine<ResumeCommandOptions> & {
  readonly all?: boolean
  readonly label?: ReadonlyMap<string, unknown>
}

function renamed<O>({ fact, answer, time, ...options }: CommandLine<O>): O {
  return {
    ...options,
    ...(fact && { facts: fact }),
    ...(answer && { answers: answer }),
    ...(time !== undefined && { timeMs: time }),
  } as O
}

function workOptions(command: Command): Command {
  return command
    .option('-t, --tools <module>', 'a module with tools, or a folder that holds one; may be repeated', takeAnother)
    .addOption(
      new Option(
        '-m, --model <name>',
        'the language model that plans goals in words and follows instructions, at OPENAI_BASE_URL, with OPENAI_API_KEY',
      ).env('PLANLOOM_MODEL'),
    )
    .option('--cassette <file>', 'play the answers of the model from a recording, with no network and no key')
    .option('--record', 'with --cassette: ask the model, and write the recording')
    .option('-f, --fact <name=value>', 'a fact that holds at the start, as JSON or text; may be repeated', takeSetting)
}

function runOptions(command: Command): Command {
  return workOptions(command)
    .option('-c, --concurrency <n>', 'steps out at once', atLeastOne)
    .option('--time <span>', 'longest time the run may take: 30s, 5min, 2h', timeSpan)
    .option('--replans <n>', 'how often the planner may amend the plan', wholeNumber)
    .option('--tokens <n>', 'most tokens that models may use in all', wholeNumber)
    .addOption(
      new Option('--approval <when>', 'when a plan waits for approval').choices(['none', 'required', 'effects']),
    )
    .addOption(
      new Option(
        '--uncertain <policy>',
        'when nobody can tell whether a step had its effect: ask the planner or a person, do it again, or fail',
      ).choices(['replan', 'ask', 'retry', 'fail']),
    )
    .addOption(
      new Option(
        '--people <where>',
        'where people answer and approve: at this terminal, or elsewhere with "planloom answer" and "approve"',
      ).choices(['terminal', 'journal']),
    )
    .option('-y, --yes', 'approve beforehand whatever wants approval')
    .option('-a, --answer <step=value>', 'the answer to a step that asks a person; may be repeated', takeSetting)
    .option('--reuse-plans', 'with --journal <file>.db: plan a goal only when no earlier run has')
    .option('--events', 'with --json: every transition as a line, before the document')
    .option('-q, --quiet', 'show no progress')
    .option('--seed <n>', 'seed of ids and jitter, for runs that can be repeated', wholeNumber)
}

function takeMoment(text: string): Moment {
  return text === 'first-replan' ? text : wholeNumber(text)
}

function formatOption(): Option {
  return new Option('--format <format>', 'how to draw').choices(drawingFormats).default('tree')
}

const programHelp = `
Files:
  A goal is a module that exports \`goal\` and \`tools\` (and may export planner, executors, limits, approval,
  and watch(runtime)),
  or a JSON or YAML file with \`text\`. A plan is a JSON or YAML file with \`steps\`, or a module that exports \`plan\`.
  TypeScript modules need Node 22.18 or later, or tsx.

Exit codes:
  0 done   1 failed   2 wrong usage   3 invalid plan or goal   130 cancelled
  75 left unfinished in its journal, at SIGTERM or SIGHUP: planloom resume goes on with it

Examples:
  $ planloom run audit.ts
  $ planloom plan audit.ts --json > plan.json
  $ planloom validate plan.json --tools ./tools.js
  $ planloom graph plan.json --format mermaid

Runs of other processes:
  Those in a journal (--journal, PLANLOOM_JOURNAL) are looked at with runs, show
  and events, and controlled with pause, continue, answer, approve, edit, cancel
  and others, whichever process has them.
  $ planloom run audit.ts --journal runs.db --people journal
  $ planloom answer latest confirm true --journal runs.db`

function versionOfPackage(): string {
  const manifest = readFileSync(new URL('../../package.json', import.meta.url), 'utf8')
  return (JSON.parse(manifest) as { readonly version: string }).version
}
