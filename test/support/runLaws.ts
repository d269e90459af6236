// What always holds of a run, looked for in its transitions, revisions and journal alone: the laws by their numbers.
import { isDeepStrictEqual } from 'node:util'
import { applyPatch, canonicalJson, dependenciesOf, type Patch, type Plan, type Step } from '../../src/plan/index.ts'
import { canDoWithout } from '../../src/plan/graph.ts'
import {
  replayJournal,
  type FactReport,
  type JournalEvent,
  type Run,
  type StepReport,
  type Transition,
} from '../../src/index.ts'
import { graceMs, mostReplans, type Played } from './scenarioRun.ts'

const finals = ['succeeded', 'failed', 'skipped', 'abandoned', 'cancelled', 'uncertain']

/** Everything that is not as it must be. */
export async function breachesOf(played: Played): Promise<readonly string[]> {
  return [...played.wrong, ...alongTheWay(played), ...atTheEnd(played), ...(await onceMore(played))]
}

function alongTheWay({ run, transitions, attempts, lives }: Played): string[] {
  const wrong: string[] = []
  const now = new Map<string, StepReport>()
  const content = new Map<string, string>()
  let concurrency = 0
  let cancelledAt: number | undefined
  let lastRevision = 0
  for (const transition of transitions) {
    const { event, steps, state, facts, refused, revision } = transition
    const at = (law: string): string => `${law}, at ${transition.n} (${event.type})`
    const plan = planAt(run.revisions, revision)
    const byId = new Map(plan?.steps.map((step) => [step.id, step]))
    if (event.type === 'run.started') ({ concurrency } = event.settings.limits)
    if (event.type === 'budget.extend' && refused === undefined) concurrency = event.limits.concurrency ?? concurrency
    if (refused !== undefined && !event.type.startsWith('plan.') && (steps.length > 0 || facts.length > 0 || revision !== lastRevision))
      wrong.push(at(`a refused command changed something`))
    lastRevision = revision
    if ('attempt' in event) {
      const was = now.get(event.stepId)
      const awaited = event.type === 'step.checked' ? 'uncertain' : 'running'
      const isLive = was?.status === awaited && was.attempt === event.attempt
      if (!isLive && (steps.length > 0 || facts.length > 0)) wrong.push(at(`2: a late outcome of "${event.stepId}" counted`))
    }
    const done = new Set(steps.flatMap(({ id }) => (now.get(id)?.status === 'succeeded' ? [id] : [])))
    for (const { id, ...report } of steps) {
      const was = now.get(id)
      const isNew = report.attempt > (was?.attempt ?? 0)
      if (was?.status === 'succeeded' && report.status !== 'succeeded') wrong.push(at(`3: "${id}" is ${report.status} after its success`))
      if (was?.status === 'succeeded' && isNew) wrong.push(at(`3: "${id}" was executed again`))
      if (report.attempt > (was?.attempt ?? 0) + 1) wrong.push(at(`2: "${id}" had two attempts at once`))
      if (report.status === 'running' && !isNew) wrong.push(at(`2: "${id}" runs without a new attempt`))
      if (isNew && cancelledAt !== undefined) wrong.push(at(`8: "${id}" went out after the cancel`))
      now.set(id, report)
    }
    for (const { id, status, attempt } of steps) {
      const step = byId.get(id)
      const gathers = status === 'succeeded' && step?.expanded !== undefined && !done.has(id)
      const goes = status === 'running' || status === 'ready' || gathers
      if (goes && step) wrong.push(...unmet(step, byId, now).map((what) => at(`1: "${id}" attempt ${attempt} went out ${what}`)))
    }
    if (plan !== undefined) {
      const running = [...now].filter(([id, { status }]) => status === 'running' && byId.get(id)?.tool !== undefined)
      const narrow = running.filter(([id]) => byId.get(id)?.tool === 'narrow').length
      if (running.length > concurrency) wrong.push(at(`9: ${running.length} steps are out, and ${concurrency} may be`))
      if (narrow > 1) wrong.push(at(`9: ${narrow} uses of a tool that takes one`))
      const waits = [...now].find(([id, { status }]) => status === 'ready' && (byId.get(id)?.tool !== 'narrow' || narrow === 0))
      if ((state === 'awaiting' || state === 'replanning') && waits && running.length < concurrency)
        wrong.push(at(`7: "${waits[0]}" could go and is held up`))
      for (const step of plan.steps) {
        if (now.get(step.id)?.status !== 'succeeded') continue
        const known = content.get(step.id)
        const is = canonicalJson({ ...step, abandoned: null })
        if (known !== undefined && known !== is) wrong.push(at(`3: "${step.id}" was changed after its success`))
        content.set(step.id, is)
      }
    }
    if (event.type === 'run.cancel' && cancelledAt === undefined) cancelledAt = event.at
  }
  const end = transitions.at(-1)?.at ?? 0
  if (cancelledAt !== undefined && end > cancelledAt + graceMs) wrong.push(`8: it ended ${end - cancelledAt} ms after the cancel`)
  const begun = new Set<string>()
  for (const { stepId, attempt, signal, life } of attempts) {
    if (begun.has(`${stepId} ${attempt}`)) wrong.push(`2: attempt ${attempt} of "${stepId}" was begun twice`)
    begun.add(`${stepId} ${attempt}`)
    if (life < lives) continue // it went with its process
    const report = now.get(stepId)
    const wasHeard = transitions.some(({ event }) => 'attempt' in event && event.stepId === stepId && event.attempt === attempt)
    if (!wasHeard && !signal.aborted) wrong.push(`8: "${stepId}" (${report?.status}) was left running, and its signal did not fire`)
  }
  return wrong
} // prettier-ignore

