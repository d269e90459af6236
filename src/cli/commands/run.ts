// `planloom run`: carries out a goal or a plan, shows how it goes, and says how it ended.
import {
  createCachedPlanner,
  defaultPlanners,
  createRuntime,
  journalPlanStore,
  PlanloomError,
  sqliteJournal,
  type Journal,
  type Planner,
  type Run,
  type RunLimits,
  type RunRequest,
  type Runtime,
  type RuntimeOptions,
  type UncertainPolicy,
} from '../../runtime/index.ts'
import type { Plan } from '../../plan/index.ts'
import { checkAnswers, unusedAnswerLines } from '../answers.ts'
import { seeThrough } from '../company.ts'
import { checkWritable, journalInFile } from '../journalFile.ts'
import { isDatabase } from '../journals.ts'
import { resumeCommand, type GoOn } from '../left.ts'
import { loadWork, type Work, type WorkOptions } from '../loadWork.ts'
import { checkEvents, type Output } from '../output.ts'
import type { Progress } from '../progress/progress.ts'
import { showProgress } from '../progress/showProgress.ts'
import { createQuestions, type Questions } from '../questions.ts'

export interface RunOptions extends WorkOptions {
  /** Steps out at once. */
  readonly concurrency?: number
  readonly timeMs?: number
  readonly replans?: number
  /** Most tokens that models may use. */
  readonly tokens?: number
  readonly approval?: NonNullable<RuntimeOptions['approval']>
  /** What follows where nobody can tell whether a step had its effect. */
  readonly uncertain?: UncertainPolicy
  /** Approve beforehand whatever wants approval. */
  readonly yes?: boolean
  /** Where people are asked, and answer. */
  readonly people?: 'terminal' | 'journal'
  /** By step id. */
  readonly answers?: ReadonlyMap<string, unknown>
  /** File that the journal is written to, as the run goes on. */
  readonly journal?: string
  /** Plans are taken from earlier runs in that file, and left to later ones. */
  readonly reusePlans?: boolean
  /** The planner that a run which is gone on with had, by name: where it was one that reuses plans, so it is again. */
  readonly plannerBefore?: string
  /** Whatever stands in that file may go. */
  readonly overwrite?: boolean
  /** With `--json`: every transition as a line, before the document. */
  readonly events?: boolean
  readonly quiet?: boolean
  readonly seed?: number
}

export async function run(file: string, options: RunOptions, output: Output): Promise<number> {
  const { journal } = options
  if (journal !== undefined && !isDatabase(journal)) checkWritable(journal, { overwrite: options.overwrite })
  // What is given is checked before anything runs.
  return carryOut(file, options, output, (runtime, work) => ({ run: runtime.start(work.goal ?? (work.plan as Plan)) }))
}

/** A run that has begun, or is gone on with. */
export interface Begun {
  readonly run: Run
  /** What was asked of it before, and has come to its end since. */
  readonly requests?: readonly RunRequest[]
}

/** Carries out what a file holds.
 *
 * @param begin begins the run, or goes on with one.
 */
export async function carryOut(
  file: string,
  options: RunOptions,
  output: Output,
  begin: (runtime: Runtime, work: Work) => Begun | Promise<Begun>,
): Promise<number> {
  let progress: Progress | undefined
  const { runtime, work, questions } = await openWork(file, options, output, () => progress)
  try {
    const { run: begun, requests } = await begin(runtime, work)
    if (options.events && output.isJson) streamTransitions(begun, output)
    if (!options.quiet) progress = showProgress(begun, output)
    const { limits } = work
    const { journal } = options
    const findRun = (id: string): Run | undefined => runtime.runs.find((one) => one.id === id)
    const goOn = goOnWith(file, options)
    const graceMs = limits?.graceMs
    const code = await seeThrough(begun, {
      questions,
      findRun,
      output,
      progress,
      journal,
      graceMs,
      goOn,
      requests,
    })
    const ids = [...begun.ledger()].map(({ id }) => id)
    output.note(unusedAnswerLines(questions.unused(), ids).map((line) => output.errorColours.yellow(line)))
    return code
  } finally {
    progress?.close()
    await runtime.close()
  }
}

