// Options that only the beginning of a run can take: where a run is there already they are refused, with what does it instead.
import type { Command } from 'commander'
import { PlanloomError } from '../errors.ts'
import type { RunOptions } from './commands/run.ts'

interface Fixed {
  /** As the command line has them. */
  readonly flags: readonly string[]
  readonly isGiven: (options: RunOptions) => boolean
  readonly message: string
  readonly hint: string
}

const approval: Fixed = {
  flags: ['--approval'],
  isGiven: (options) => options.approval !== undefined,
  message: 'When plan and steps wait for approval was settled when the run began.',
  hint: '--yes approves beforehand whatever wants approval.',
}

const facts: Pick<Fixed, 'flags' | 'isGiven'> = { flags: ['--fact'], isGiven: (options) => options.facts !== undefined }

const fixed: Readonly<Record<'resume' | 'fork', readonly Fixed[]>> = {
  resume: [
    {
      ...facts,
      message: 'A run that is gone on with has begun with its facts.',
      hint: 'Tell it more with planloom report <run> <fact> <value>, before it is gone on with or afterwards.',
    },
    {
      flags: ['--concurrency', '--time', '--replans', '--tokens'],
      isGiven: ({ concurrency, timeMs, replans, tokens }) => (concurrency ?? timeMs ?? replans ?? tokens) !== undefined,
      message: 'A run that is gone on with has the limits that it had.',
      hint: 'Set them anew with planloom extend, as in planloom extend <run> --time 2h, before it is gone on with or afterwards.',
    },
    approval,
  ],
  fork: [
    {
      ...facts,
      message: 'A fork has begun with the facts of the run that it comes from.',
      hint: 'Give --report instead of --fact: what is reported holds from the fork on.',
    },
    approval,
  ],
}

/** @throws `USAGE` */
export function refuseFixed(what: keyof typeof fixed, options: RunOptions): void {
  const found = fixed[what].find(({ isGiven }) => isGiven(options))
  if (found !== undefined) throw new PlanloomError('USAGE', found.message, { hint: found.hint })
}

/** Leaves out of the help what would be refused. */
export function hideFixed(what: keyof typeof fixed, command: Command): Command {
  const hidden = new Set(fixed[what].flatMap(({ flags }) => flags))
  for (const option of command.options) if (hidden.has(option.long ?? '')) option.hideHelp()
  return command
}
