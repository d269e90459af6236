// Which commands can be taken as things stand. Asked twice: at the door, so that whoever gives a command is told at once,
// and in the chart again, since things may have changed before the command's turn came.
//
// F1. A command that is refused changes nothing but `refused`, which the transition tells.
// F2. What asks for what is so already (pause, resume, cancel) is harmless, and not refused.
// F3. Of a run that nobody has nothing is out, whatever its record says: a step that was out can be retried, and one of which
//     nobody can tell whether it had its effect can be answered, as if it were uncertain already.
// F4. While the run is being stopped, all but `cancel` is refused: the verdict stands.
import type { CoordinatorContext } from '../coordinator.context.ts'
import type { Command as CommandMessage, Draft } from '../coordinator.messages.ts'
import type { Step } from '../../plan/schema.ts'
import { mayHaveHadEffect } from './effects.ts'
import { roleOf } from './lanes.ts'
import { isSettled, type Entry } from './ledger.ts'
import { isWaitingForPerson, openQuestion } from './questionBook.ts'

/** A command, whether or not the host has given it its id and time yet. */
export type Command = Draft<CommandMessage>

/** Why a command is refused: the run is about to end; nothing (of this name) waits for approval; the plan is not there yet;
 * the step is not in the plan (any more); it has been given up; or how far it has come does not allow for it. */
export type RefusalReason =
  'run_stopping' | 'nothing_to_approve' | 'plan_not_there' | 'step_unknown' | 'step_abandoned' | 'step_status'

export type StepCommandName = 'approve' | 'reject' | 'retry' | 'skip' | 'answer'

interface Why {
  readonly reason: RefusalReason
  /** In words. */
  readonly message: string
}

export interface Refusal extends Why {
  /** What could be done instead: to the step, where the command is about one, else to the run. */
  readonly possible: readonly string[]
}

/** Why a command cannot be taken as things stand; `undefined` when it can. Costs the same for any plan. */
export function findRefusal(context: CoordinatorContext, command: Command): Refusal | undefined {
  const why = whyNot(context, command)
  if (why === undefined) return undefined
  const stepId = 'stepId' in command ? command.stepId : undefined
  const isAlone = isUnattended(command)
  return {
    ...why,
    possible: stepId === undefined ? possibleForRun(context) : possibleForStep(context, stepId, isAlone),
  }
}

/** Whether a message was taken in while no process had the run. */
export function isUnattended(message: object): boolean {
  return 'unattended' in message && message.unattended === true
}

function whyNot(context: CoordinatorContext, command: Command): Why | undefined {
  if (command.type === 'run.cancel') return undefined // F2
  if (context.verdict) return { reason: 'run_stopping', message: `The run is about to end: ${context.verdict.message}` } // F4
  const isAlone = isUnattended(command)
  switch (command.type) {
    case 'run.approve':
      return command.stepId === undefined
        ? whyNoApproval(context)
        : whyNotStep(context, 'approve', command.stepId, isAlone)
    case 'run.reject':
      return command.stepId === undefined
        ? whyNoApproval(context)
        : whyNotStep(context, 'reject', command.stepId, isAlone)
    case 'run.edit':
      return context.plan !== undefined && context.planIsWhole
        ? undefined
        : { reason: 'plan_not_there', message: 'There is no plan to edit yet: the planner has not finished it.' }
    case 'step.retry':
      return whyNotStep(context, 'retry', command.stepId, isAlone)
    case 'step.skip':
      return whyNotStep(context, 'skip', command.stepId, isAlone)
    case 'step.answered':
      return whyNotStep(context, 'answer', command.stepId, isAlone) ?? whyNotThisQuestion(context, command)
    case 'run.pause':
    case 'run.resume':
    case 'fact.reported':
    case 'budget.extend':
      return undefined
  }
}

function whyNoApproval({ proposed, planIsWhole, planIsApproved }: CoordinatorContext): Why | undefined {
  if (proposed !== undefined || (planIsWhole && !planIsApproved)) return undefined
  return { reason: 'nothing_to_approve', message: 'Neither the plan nor an amendment waits for approval.' }
}

