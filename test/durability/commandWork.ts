// What the command is killed over: a plan with a list, trouble and effects, whose lines go to the file that EFFECTS names.
import { setTimeout as wait } from 'node:timers/promises'
import { from, planOf } from '../support/plans.ts'
import { crashRuntimeOptions } from '../support/crashWork.ts'
import { outsideInFile } from '../support/outside.ts'

export const plan = planOf(
  [
    { id: 'list', tool: 'calc', input: { n: 2, waitMs: 20 } },
    { id: 'send', tool: 'mail', forEach: from('list', '/list'), input: { n: 1, waitMs: 60, a: { $item: '' } } },
    ...[3, 4, 5, 6].map((n) => ({
      id: `try${String(n)}`,
      tool: 'odd',
      after: n === 3 ? ['list'] : [`try${String(n - 1)}`],
      input: { n, waitMs: 30 },
    })),
    { id: 'write', tool: 'write', input: { n: 7, waitMs: 60, a: from('try6'), b: from('send') } },
    { id: 'end', tool: 'mail', input: { n: 8, waitMs: 40, a: from('write') } },
  ],
  { goal: { text: 'test', partial: 'allow' } },
)

const work = { plan, concurrency: 3, uncertain: 'replan' } as const
const options = crashRuntimeOptions(work, outsideInFile(process.env['EFFECTS'] ?? ''), (ms, signal) =>
  wait(ms, undefined, { signal }),
)
export const { planner, limits } = options
export const tools = options.tools ?? []
