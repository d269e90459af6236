// What the coordinator decided at an event, short enough to be recorded with each: what went out, what was stopped or is to be
// found out, what people are asked and attempts are told, and what the planner was asked. Timers are left out: when they come due shows what follows.
import type { CoordinatorCommand } from '../machines/command.messages.ts'

/** `send a/1`, `stop a/1`, `check a/1`, `question a/1`, `tell a/1`, `ask plan-2`, `unask plan-2` */
export function decisionsOf(commands: readonly CoordinatorCommand[]): readonly string[] {
  const said: string[] = []
  for (const command of commands) {
    const decision = decisionOf(command)
    if (decision !== undefined) said.push(decision)
  }
  return said
}

function decisionOf(command: CoordinatorCommand): string | undefined {
  switch (command.type) {
    case 'step.execute':
      return `send ${command.stepId}/${String(command.attempt)}`
    case 'step.abort':
      return `stop ${command.stepId}/${String(command.attempt)}`
    case 'step.check':
      return `check ${command.stepId}/${String(command.attempt)}`
    case 'step.ask':
      return `question ${command.stepId}/${String(command.attempt)}`
    case 'step.tell':
      return `tell ${command.stepId}/${String(command.attempt)}`
    case 'plan.request':
      return `ask ${command.requestId}`
    case 'plan.cancel':
      return `unask ${command.requestId}`
    case 'step.checkAbort':
    case 'step.askAbort':
    case 'timer.set':
    case 'timer.clear':
      return undefined
  }
}
