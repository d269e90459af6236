// What a pool holds and hears, and the actors that it supervises.
import { executor } from './executor.machine.ts'
import type { PoolContext, PoolInput } from './pool.context.ts'
import type { PoolMessage } from './pool.messages.ts'
import { setup } from './xstate.ts'

export const poolSetup = setup({
  types: {
    context: {} as PoolContext,
    events: {} as PoolMessage,
    input: {} as PoolInput,
  },
  actors: { executor },
})
