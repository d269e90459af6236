// Draws the charts from the machines that run, as Mermaid state diagrams, into docs/chart.md.
//
// Run it after a change of a chart: `npm run docs:charts`. A test fails while the file is stale.
import { writeFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { coordinator } from '../src/machines/coordinator.machine.ts'
import { executor } from '../src/machines/executor.machine.ts'
import { planner } from '../src/machines/planner.machine.ts'
import { pool } from '../src/machines/pool.machine.ts'

interface Transition {
  readonly eventType: string
  readonly guard?: unknown
  readonly actions: readonly unknown[]
  readonly target?: readonly { readonly key: string }[] | undefined
}

interface State {
  readonly key: string
  readonly type: string
  readonly entry: readonly unknown[]
  readonly states: Readonly<Record<string, State>>
  readonly initial: { readonly target: readonly { readonly key: string }[] }
  readonly transitions: ReadonlyMap<string, readonly Transition[]>
  readonly always?: readonly Transition[]
}

interface Machine {
  readonly id: string
  readonly root: unknown
}

/** The text of docs/chart.md. */
export function chartsPage(): string {
  return [
    '# The charts',
    '',
    'Drawn from the machines themselves by `npm run docs:charts`; a test keeps the page true. In the drawings, `always` is a',
    'transition that is taken without an event, and `[guard]` its condition. Below each drawing stands what is done on which event.',
    '',
    ...section(
      'The coordinator',
      'Holds plan, ledger and facts; decides what goes out and when the planner is asked.',
      coordinator,
    ),
    ...section(
      'The planner',
      'Has a planner think, checks what comes, and has it think again where that is not sound.',
      planner,
    ),
    ...section(
      'The pool',
      'Supervises the executors of one role: `one_for_one`, `intensity` restarts within a period.',
      pool,
    ),
    ...section('The executor', 'Carries out one attempt at a time.', executor),
  ].join('\n')
}

function section(title: string, what: string, machine: Machine): string[] {
  const root = machine.root as State
  return [`## ${title}`, '', what, '', '```mermaid', ...drawing(root), '```', '', ...table(root), '']
}

function drawing(root: State): string[] {
  const lines = ['stateDiagram-v2', `  [*] --> ${root.initial.target[0]?.key ?? ''}`]
  const states = Object.values(root.states)
  for (const state of states) {
    const labels = new Map<string, string[]>()
    for (const transition of transitionsOf(state)) {
      const target = transition.target?.[0]?.key
      if (target === undefined || target === state.key) continue
      const label = `${nameOf(transition.eventType)}${guardOf(transition)}`
      labels.set(target, [...(labels.get(target) ?? []), label])
    }
    for (const [target, events] of labels)
      lines.push(`  ${state.key} --> ${target}: ${[...new Set(events)].join(', ')}`)
    if (state.type === 'final') lines.push(`  ${state.key} --> [*]`)
  }
  const everywhere = transitionsOf(root).flatMap((transition) => {
    const target = transition.target?.[0]?.key
    return target === undefined ? [] : [`  note right of ${target}: from any state on ${nameOf(transition.eventType)}`]
  })
  return [...lines, ...new Set(everywhere)]
}

function table(root: State): string[] {
  const rows = ['| state | on | if | does | goes to |', '|---|---|---|---|---|']
  for (const state of [root, ...Object.values(root.states)]) {
    const name = state === root ? '*any*' : state.key
    if (state.entry.length > 0) rows.push(`| ${name} | *entry* | | ${actionsOf(state.entry)} | |`)
    for (const transition of transitionsOf(state)) {
      const guard = guardOf(transition).replace(/^ \[|\]$/g, '')
      rows.push(
        `| ${name} | ${nameOf(transition.eventType)} | ${guard} | ${actionsOf(transition.actions)} | ${transition.target?.[0]?.key ?? ''} |`,
      )
    }
  }
  return rows
}

function transitionsOf(state: State): Transition[] {
  return [...[...state.transitions.values()].flat(), ...(state.always ?? [])]
}

function nameOf(eventType: string): string {
  return eventType === '' ? 'always' : eventType.replace('xstate.error.actor.*', 'child crashed')
}

function guardOf({ guard }: Transition): string {
  if (guard === undefined) return ''
  return ` [${typeof guard === 'string' ? guard : ((guard as { readonly type?: string }).type ?? '')}]`
}

function actionsOf(actions: readonly unknown[]): string {
  return actions
    .map((action) => (typeof action === 'string' ? action : ((action as { readonly type?: string }).type ?? '')))
    .join(', ')
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  writeFileSync(new URL('../docs/chart.md', import.meta.url), chartsPage())
}
