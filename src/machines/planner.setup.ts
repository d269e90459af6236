// What the planner's chart holds and hears, and the actor that asks the planner.
import { behaviourLogic } from './behaviour.ts'
import type { PlannerContext, PlannerInput } from './planner.context.ts'
import type { PlannerAsk, PlannerMessage, PlannerReply, PlannerStop } from './planner.messages.ts'
import { setup } from './xstate.ts'

export const plannerSetup = setup({
  types: {
    context: {} as PlannerContext,
    events: {} as PlannerMessage,
    input: {} as PlannerInput,
  },
  actors: { behaviour: behaviourLogic<PlannerAsk | PlannerStop, PlannerReply>() },
})