/** What a step that goes out still lacks. */
function unmet(step: Step, byId: ReadonlyMap<string, Step>, now: ReadonlyMap<string, StepReport>): string[] {
  return dependenciesOf(step).flatMap((id) => {
    const status = now.get(id)?.status ?? 'unknown'
    if (status === 'succeeded' && byId.get(id)?.abandoned === undefined) return []
    return canDoWithout(step, id) && finals.includes(status) ? [] : [`while "${id}" was ${status}`]
  })
}

function atTheEnd({ run, transitions }: Played): string[] {
  const wrong: string[] = []
  const ledger = new Map([...run.ledger()].map((step) => [step.id, step]))
  for (const { id, status } of ledger.values()) if (!finals.includes(status)) wrong.push(`4: "${id}" is ${status} at the end`)
  run.revisions.forEach((revision, index) => {
    for (const { id } of revision.steps) if (!ledger.has(id)) wrong.push(`4: "${id}" has no end`)
    const next = run.revisions[index + 1]
    if (next !== undefined && next.revision !== revision.revision + 1) wrong.push(`5: revision ${next.revision} after ${revision.revision}`)
  })
  if ((run.outcome?.usage.replans ?? 0) > mostReplans) wrong.push(`6: ${run.outcome?.usage.replans} replannings`)
  const fold = foldFacts(transitions, run)
  const held = new Map([...run.facts()].map(({ key, value, by }) => [key, { value, by }]))
  if (!isDeepStrictEqual(new Map([...fold].sort()), new Map([...held].sort())))
    wrong.push(`10: the facts are ${JSON.stringify([...held])}, and the outcomes gave ${JSON.stringify([...fold])}`)
  return wrong
} // prettier-ignore

/** Facts of the outcomes by which steps came to their success, in that order, without those of steps that were given up. */
function foldFacts(transitions: readonly Transition[], run: Run): Map<string, Pick<FactReport, 'value' | 'by'>> {
  const given: Pick<FactReport, 'key' | 'value' | 'by'>[] = []
  const surprises = new Map<string, readonly Pick<FactReport, 'key' | 'value'>[]>()
  const gone = new Set(run.plan?.steps.flatMap(({ id, abandoned }) => (abandoned === undefined ? [] : [id])))
  const succeeded = new Set<string>()
  let known = 1
  for (const { event, steps, refused, revision } of transitions) {
    // A step that is given anew may succeed in the same transition, as one over an empty list does: it owes nothing to the former one.
    for (; known < revision; known++) for (const id of givenAnew(patchesOf(run)[known - 1])) surprises.delete(id)
    if (event.type === 'fact.reported' && refused === undefined) given.push({ key: event.key, value: event.value, by: 'report:api' })
    if (event.type === 'step.surprised') surprises.set(event.stepId, event.facts)
    const found = event.type === 'step.checked' && 'facts' in event.finding ? event.finding : undefined
    if (event.type === 'step.checked' && found?.surprise) surprises.set(event.stepId, found.facts)
    for (const { id, status } of steps) {
      if (status !== 'failed' && status !== 'succeeded') surprises.delete(id) // it begins anew, or is done without
      if (status !== 'succeeded' || succeeded.has(id)) continue
      succeeded.add(id)
      const isOwn = 'stepId' in event && event.stepId === id && (event.type === 'step.succeeded' || event.type === 'step.answered')
      const isFound = found && !found.surprise && event.type === 'step.checked' && event.stepId === id
      const facts = isFound ? found.facts : isOwn ? (event.facts ?? []) : (surprises.get(id) ?? [])
      for (const { key, value } of facts) given.push({ key, value, by: id })
    }
  }
  const fold = new Map<string, Pick<FactReport, 'value' | 'by'>>()
  for (const { key, value, by } of given) if (!gone.has(by)) fold.set(key, { value, by })
  return fold
} // prettier-ignore

/** 5: the journal alone gives all of it again. */
async function onceMore({ run, journal }: Played): Promise<string[]> {
  const wrong: string[] = []
  const events: JournalEvent[] = []
  for await (const event of journal.read(run.id)) events.push(event)
  const again = replayJournal(events)
  const compare = (what: string, a: unknown, b: unknown): void => {
    if (JSON.stringify(a) !== JSON.stringify(b)) wrong.push(`5: replayed, the ${what} differs`)
  }
  compare('plan', again.plan, run.plan)
  compare('list of revisions', again.revisions, run.revisions)
  compare('ledger', [...again.ledger()], [...run.ledger()])
  compare('facts', [...again.facts()], [...run.facts()])
  compare('outcome', again.outcome, run.outcome)
  patchesOf(run).forEach((patch, index) => {
    const before = run.revisions[index]
    if (before) compare(`revision ${index + 2}, by its patch,`, applyPatch(before, patch), run.revisions[index + 1])
  })
  return wrong
}

function patchesOf(run: Run): readonly Patch[] {
  return (run as unknown as { readonly patches: readonly Patch[] }).patches
}

function givenAnew(patch: Patch | undefined): readonly string[] {
  return (patch?.operations ?? []).flatMap((operation) =>
    operation.op === 'replace' ? [operation.id] : operation.op === 'insert' ? [operation.step.id] : [],
  )
}

function planAt(revisions: readonly Plan[], revision: number): Plan | undefined {
  return revisions.find((plan) => plan.revision === revision)
}
