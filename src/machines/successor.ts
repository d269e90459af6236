// Names of actors that take the place of dead ones: XState must never see the same id twice.

/** The name after this one, in the same place: `tool-3` → `tool-3.2` → `tool-3.3`. */
export function successorOf(actorId: string): string {
  const [, place = actorId, generation = '1'] = /^(.*?)(?:\.(\d+))?$/.exec(actorId) ?? []
  return `${place}.${String(Number(generation) + 1)}`
}