/** How the runs of a file are gone on with, where others find them. */
export function goOnWith(file: string, { journal, ...options }: RunOptions): GoOn | undefined {
  return journal !== undefined && isDatabase(journal) ? resumeCommand(file, { ...options, journal }) : undefined
}

/** Loads what a file holds, and opens a runtime for it, which is to be closed.
 *
 * @param progress what is on the screen, to make room for questions
 */
export async function openWork(
  file: string,
  options: RunOptions,
  output: Output,
  progress: () => Progress | undefined,
): Promise<{ readonly runtime: Runtime; readonly work: Work; readonly questions: Questions }> {
  checkEvents(options, output)
  checkPeople(options)
  const work = await loadWork(file, options)
  if (options.answers && work.planner === undefined) checkAnswers(options.answers.keys(), work.plan)
  const { journal } = options
  const questions = createQuestions({
    streams: output.streams,
    colours: output.errorColours,
    answers: options.answers ?? new Map(),
    isApproved: options.yes === true,
    people: options.people,
    takeScreen: (isTaken) => {
      if (isTaken) progress()?.suspend()
      else progress()?.resume()
    },
  })
  checkReuse(options)
  const opened =
    journal === undefined ? undefined : isDatabase(journal) ? sqliteJournal(journal) : journalInFile(journal)
  const runtime = createRuntime({
    ...runtimeOptions(work, options),
    ...(opened && { journal: opened }),
    ...(opened && work.goal && plannerFor(defaultPlanners(work).forGoal(work.goal), options, opened)),
    ask: questions.ask,
  })
  work.watch?.(runtime)
  return { runtime, work, questions }
}

/** @throws `USAGE` */
function checkReuse({ reusePlans, journal }: RunOptions): void {
  if (!reusePlans || (journal !== undefined && isDatabase(journal))) return
  throw new PlanloomError('USAGE', '--reuse-plans needs a journal that holds many runs.', {
    hint: 'Give --journal the name of an SQLite file, as in --journal runs.db.',
  })
}

function plannerFor(
  planner: Planner,
  { reusePlans = false, plannerBefore }: RunOptions,
  journal: Journal,
): { readonly planner?: Planner } {
  if (!reusePlans && plannerBefore === undefined) return {}
  const reusing = plannerThatReuses(planner, journal)
  return reusePlans || plannerBefore === reusing.name ? { planner: reusing } : {}
}

function plannerThatReuses(planner: Planner, journal: Journal): Planner {
  return createCachedPlanner(planner, {
    store: journalPlanStore(journal),
    onStoreError: (error) => {
      const why = error instanceof Error ? error.message : String(error)
      process.emitWarning(`A kept plan cannot be used, so the planner is asked: ${why}`, { code: 'REUSE_FAILED' })
    },
  })
}

function streamTransitions(run: Run, output: Output): void {
  run.transitions().subscribe((transition) => {
    output.document(transition)
  })
}

/** Limits that are set on the command line. */
export function limitsOf({ concurrency, timeMs, replans, tokens }: RunOptions): Partial<RunLimits> {
  return {
    ...(concurrency !== undefined && { concurrency }),
    ...(timeMs !== undefined && { timeMs }),
    ...(replans !== undefined && { replans }),
    ...(tokens !== undefined && { tokens }),
  }
}

function runtimeOptions(work: Work, options: RunOptions): RuntimeOptions {
  const { goal: _goal, plan: _plan, watch: _watch, ...chosen } = work
  return {
    ...chosen,
    limits: { ...work.limits, ...limitsOf(options) },
    ...(options.approval && { approval: options.approval }),
    ...(options.uncertain && { uncertain: options.uncertain }),
    ...(options.seed !== undefined && { seed: options.seed }),
  }
}

/** People who are not at this terminal find the run in a journal that they can write to. @throws `USAGE` */
function checkPeople({ people, journal }: RunOptions): void {
  if (people !== 'journal' || (journal !== undefined && isDatabase(journal))) return
  throw new PlanloomError('USAGE', 'Nobody could answer: --people journal needs a journal in a database.', {
    hint: 'Add --journal runs.db.',
  })
}
