// What attempts of a step have asked people, and what came of it: kept for as long as the step stays what it is, so that no attempt
// asks what one before it was told.
import type { Map as PersistentMap } from 'immutable'
import type { AskedBefore } from '../command.messages.ts'
import type { Entry } from './ledger.ts'

export interface StepQuestions {
  /** Of the step's content: what another content asked is not told. */
  readonly generation: number
  /** How many were asked: each has its number, from 1. */
  readonly count: number
  readonly ended: readonly AskedBefore[]
  readonly open: { readonly number: number; readonly text: string } | undefined
  /** Why it counts as waiting for a person. `attempt`: an attempt waits for the answer. `nobody`: the one that asked is gone, and
   * another one goes out with the answer. `place`: an attempt has its answer, and waits for a place among those that are out. */
  readonly waits: 'attempt' | 'nobody' | 'place' | undefined
}

interface Questions {
  readonly questions: PersistentMap<string, StepQuestions>
}

/** The question of a step that waits for an answer. */
export function openQuestion({ questions }: Questions, id: string): StepQuestions['open'] {
  return questions.size === 0 ? undefined : questions.get(id)?.open
}

/** Whether a step that is out counts as waiting for a person, and takes no place among those that are carried out. */
export function isWaitingForPerson({ questions }: Questions, id: string): boolean {
  return questions.size > 0 && questions.get(id)?.waits !== undefined
}

/** What an attempt of this content need not ask any more. */
export function endedQuestions({ questions }: Questions, id: string, { generation }: Entry): readonly AskedBefore[] {
  const known = questions.size === 0 ? undefined : questions.get(id)
  return known?.generation === generation ? known.ended : none
}

const none: readonly AskedBefore[] = []
