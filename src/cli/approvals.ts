// Approval at the terminal: plans and steps of a run and of its sub-runs that wait for it are put to a person, one after another.
import type { Patch, Plan } from '../plan/index.ts'
import { CommandRefusedError, type Question, type Run } from '../runtime/index.ts'
import type { Colours } from './colours.ts'
import { draw } from './drawing.ts'
import { printable } from './escape.ts'
import type { Questions } from './questions.ts'
import { amendmentLines, answerCommand, approveCommand } from './waitingLines.ts'

export interface ApprovalsOptions {
  readonly questions: Questions
  readonly colours: Colours
  /** Finds a sub-run by its id. */
  readonly findRun: (id: string) => Run | undefined
}

/** Watches a run and its sub-runs for what wants approval, until it is closed. */
export function createApprovals(run: Run, options: ApprovalsOptions): { close(): void } {
  const { questions, colours, findRun } = options
  const over = new AbortController()
  /** Steps and attempts that were put. */
  const asked = new Set<string>()
  const below: { close(): void }[] = []

  /** What came too late (the run has ended meanwhile) is dropped. */
  const put = (lines: readonly string[], command: string, answer: (because: string | undefined) => void): void => {
    if (over.signal.aborted) return
    void questions.approve(lines, command, over.signal).then(
      ({ isApproved, because }) => {
        if (!over.signal.aborted) inTime(() => answer(isApproved ? undefined : because))
      },
      () => undefined, // the question was withdrawn
    )
  }
  const by = 'terminal'
  /** The plan or amendment that was put last: another one is another object. */
  let latest: Plan | Patch | undefined
  const putPlan = (): void => {
    const { plan, proposed, state } = run
    const what = proposed ?? plan
    if (plan === undefined || what === undefined || what === latest || state !== 'approving') return
    latest = what
    const lines = proposed === undefined ? draw(plan, 'tree') : amendmentLines(proposed, plan, colours)
    const asks = `${colours.cyan('?')} the ${proposed === undefined ? 'plan' : 'amendment'} wants approval`
    put(['', ...lines, '', asks], approveCommand(run.id), (because) => {
      if ((run.proposed ?? run.plan) !== what) return // decided elsewhere: what waits now has not been looked at
      if (because === undefined) run.approve({ by })
      else run.reject(because, { by })
    })
  }
  const putStep = ({ stepId, text, input }: Question): void => {
    const key = `${stepId} ${run.step(stepId)?.attempt ?? 0}`
    if (asked.has(key)) return
    asked.add(key)
    const lines = [
      `${colours.cyan('?')} step ${colours.bold(stepId)} wants approval: ${printable(text)}`,
      `  ${printable(JSON.stringify(input))}`,
    ]
    const command = answerCommand(run.id, { kind: 'approval', stepId })
    put(lines, command, (because) => {
      if (because === undefined) run.approve({ stepId, by })
      else run.reject(because, { stepId, by })
    })
  }

  const subscription = run.transitions().subscribe(({ event, state, steps }) => {
    if (event.type === 'step.delegated') {
      const subRun = findRun(event.subRunId)
      if (subRun) below.push(createApprovals(subRun, options))
    }
    // Not within the transition: approving is a transition of its own, and who approves from elsewhere must find the run in its journal.
    if (state === 'approving') setImmediate(putPlan)
    if (steps.some(({ status }) => status === 'held')) {
      setImmediate(() => {
        for (const question of run.questions) if (question.kind === 'approval') putStep(question)
      })
    }
  })
  return {
    close() {
      over.abort()
      subscription.unsubscribe()
      for (const approvals of below) approvals.close()
    },
  }
}

/** Somebody else may have answered, or the run may be ending: then there is nothing left to say. */
function inTime(answer: () => void): void {
  try {
    answer()
  } catch (error) {
    if (!(error instanceof CommandRefusedError)) throw error
  }
}
