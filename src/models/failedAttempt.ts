// An attempt at a model's server that brought no answer: what is known of it, and what it is told as.
import type { ModelUsage } from './model.ts'
import type { ModelError, ModelErrorCode } from './modelError.ts'
import type { ModelSettings } from './modelSettings.ts'
import type { AttemptTrouble, HeaderSource } from './server/attempt.ts'

export interface Circumstances {
  readonly settings: Pick<ModelSettings, 'place' | 'model' | 'api' | 'redact'>
  /** An answer with status 200 had begun. */
  readonly hasBegun: boolean
  /** Something of the answer itself had come. */
  readonly hasSaid: boolean
  /** Whether these words refuse the way in which it was asked. */
  readonly isRefusal: (said: string) => boolean
  /** The silence that ended it. */
  readonly silentMs: number | undefined
  readonly usage: ModelUsage
}

export interface FailedAttempt {
  readonly status: AttemptTrouble
  readonly error: ModelError
  readonly headers?: HeaderSource
}

/** Makes an error that holds no key. */
export type MakeError = (code: ModelErrorCode, message: string, hint?: string, httpStatus?: number) => ModelError