function whyNotStep(context: CoordinatorContext, name: StepCommandName, id: string, isAlone: boolean): Why | undefined {
  const entry = context.entries.get(id)
  const step = context.steps.get(id)
  if (entry === undefined) return { reason: 'step_unknown', message: `There is no step "${id}" in the plan.` }
  if (step === undefined) return { reason: 'step_unknown', message: `Step "${id}" is not in the plan any more.` }
  if (step.abandoned !== undefined)
    return { reason: 'step_abandoned', message: `Step "${id}" has been given up: ${step.abandoned}` }
  return byName[name](context, step, entry, isAlone)
}

/** @param isAlone no process has the run */
type StepCheck = (context: CoordinatorContext, step: Step, entry: Entry, isAlone: boolean) => Why | undefined

const byName: Readonly<Record<StepCommandName, StepCheck>> = {
  approve: whyStepNeedsNoApproval,
  reject: whyStepNeedsNoApproval,
  retry: whyNotRetried,
  skip: whyNotSkipped,
  answer: whyNotAnswered,
}

/** Approval may come before the step's turn has. */
function whyStepNeedsNoApproval(_context: CoordinatorContext, step: Step, entry: Entry): Why | undefined {
  const { id } = step
  const why = (message: string): Why => ({ reason: 'nothing_to_approve', message })
  if (step.approval !== 'required') return why(`Step "${id}" needs no approval.`)
  if (step.forEach) return why(`Step "${id}" is carried out by its children, and each of them waits for approval.`)
  if (entry.approved) return why(`Step "${id}" has been approved already.`)
  if (isSettled(entry.status)) return why(`Step "${id}" does not wait for approval: it is ${entry.status}.`)
  return undefined
}

function whyNotRetried(
  _context: CoordinatorContext,
  { id }: Step,
  { status, causedBy }: Entry,
  isAlone: boolean,
): Why | undefined {
  if (isAlone && status === 'running') return undefined // F3
  if (status === 'failed' || status === 'uncertain' || status === 'backing_off') return undefined
  if (status !== 'skipped') return whyStatus(id, 'retried', status)
  if (causedBy === id) return undefined
  const because = causedBy === undefined ? 'its condition does not hold' : `of step "${causedBy}": retry that one`
  return { reason: 'step_status', message: `Step "${id}" cannot be retried: it was skipped because ${because}.` }
}

function whyNotSkipped(_context: CoordinatorContext, { id }: Step, { status, undecided }: Entry): Why | undefined {
  if (!isSettled(status) || ((status === 'failed' || status === 'uncertain') && undecided)) return undefined
  return whyStatus(id, 'skipped', status)
}

function whyNotAnswered(context: CoordinatorContext, step: Step, { status }: Entry, isAlone: boolean): Why | undefined {
  const { run } = context
  if (status === 'uncertain') return undefined
  if (status === 'running' && openQuestion(context, step.id) !== undefined) return undefined
  if (status === 'running' && isWaitingForPerson(context, step.id))
    return { reason: 'step_status', message: `The question of step "${step.id}" has been answered already.` }
  if (isAlone && status === 'running' && mayHaveHadEffect(run, step)) return undefined // F3
  if (status !== 'running') return whyStatus(step.id, 'answered', status)
  const role = roleOf(run, step)
  if (role === 'person') return undefined
  const message = `Step "${step.id}" waits for no person: it is carried out by an executor of role "${role}".`
  return { reason: 'step_status', message }
}

/** Who answers a question answers no other that has come up since. */
function whyNotThisQuestion(context: CoordinatorContext, command: Command): Why | undefined {
  if (command.type !== 'step.answered' || command.question === undefined) return undefined
  const { stepId, question } = command
  if (openQuestion(context, stepId)?.number === question) return undefined
  return { reason: 'step_status', message: `Question ${String(question)} of step "${stepId}" is not open any more.` }
}

function whyStatus(id: string, done: string, status: string): Why {
  return { reason: 'step_status', message: `Step "${id}" cannot be ${done}: it is ${status}.` }
}

function possibleForStep(context: CoordinatorContext, id: string, isAlone: boolean): readonly string[] {
  if (context.verdict) return ['cancel']
  const names = Object.keys(byName) as StepCommandName[]
  return names.filter((name) => whyNotStep(context, name, id, isAlone) === undefined)
}

function possibleForRun(context: CoordinatorContext): readonly string[] {
  if (context.verdict) return ['cancel']
  const approval = whyNoApproval(context) === undefined ? ['approve', 'reject'] : []
  return [...approval, ...(context.planIsWhole ? ['edit'] : []), 'pause', 'resume', 'report', 'extend', 'cancel']
}
