import { describe, expect, it } from 'vitest'
import { createPersonBehaviour, type PersonBehaviourOptions } from '../../src/actors/personActor.ts'
import type { Ask, PersonQuestion } from '../../src/actors/executors/personExecutor.ts'
import { behaviourLogic } from '../../src/machines/behaviour.ts'
import type { StepAbort, StepExecute } from '../../src/machines/command.messages.ts'
import { createActor } from '../../src/machines/xstate.ts'
import { readAnswer } from '../../src/tools/readAnswer.ts'
import { abort, raise } from '../machines/attempts.ts'
import { createProbe, settle } from '../machines/probe.ts'

function start(options: Partial<PersonBehaviourOptions> = {}) {
  const probe = createProbe()
  const stopRun = new AbortController()
  const behaviour = createPersonBehaviour({
    signal: stopRun.signal,
    read: (_work, value) => readAnswer(undefined, value),
    ...options,
  })
  const actor = createActor(behaviourLogic<StepExecute | StepAbort, never>(), {
    input: { id: 'person', behaviour, host: probe.ref },
  })
  actor.start()
  return { actor, probe, stopRun }
}

function question(stepId: string, more: Partial<StepExecute> = {}): StepExecute {
  return {
    type: 'step.execute',
    runId: 'run-1',
    stepId,
    attempt: 1,
    idempotencyKey: `run-1/${stepId}`,
    role: 'person',
    instruction: 'Which one?',
    input: {},
    ...more,
  }
}

/** Somebody who answers when the test says so. */
function askedByHand() {
  const asked = new Map<
    string,
    {
      question: PersonQuestion
      signal: AbortSignal
      answer: (value: unknown) => void
      refuse: (error: unknown) => void
    }
  >()
  const ask: Ask = (asking, signal) =>
    new Promise((answer, refuse) => {
      asked.set(asking.stepId, { question: asking, signal, answer, refuse })
    })
  return { asked, ask }
}

describe('person actor', () => {
  it('puts the question, and tells the answer with who gave it', async () => {
    const { asked, ask } = askedByHand()
    const { actor, probe } = start({ ask, by: 'terminal' })
    actor.send(question('choose', { input: { options: ['a', 'b'] } }))
    expect(asked.get('choose')?.question).toEqual({
      runId: 'run-1',
      stepId: 'choose',
      kind: 'answer',
      text: 'Which one?',
      input: { options: ['a', 'b'] },
    })
    asked.get('choose')?.answer({ choice: 'b' })
    expect(await probe.nth('step.answered')).toEqual({
      type: 'step.answered',
      stepId: 'choose',
      value: { choice: 'b' },
      by: 'terminal',
    })
  })

  it('holds 500 open questions at once, and puts each of them', async () => {
    const { asked, ask } = askedByHand()
    const { actor, probe } = start({ ask })
    for (let n = 0; n < 500; n++) actor.send(question(`q${String(n)}`))
    expect(asked.size).toBe(500)
    for (const { answer } of asked.values()) answer(true)
    await probe.nth('step.answered', 500)
  })

  it('puts a question that is delivered twice only once', () => {
    let times = 0
    const { actor } = start({ ask: () => ((times += 1), new Promise(() => undefined)) })
    actor.send(question('a'))
    actor.send(question('a'))
    expect(times).toBe(1)
  })

  it('fires the signal on an abort, answers for it, and drops the answer that comes later (H2)', async () => {
    const { asked, ask } = askedByHand()
    const { actor, probe } = start({ ask })
    actor.send(question('a'))
    actor.send(abort('a', 'not needed'))
    actor.send(abort('a', 'again'))
    const { signal, answer } = asked.get('a')!
    expect(signal.aborted).toBe(true)
    answer('too late')
    await settle()
    expect(probe.messages).toMatchObject([
      {
        type: 'step.failed',
        stepId: 'a',
        failure: { code: 'ABORTED', message: 'The attempt was stopped: not needed' },
      },
    ])
  })

  it('says nothing to the abort that follows an answer', async () => {
    const { asked, ask } = askedByHand()
    const { actor, probe } = start({ ask })
    actor.send(question('a'))
    asked.get('a')?.answer(1)
    await probe.nth('step.answered')
    actor.send(abort('a', 'answered'))
    expect(probe.messages).toHaveLength(1)
  })

  it.each<[string, Ask]>([
    ['rejects', () => Promise.reject(new Error('terminal closed'))],
    ['throws', () => raise(new Error('terminal closed'))],
  ])('fails when whoever is asked %s', async (_, ask) => {
    const { actor, probe } = start({ ask })
    actor.send(question('a'))
    expect((await probe.nth('step.failed')).failure).toMatchObject({
      code: 'ANSWER_FAILED',
      message: expect.stringContaining('terminal closed'),
    })
  })

  it('fails when the answer is no JSON', async () => {
    const { actor, probe } = start({ ask: () => Promise.resolve(() => 1) })
    actor.send(question('a'))
    expect((await probe.nth('step.failed')).failure).toMatchObject({ code: 'ANSWER_INVALID' })
  })

  it('is surprised by an answer that breaks the expectation', async () => {
    const { actor, probe } = start({ ask: () => Promise.resolve('maybe') })
    actor.send(question('a', { expect: { enum: ['yes', 'no'] } }))
    expect(await probe.nth('step.surprised')).toMatchObject({
      stepId: 'a',
      output: 'maybe',
      failure: { code: 'EXPECTATION_BROKEN' },
    })
  })

  it('waits without asking anybody where the answer comes by the API, and can be aborted', async () => {
    const { actor, probe } = start()
    actor.send(question('a'))
    await settle()
    expect(probe.messages).toEqual([])
    actor.send(abort('a'))
    expect(await probe.nth('step.failed')).toMatchObject({ stepId: 'a', failure: { code: 'ABORTED' } })
  })

  it('answers for every open question when the run is stopped', () => {
    const { asked, ask } = askedByHand()
    const { actor, probe, stopRun } = start({ ask })
    for (const id of ['a', 'b']) actor.send(question(id))
    stopRun.abort()
    expect(probe.all('step.failed').map(({ stepId }) => stepId)).toEqual(['a', 'b'])
    expect([...asked.values()].every(({ signal }) => signal.aborted)).toBe(true)
  })

  it('fires all signals and says nothing more when it is stopped', async () => {
    const { asked, ask } = askedByHand()
    const { actor, probe } = start({ ask })
    actor.send(question('a'))
    actor.stop()
    const { signal, answer } = asked.get('a')!
    expect(signal.aborted).toBe(true)
    answer(1)
    await settle()
    expect(probe.messages).toEqual([])
  })
})
