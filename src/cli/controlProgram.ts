// The subcommands that control a run, whichever process has it, with their options and help.
import { Option, type Command } from 'commander'
import type { RunCommand, RunLimits } from '../runtime/index.ts'
import { control, type ControlOptions } from './commands/control.ts'
import { editOf } from './commands/edit.ts'
import { onJournal, type JournalProgramOptions } from './journalProgram.ts'
import { atLeastOne, timeSpan, wholeNumber } from './settings.ts'
import { amount, givenValue } from './given.ts'
import { PlanloomError } from '../errors.ts'

type Line<O> = ControlOptions & O
type Because = Line<{ readonly because?: string }>
type Step = Line<{ readonly step?: string }>

const runWords = '\nThe run is named by its id, the beginning of it, or "latest": the latest that is not over.'

export function addControlCommands({ command, output, end }: JournalProgramOptions): void {
  /** A command of a run; `take` says what is asked of it. */
  const controlling = (usage: string, description: string, ...examples: readonly string[]): Command =>
    controlOptions(command(usage, description, examples))
  const ask = async (run: string | undefined, asked: Parameters<typeof control>[1], options: ControlOptions) => {
    end(await control(run, asked, options, output))
  }

  controlling('pause [run]', 'send out nothing new; what is out finishes', 'pause', 'pause run-8k2v --by ann').action(
    (run: string | undefined, options: ControlOptions) => ask(run, { type: 'run.pause' }, options),
  )
  controlling(
    'continue [run]',
    'end a pause ("resume" is for a run whose process has ended)',
    'continue run-8k2v',
  ).action((run: string | undefined, options: ControlOptions) => ask(run, { type: 'run.resume' }, options))
  controlling('cancel [run]', 'stop everything, and end the run as cancelled', 'cancel run-8k2v --because "too late"')
    .option('--because <words>', 'why')
    .action((run: string | undefined, { because, ...options }: Because) =>
      ask(run, { type: 'run.cancel', ...whyOf(because) }, options),
    )
  controlling('retry <run> <step>', 'try a step once more that failed or is uncertain', 'retry latest fetch').action(
    (run: string, stepId: string, options: ControlOptions) => ask(run, { type: 'step.retry', stepId }, options),
  )
  controlling('skip <run> <step>', 'go on without a step', 'skip latest mail --because "sent by hand"')
    .option('--because <words>', 'why')
    .action((run: string, stepId: string, { because, ...options }: Because) =>
      ask(run, { type: 'step.skip', stepId, ...whyOf(because) }, options),
    )
  controlling(
    'answer <run> <step> <value>',
    'answer a step that asks a person, or say what came of one that is uncertain',
    'answer latest confirm true',
    'answer run-8k2v review @review.json',
  ).action((run: string, stepId: string, value: string, options: ControlOptions) =>
    ask(run, { type: 'step.answered', stepId, value: givenValue(value) }, options),
  )
  controlling(
    'approve [run]',
    'let the plan, an amendment or a step go on that waits for approval',
    'approve',
    'approve run-8k2v --step mail',
  )
    .option('--step <step>', 'a step, in place of the plan')
    .action((run: string | undefined, { step, ...options }: Step) =>
      ask(run, { type: 'run.approve', ...stepOf(step) }, options),
    )
  controlling(
    'reject <run> <because>',
    'refuse the plan, an amendment or a step that waits for approval',
    'reject latest "not on a Friday" --step mail',
  )
    .option('--step <step>', 'a step, in place of the plan')
    .action((run: string, because: string, { step, ...options }: Step) =>
      ask(run, { type: 'run.reject', because, ...stepOf(step) }, options),
    )
  controlling(
    'edit <run> <file>',
    'change the plan: by a patch, or by the plan as it is to be',
    'edit latest patch.yaml --because "one source less"',
    'show latest --json | jq .plan > plan.json   # then change it, and: planloom edit latest plan.json',
  )
    .option('--because <words>', 'why')
    .action((run: string, file: string, { because, ...options }: Because) =>
      ask(run, async (journal, runId) => ({ ...(await editOf(file, journal, runId)), ...whyOf(because) }), options),
    )
  controlling(
    'report <run> <fact> <value>',
    'tell a fact that has become known',
    'report latest weather fine',
    'report run-8k2v prices @prices.json',
  ).action((run: string, key: string, value: string, options: ControlOptions) =>
    ask(run, { type: 'fact.reported', key, value: givenValue(value) }, options),
  )
  limitOptions(controlling('extend [run]', 'set limits of a run anew', 'extend --time 2h --replans 20')).action(
    (run: string | undefined, { by, journal, wait, ...line }: Line<LimitLine>) =>
      ask(run, extension(line), { journal, wait, ...(by !== undefined && { by }) }),
  )
}

function controlOptions(command: Command): Command {
  return onJournal(command)
    .option('--by <name>', 'who asks, for the record (default: the user of this machine)')
    .addOption(
      new Option('--wait <time>', 'how long to wait for the process that has the run')
        .argParser(timeSpan)
        .default(5_000, '5s'),
    )
    .option('--no-wait', 'only ask')
    .addHelpText('after', runWords)
}

type LimitLine = Partial<Record<keyof typeof limitNames, number>> & { readonly json?: boolean }

/** Options, and the limits that they set. */
const limitNames = {
  time: 'timeMs',
  replans: 'replans',
  plannerCalls: 'plannerCalls',
  plannerTime: 'plannerMs',
  tokens: 'tokens',
  cost: 'cost',
  concurrency: 'concurrency',
  steps: 'steps',
  grace: 'graceMs',
  sameFailure: 'sameFailure',
  depth: 'depth',
} as const satisfies Readonly<Record<string, keyof RunLimits>>

function limitOptions(command: Command): Command {
  return command
    .option('--time <span>', 'longest time of the run, from its start: 30s, 5min, 2h', timeSpan)
    .option('--replans <n>', 'how often the planner may amend the plan', wholeNumber)
    .option('--planner-calls <n>', 'how often the planner may be asked', wholeNumber)
    .option('--planner-time <span>', 'longest time for one answer of the planner', timeSpan)
    .option('--tokens <n>', 'tokens in all', wholeNumber)
    .option('--cost <amount>', 'money in all', amount)
    .option('-c, --concurrency <n>', 'steps out at once', atLeastOne)
    .option('--steps <n>', 'steps in the plan', atLeastOne)
    .option('--grace <span>', 'from a cancel to the end of the run', timeSpan)
    .option('--same-failure <n>', 'how often a step may fail in the same way', atLeastOne)
    .option('--depth <n>', 'levels of sub-runs', wholeNumber)
}

function extension(line: LimitLine): RunCommand {
  const limits = Object.fromEntries(
    Object.entries(limitNames).flatMap(([option, name]) => {
      const value = line[option as keyof typeof limitNames]
      return value === undefined ? [] : [[name, value]]
    }),
  )
  if (Object.keys(limits).length > 0) return { type: 'budget.extend', limits }
  throw new PlanloomError('USAGE', 'No limit is named.', { hint: 'planloom extend --help lists them.' })
}

function whyOf(because: string | undefined): { readonly because?: string } {
  return because === undefined ? {} : { because }
}

function stepOf(stepId: string | undefined): { readonly stepId?: string } {
  return stepId === undefined ? {} : { stepId }
}
