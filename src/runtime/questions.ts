// What a run asks of people: answers to person steps and to what attempts of other steps ask, approvals, and what became of steps that are uncertain.
import type { CoordinatorContext } from '../machines/coordinator.context.ts'
import { roleOf } from '../machines/decisions/lanes.ts'
import { lookUp } from '../machines/decisions/advance.ts'
import { openQuestion } from '../machines/decisions/questionBook.ts'
import { doubtOf } from '../machines/decisions/uncertain.ts'
import { resolveReferences } from '../plan/references.ts'
import type { Question } from './run.ts'

/** Looks through the ledger only when somebody can be waited for at all. */
export function findQuestions(context: CoordinatorContext): Question[] {
  const { counts, entries, steps, run } = context
  if (context.verdict !== undefined) return []
  if (counts.held === 0 && counts.uncertain === 0 && (context.out.get('person') ?? 0) === 0) return []
  const questions: Question[] = []
  for (const [stepId, entry] of entries) {
    const step = steps.get(stepId)
    if (step === undefined) continue
    const text = step.instruction ?? step.title ?? step.tool ?? stepId
    const input = step.input ?? {}
    const asked = openQuestion(context, stepId)
    if (entry.status === 'running' && asked !== undefined)
      questions.push({ stepId, kind: 'answer', question: asked.number, text: asked.text, input })
    else if (entry.status === 'running' && roleOf(run, step) === 'person')
      questions.push({ stepId, kind: 'answer', text, input })
    else if (entry.status === 'held' && !entry.heldBy?.length && step.approval === 'required') {
      questions.push({ stepId, kind: 'approval', text, input })
    } else if (entry.status === 'uncertain' && entry.undecided) {
      const resolved = resolveReferences(step.input ?? {}, (reference) => lookUp(context, reference))
      const sent = 'value' in resolved ? resolved.value : input
      questions.push({ stepId, kind: 'uncertain', text: doubtOf(stepId, entry), input: sent })
    }
  }
  return questions
}
