// The model executor by itself: turns, calls, outputs and limits, with a scripted model and tools that note what reaches them.
import { describe, expect, it } from 'vitest'
import { createModelExecutor } from '../../src/actors/executors/model/modelExecutor.ts'
import type { ModelExecutorOptions, ToolUse } from '../../src/actors/executors/model/modelMeans.ts'
import type { ExecutorContext, Progress, StepResult } from '../../src/actors/executors/executor.ts'
import type { StepExecute } from '../../src/machines/command.messages.ts'
import type { CallBudget } from '../../src/models/model.ts'
import type { ToolDescription } from '../../src/plan/toolDescription.ts'
import { noop } from '../arbitraries/plans.ts'
import { callOf, calling, resultsIn, scriptedModel, usageOfCall, type Script } from '../support/toolCallingModel.ts'
import { settlePromises, VirtualClock } from '../support/virtualClock.ts'

const described: readonly ToolDescription[] = [
  noop('read', { input: { type: 'object', properties: { path: { type: 'string' } } }, effects: 'read' }),
  noop('query'),
  noop('send', { effects: 'external', idempotent: false }),
  noop('save', { effects: 'write', idempotent: true }),
  noop('files.list/all', {}),
]
const tools = new Map(described.map((tool) => [tool.name, tool]))

interface Reached extends ToolUse {
  readonly key: string
}
type Options = Partial<ModelExecutorOptions> & {
  readonly work?: Partial<StepExecute>
  readonly context?: Partial<ExecutorContext>
  readonly gives?: (use: ToolUse, context: ExecutorContext) => StepResult | Promise<StepResult>
}

function follow(script: Script, { work, context, gives = () => ({ output: 'ok' }), ...options }: Options = {}) {
  const model = scriptedModel(script)
  const reached: Reached[] = []
  const progress: Progress[] = []
  const executor = createModelExecutor({
    model,
    tools,
    call: async (use, given) => {
      reached.push({ ...use, key: given.idempotencyKey })
      return gives(use, given)
    },
    ...options,
  })
  const result = executor.execute(
    {
      type: 'step.execute',
      runId: 'run',
      stepId: 'sum',
      attempt: 1,
      idempotencyKey: 'run/sum',
      role: 'model',
      instruction: 'Sum up.',
      tools: ['read', 'query', 'send', 'save'],
      input: { of: 'prices' },
      ...work,
    },
    {
      runId: 'run',
      stepId: 'sum',
      attempt: 1,
      idempotencyKey: 'run/sum',
      signal: new AbortController().signal,
      progress: (said) => progress.push(said),
      heartbeat: () => undefined,
      log: () => undefined,
      now: () => 0,
      ...context,
    },
  )
  return { result, reached, progress, requests: model.requests, model }
}

const failureIn = async (result: Promise<StepResult>) => {
  const given = await result
  return 'failure' in given ? given.failure : undefined
}

describe('a model executor', () => {
  it('shows the model its instruction, its input and its tools, and nothing else (X1)', async () => {
    const { result, requests } = follow(['done'], { work: { tools: ['read'] } })
    await result
    const [request] = requests
    expect(request?.messages.map(({ role }) => role)).toEqual(['system', 'user'])
    expect(request?.messages[1]?.text).toMatch(
      /^The instruction:\nSum up\.\n\nIts input:\n<data \w{12} "input">\n\{"of":"prices"\}\n<\/data \w{12}>$/,
    )
    expect(request?.tools?.map(({ name }) => name)).toEqual(['read', 'report_surprise', 'read_more'])
    expect(request?.tools?.map(({ optional = false }) => optional)).toEqual([false, true, true]) // O3
    expect(request?.tools?.[0]).toEqual({ name: 'read', description: 'Does nothing.', input: tools.get('read')?.input })
    expect(request).not.toHaveProperty('format')
    expect(JSON.stringify(request)).not.toMatch(/run\/|"sum"/)
  })

  it('takes the JSON value that was written for its output, or else the text', async () => {
    const outputOf = async (text: string): Promise<unknown> =>
      ((await follow([text]).result) as { output: unknown }).output
    expect(await outputOf('Prices rose.')).toBe('Prices rose.')
    expect(await outputOf('{"n": 1}')).toEqual({ n: 1 })
    expect(await outputOf('```json\n[1, 2]\n```')).toEqual([1, 2])
    expect(await outputOf('null')).toBe(null)
    expect(await outputOf('See {"n": 1}.')).toBe('See {"n": 1}.')
  })

  it('tells what it used with its result, where no budget was told of it', async () => {
    const { result } = follow([calling(['read', { path: 'a' }]), 'done'])
    expect(await result).toEqual({ output: 'done', usage: { tokens: 20, cost: 1 } })
  })

  it('does not tell again what the budget of the run was told', async () => {
    const told: number[] = []
    const budget: CallBudget = {
      reserve: () => ({ settle: ({ usage }) => void told.push(usage.tokens), release: () => undefined }),
    }
    const model = scriptedModel([calling(['read', {}]), 'done'], 100)
    const { result } = follow([], { model, context: { budget } })
    expect(await result).toEqual({ output: 'done' })
    expect(told).toEqual([10, 10])
  })

  it('refuses a step without an instruction', async () => {
    const model = scriptedModel([])
    const executor = createModelExecutor({ model, tools, call: async () => ({ output: 1 }), role: 'crew' })
    const { instruction: _, ...work } = {
      type: 'step.execute',
      runId: 'r',
      stepId: 's',
      attempt: 1,
      idempotencyKey: 'k',
      role: 'crew',
      tool: 'read',
      input: {},
      instruction: '',
    } as const
    expect(await executor.execute(work, {} as never)).toMatchObject({ failure: { code: 'STEP_WITHOUT_INSTRUCTION' } })
    expect(executor.role).toBe('crew')
  })
})

describe('calls', () => {
  it('of one answer are carried out side by side, and each is answered by its id', async () => {
    let out = 0
    let most = 0
    const { result, requests, reached } = follow(
      [calling(['read', { path: 'a' }], ['query', { n: 1 }], ['read', { path: 'b' }]), 'done'],
      {
        gives: async ({ tool, input }) => {
          most = Math.max(most, ++out)
          await settlePromises()
          out -= 1
          return { output: { tool, input } }
        },
      },
    )
    await result
    expect(most).toBe(3)
    expect(reached.map(({ tool }) => tool)).toEqual(['read', 'query', 'read'])
    const [assistant, ...answers] = requests[1]?.messages.slice(2) ?? []
    expect(assistant).toMatchObject({ role: 'assistant', calls: [{ id: 'c0' }, { id: 'c1' }, { id: 'c2' }] })
    expect(answers.map((message) => message.role === 'tool' && message.callId)).toEqual(['c0', 'c1', 'c2'])
    expect(answers[2]?.text).toContain('{"tool":"read","input":{"path":"b"}}')
  })

  it('have ids of their own, whatever the server gave', async () => {
    const calls = [callOf('read', {}, ''), callOf('read', {}, 'x'), callOf('read', {}, 'x')]
    const { result, requests } = follow([{ calls }, { calls }, 'done'])
    await result
    const ids = requests[2]?.messages.flatMap((message) => (message.role === 'tool' ? [message.callId] : [])) ?? []
    expect(new Set(ids).size).toBe(6)
    const echoed = requests[2]?.messages.flatMap((one) =>
      one.role === 'assistant' ? (one.calls ?? []).map(({ id }) => id) : [],
    )
    expect(echoed).toEqual(ids)
  })

  it.each([
    ['an unknown tool', 'fetch', {}, /There is no tool "fetch" here\. Your tools are: read, query/],
    ['a tool that there is, and that the step does not name', 'files.list/all', {}, /There is no tool/],
    ['a name in other letters', 'Read', {}, /There is no tool "Read"/],
    ['a name with what cannot be seen', 'read\u200b', {}, /There is no tool/],
    ['a name of every object', '__proto__', {}, /There is no tool/],
    ['nothing for arguments', 'read', '', /arguments are empty/],
    ['arguments that are not JSON', 'read', '{"path": ', /not JSON/],
    ['arguments in Python', 'read', "{'path': 'a'}", /not JSON/],
    ['a list', 'read', '["a"]', /are a list, and must be a JSON object/],
    ['a text that holds JSON', 'read', '"{\\"path\\": 1}"', /are a string/],
    ['null', 'read', 'null', /are null/],
    ['a question where there is nobody to ask', 'ask_person', { question: 'Well?' }, /There is no tool "ask_person"/],
    ['a surprise without a reason', 'report_surprise', {}, /do not fit at "\/reason"/],
    ['more of what was not cut', 'read_more', { of: 'call-9', from: 0 }, /Nothing of the name "call-9"/],
  ])('with %s reach no tool, and the model is told', async (_, name, input, told) => {
    const { result, reached, requests } = follow([calling([name, input]), 'done'])
    expect(await result).toMatchObject({ output: 'done' })
    expect(reached).toEqual([])
    expect(resultsIn(requests[1]!)).toEqual([expect.stringMatching(told)])
  })

  it('are echoed as servers take them: with names and arguments that are such', async () => {
    const { result, requests } = follow([calling(['no such!', '{"a'], ['read', {}]), 'done'])
    await result
    expect(requests[1]?.messages[2]).toMatchObject({
      calls: [
        { name: 'no_such_', arguments: '{"unreadable":"{\\"a"}' },
        { name: 'read', arguments: '{}' },
      ],
    })
  })

  it('of tools with odd names go by names that servers take', async () => {
    const { result, reached, requests } = follow([calling(['files_list_all', {}]), 'done'], {
      work: { tools: ['files.list/all'] },
    })
    await result
    expect(requests[0]?.tools?.[0]?.name).toBe('files_list_all')
    expect(reached.map(({ tool }) => tool)).toEqual(['files.list/all'])
  })

  it('that fail, or break, tell the model why, as data', async () => {
    const { result, requests } = follow([calling(['read', {}], ['query', {}]), 'done'], {
      gives: ({ tool }) => {
        if (tool === 'query') throw new Error('no disk')
        return {
          failure: { code: 'FILE_MISSING', message: '"a" is not there.', hint: 'Look again.', retryable: false },
        }
      },
    })
    expect(await result).toMatchObject({ output: 'done' })
    const [missing, broken] = resultsIn(requests[1]!)
    expect(missing).toMatch(
      /^The call failed\.\n<data \w{12} "call-1">\nFILE_MISSING: "a" is not there\. Look again\.\n<\/data/,
    )
    expect(broken).toMatch(/TOOL_FAILED: .*no disk/)
  })

  it('have keys that stay the same over attempts, by what is called and how often it was before (C2)', async () => {
    const keysOf = async (script: Script) => {
      const { result, reached } = follow(script)
      await result
      return reached.map(({ tool, key }) => [tool, key] as const)
    }
    const first = await keysOf([calling(['save', { n: 1 }], ['save', { n: 2 }], ['save', { n: 1 }]), 'done'])
    const again = await keysOf([
      calling(['read', {}], ['save', { n: 1 }]),
      calling(['save', { n: 1 }], ['save', { n: 2 }]),
      'done',
    ])
    expect(new Set(first.map(([, key]) => key)).size).toBe(3)
    expect(again.filter(([tool]) => tool === 'save').map(([, key]) => key)).toEqual([
      first[0]?.[1],
      first[2]?.[1],
      first[1]?.[1],
    ])
    for (const [, key] of first) expect(key).toMatch(/^run\/sum\/\w{16}\/\d$/)
  })

  it('beyond as many as one answer may make are not carried out', async () => {
    const { result, reached, requests } = follow(
      [calling(...Array.from({ length: 5 }, (_, n) => ['read', { n }] as const)), 'done'],
      { callsAtOnce: 3 },
    )
    await result
    expect(reached.length).toBe(3)
    expect(resultsIn(requests[1]!).slice(3)).toEqual([
      expect.stringContaining('Not carried out'),
      expect.stringContaining('Not carried out'),
    ])
  })

  it('give the facts of their tools, apart from those that they give differently', async () => {
    const { result } = follow([calling(['read', { n: 1 }], ['read', { n: 2 }], ['query', {}]), 'done'], {
      gives: ({ tool, input }) => ({
        output: null,
        facts:
          tool === 'read'
            ? [
                { key: 'file', value: input['n'] ?? 0 },
                { key: 'folder', value: 'x' },
              ]
            : [{ key: 'rows', value: 7 }],
      }),
    })
    expect(await result).toMatchObject({
      facts: [
        { key: 'folder', value: 'x' },
        { key: 'rows', value: 7 },
      ],
    })
  })
})

describe('long texts', () => {
  it('are cut, with a note of how to get more', async () => {
    const long = Array.from({ length: 100 }, (_, n) => `line ${String(n)}`).join('\n')
    const { result, requests } = follow(
      [
        calling(['read', {}]),
        (() => calling(['read_more', { of: 'call-1', from: 300 }]))(),
        calling(['read_more', { of: 'call-1', from: 600 }], ['read_more', { of: 'call-1', from: 5000 }]),
        'done',
      ],
      { gives: () => ({ output: long }), characters: 300 },
    )
    await result
    const first = resultsIn(requests[1]!)[0] ?? ''
    expect(first).toContain(
      `Characters 0 to 300 of ${String(long.length)}. For more: read_more with {"of":"call-1","from":300}.`,
    )
    const parts = [1, 2, 3].map((at) => /<data[^\n]*\n([\s\S]*)\n<\/data/.exec(resultsIn(requests[at]!)[0] ?? '')?.[1])
    expect(parts.join('')).toBe(long.slice(0, 900))
    expect(resultsIn(requests[3]!)[1]).toContain(`Characters ${String(long.length)} to ${String(long.length)}`)
  })

  it('of its input are cut as well', async () => {
    const { result, requests } = follow([calling(['read_more', { of: 'input', from: 200 }]), 'done'], {
      work: { input: { text: 'ab'.repeat(300) } },
      characters: 200,
    })
    await result
    expect(requests[0]?.messages[1]?.text.length).toBeLessThan(500)
    expect(resultsIn(requests[1]!)[0]).toContain('Characters 200 to 400')
  })

  it('are not cut in the middle of a character', async () => {
    const { result, requests } = follow([calling(['read', {}]), 'done'], {
      gives: () => ({ output: `${'x'.repeat(99)}🙂🙂` }),
      characters: 100,
    })
    await result
    expect(resultsIn(requests[1]!)[0]).toContain('Characters 0 to 99 of 103')
  })
})

describe('an output', () => {
  const expectation = {
    type: 'object',
    properties: { n: { type: 'integer' } },
    required: ['n'],
    additionalProperties: false,
  } as const
  const work = { expect: expectation }

  it('is asked for by the schema that the step expects', async () => {
    const { result, requests } = follow(['{"n": 3}'], { work })
    expect(await result).toMatchObject({ output: { n: 3 } })
    expect(requests[0]?.format).toEqual({ name: 'result', schema: expectation })
  })

  it.each(['```json\n{"n": 3}\n```', 'Here it is: {"n": 3} - fine?', '\n {"n":3}\n'])(
    'is found in %j',
    async (text) => {
      expect(await follow([text], { work }).result).toMatchObject({ output: { n: 3 } })
    },
  )

  it('that does not fit goes back with what is wrong, for a limited number of rounds', async () => {
    const { result, requests } = follow(['{"n": "three"}', 'three', '{"n": 3}'], { work })
    expect(await result).toMatchObject({ output: { n: 3 } })
    expect(requests[1]?.messages.slice(-2)).toEqual([
      { role: 'assistant', text: '{"n": "three"}' },
      { role: 'user', text: expect.stringMatching(/does not fit the schema at "\/n": .*"three".*Answer again/) },
    ])
    expect(requests[2]?.messages.at(-1)?.text).toMatch(/no JSON/)
  })

  it('that never fits is given as it is, for the expectation to be found broken', async () => {
    const { result, requests } = follow(() => '{"n": "three"}', { work, repairs: 1 })
    expect(await result).toMatchObject({ output: { n: 'three' } })
    expect(requests.length).toBe(2)
  })

  it('that never is JSON fails the attempt', async () => {
    expect(await failureIn(follow(() => 'three', { work }).result)).toMatchObject({
      code: 'MODEL_OUTPUT_INVALID',
      retryable: true,
    })
  })

  it.each([undefined, { type: 'string' }])('is what comes after the thoughts (expected: %j)', async (expect_) => {
    const expected = expect_ === undefined ? {} : { expect: expect_ }
    const { result } = follow(['<think>Short?\nYes.</think>\nAll is well.'], { work: expected })
    expect(await result).toMatchObject({ output: 'All is well.' })
  })

  it('that is nothing but thoughts is asked for again', async () => {
    const { result, requests } = follow(['<think>Short?</think>', 'All is well.'])
    expect(await result).toMatchObject({ output: 'All is well.' })
    expect(requests).toHaveLength(2)
  })

  it('that is a text fits where a text is expected', async () => {
    expect(await follow(['three'], { work: { expect: { type: 'string' } } }).result).toMatchObject({ output: 'three' })
  })

  it('that is empty, or was cut off, is asked for again', async () => {
    const { result, requests } = follow(['', { text: 'and th', end: 'length' }, 'and then'])
    expect(await result).toMatchObject({ output: 'and then' })
    expect(requests.slice(1).map(({ messages }) => messages.at(-1)?.text)).toEqual([
      expect.stringContaining('is empty'),
      expect.stringContaining('cut off'),
    ])
  })

  it('that is refused or filtered fails the attempt, and says what the model said', async () => {
    const refused = await failureIn(follow([{ end: 'refused', refusal: 'I would rather not.' }]).result)
    expect(refused).toMatchObject({
      code: 'MODEL_REFUSED',
      message: 'Model "scripted" refused: I would rather not.',
      retryable: false,
    })
    expect(await failureIn(follow([{ end: 'filtered', ...(calling(['send', {}]) as object) }]).result)).toMatchObject({
      code: 'MODEL_FILTERED',
    })
  })
})

describe('a surprise', () => {
  it('ends the attempt with its reason, and calls beside it reach no tool (C3)', async () => {
    const { result, reached } = follow([
      calling(['send', { to: 'all' }], ['report_surprise', { reason: 'There are no prices.', output: { seen: 0 } }]),
    ])
    expect(await result).toMatchObject({
      output: { seen: 0 },
      surprise: { code: 'MODEL_SURPRISE', message: 'There are no prices.', retryable: false },
    })
    expect(reached).toEqual([])
  })
})

describe('asking a person', () => {
  it('is offered where there is somebody, and the answer comes as data', async () => {
    const asked: unknown[] = []
    const { result, requests } = follow([calling(['ask_person', { question: 'Which year?' }]), 'done'], {
      askPerson: 'offered',
      context: {
        ask: async (question) => {
          asked.push(question)
          return { year: 2024 }
        },
      },
    })
    expect(await result).toMatchObject({ output: 'done' })
    expect(asked).toEqual(['Which year?'])
    expect(requests[0]?.tools?.map(({ name }) => name)).toContain('ask_person')
    expect(resultsIn(requests[1]!)[0]).toMatch(/^The person says:\n<data \w{12} "call-1">\n\{"year":2024\}\n/)
  })

  it('takes none of the time of the attempt', async () => {
    const clock = new VirtualClock()
    const { result } = follow([calling(['ask_person', { question: 'Well?' }]), 'done'], {
      timers: clock,
      timeoutMs: 1_000,
      askPerson: 'offered',
      context: {
        now: () => clock.now(),
        ask: async () => {
          await clock.wait(3_600_000)
          return 'yes'
        },
      },
    })
    expect(await clock.until(result)).toMatchObject({ output: 'done' })
  })

  it('whom nobody reaches tells the model so', async () => {
    const { result, requests } = follow([calling(['ask_person', { question: 'Well?' }]), 'done'], {
      askPerson: 'offered',
      context: { ask: () => Promise.reject(new Error('out for lunch')) },
    })
    await result
    expect(resultsIn(requests[1]!)[0]).toMatch(/Nobody answered\.[\s\S]*out for lunch/)
  })
})

describe('limits', () => {
  const again = (): ReturnType<typeof calling> => calling(['read', {}])

  it('of turns end the attempt, and calls of the last turn reach no tool (A3)', async () => {
    const { result, reached, requests } = follow(again, { turns: 3 })
    expect(await failureIn(result)).toMatchObject({
      code: 'MODEL_TURNS_SPENT',
      message: expect.stringContaining('its 3 turns'),
    })
    expect(requests.length).toBe(3)
    expect(reached.length).toBe(2)
    expect(requests[2]?.messages.at(-1)).toEqual({ role: 'user', text: expect.stringContaining('last answer') })
    expect(requests[1]?.messages.some(({ text }) => text.includes('last answer'))).toBe(false)
  })

  it('still let a surprise be reported in the last turn', async () => {
    const { result } = follow([calling(['read', {}], ['report_surprise', { reason: 'none' }])], { turns: 1 })
    expect(await result).toMatchObject({ surprise: { message: 'none' } })
  })

  it('of tokens end it before the next answer', async () => {
    const { result, requests } = follow(again, { tokens: 25 })
    expect(await result).toMatchObject({ failure: { code: 'MODEL_TOKENS_SPENT' }, usage: { tokens: 30 } })
    expect(requests.length).toBe(3)
  })

  it('of tokens keep a call from beginning that may take more, where the model asks', async () => {
    const model = scriptedModel(again, 12)
    const { result } = follow([], { model, tokens: 25 })
    expect(await result).toMatchObject({ failure: { code: 'MODEL_TOKENS_SPENT' }, usage: { tokens: 20 } })
    expect(model.requests.length).toBe(3) // the third was refused by the budget
  })

  it('of the run are said as what they are', async () => {
    const short = Object.assign(new Error('Nothing is left.'), { code: 'BUDGET_SHORT', hint: undefined, where: {} })
    const budget: CallBudget = {
      reserve: () => {
        throw short
      },
    }
    const { result } = follow([], { model: scriptedModel(['done'], 5), context: { budget } })
    expect(await failureIn(result)).toMatchObject({ code: 'BUDGET_SHORT' })
  })

  it('of time end it, also where the model hangs and does not look at its signal', async () => {
    const clock = new VirtualClock()
    let signal: AbortSignal | undefined
    const { result } = follow(
      (_, __, options) => {
        ;({ signal } = options)
        return new Promise(() => undefined)
      },
      { timers: clock, timeoutMs: 1_000, context: { now: () => clock.now() } },
    )
    expect(await failureIn(clock.until(result))).toMatchObject({
      code: 'MODEL_TIME_SPENT',
      message: expect.stringContaining('1000 ms'),
    })
    expect(clock.now()).toBe(1_000)
    expect(signal?.aborted).toBe(true)
    expect(clock.pending).toBe(0)
  })

  it('of time are looked at between answers where there are no timers', async () => {
    let now = 0
    const { result, requests } = follow(() => ((now += 600), again()), {
      timeoutMs: 1_000,
      context: { now: () => now },
    })
    expect(await failureIn(result)).toMatchObject({ code: 'MODEL_TIME_SPENT' })
    expect(requests.length).toBe(2)
  })

  it('and its signal: once it has fired nothing is asked and no tool is called (A2)', async () => {
    const controller = new AbortController()
    let release: (value: StepResult) => void = () => undefined
    const { result, reached, requests } = follow(again, {
      context: { signal: controller.signal },
      gives: () => new Promise((resolve) => (release = resolve)),
    })
    await settlePromises()
    expect(reached.length).toBe(1)
    controller.abort(new Error('cancelled'))
    expect(await failureIn(result)).toMatchObject({ message: expect.stringContaining('cancelled') })
    release({ output: 'late' })
    await settlePromises()
    expect([reached.length, requests.length]).toEqual([1, 1])
  })

  it('hold nothing back that had fired before: nothing is asked at all', async () => {
    const { result, requests } = follow(['done'], { context: { signal: AbortSignal.abort(new Error('gone')) } })
    expect(await failureIn(result)).toBeDefined()
    expect(requests).toEqual([])
  })
})

describe('what cannot be done twice', () => {
  const sent = calling(['send', { to: 'ann' }])

  it('and has been done keeps a failed attempt from being tried again (E1)', async () => {
    const failure = await failureIn(follow([sent, { end: 'refused', refusal: 'no' }, 'done']).result)
    expect(failure).toMatchObject({ retryable: false, hint: expect.stringContaining('It had called "send" before') })
    expect(failure?.uncertain).toBeUndefined()
    const saved = await failureIn(follow(() => calling(['save', {}]), { turns: 2 }).result)
    expect(saved).toMatchObject({ code: 'MODEL_TURNS_SPENT', retryable: true })
  })

  it('and of which nobody knows whether it was, ends the attempt as uncertain at once (E2)', async () => {
    const { result, requests } = follow([sent, 'done'], {
      gives: () => ({
        failure: { code: 'CONNECTION_LOST', message: 'The line broke.', retryable: true, uncertain: true },
      }),
    })
    expect(await failureIn(result)).toMatchObject({ code: 'CONNECTION_LOST', uncertain: true, retryable: false })
    expect(requests.length).toBe(1)
  })

  it('and was out when the time was over is uncertain', async () => {
    const clock = new VirtualClock()
    const { result } = follow([sent], {
      timers: clock,
      timeoutMs: 50,
      context: { now: () => clock.now() },
      gives: () => new Promise(() => undefined),
    })
    expect(await failureIn(clock.until(result))).toMatchObject({
      code: 'MODEL_TIME_SPENT',
      uncertain: true,
      retryable: false,
    })
  })
})

describe('progress', () => {
  it('says what it does, and what the model is writing, in pieces of limited size', async () => {
    const { result, progress } = follow((_, turn, { onText }) => {
      if (turn === 1) return calling(['read', {}], ['query', {}])
      for (const piece of ['Pri', 'ces', 'x'.repeat(2_500)]) onText?.(piece)
      for (let n = 0; n < 300; n++) onText?.('y'.repeat(1_000))
      return 'Prices'
    })
    await result
    expect(progress.flatMap(({ text }) => text ?? [])).toEqual([
      'asks scripted (turn 1)',
      'calls read, query',
      'asks scripted (turn 2)',
    ])
    const deltas = progress.flatMap(({ delta }) => delta ?? [])
    expect(deltas.slice(0, 3)).toEqual(['Pri', 'ces', 'x'.repeat(1_000)])
    expect(Math.max(...deltas.map(({ length }) => length))).toBe(1_000)
    expect(deltas.join('').length).toBe(200_000)
  })

  it('of tools is told with their names', async () => {
    const { result, progress } = follow([calling(['read', {}]), 'done'], {
      gives: (_, context) => {
        context.progress({ text: 'half', done: 1, total: 2 })
        return { output: 1 }
      },
    })
    await result
    expect(progress).toContainEqual({ text: 'read: half' })
  })
})

describe('a model of the user’s own', () => {
  it.each([
    ['nothing', undefined],
    ['no text', { end: 'stop', calls: [] }],
    ['no calls', { end: 'stop', text: '' }],
    ['calls that are none', { end: 'calls', text: '', calls: [{ name: 'read' }] }],
    ['another end', { end: 'tool_use', text: '', calls: [] }],
  ])('that gives %s fails the attempt', async (_, answer) => {
    const model = { name: 'own', complete: async () => answer as never }
    expect(await failureIn(follow([], { model }).result)).toMatchObject({ code: 'MODEL_ANSWER_BROKEN' })
  })

  it('that throws fails it with what was thrown, and what that says was used', async () => {
    const error = Object.assign(new Error('down'), {
      code: 'MODEL_UNAVAILABLE',
      hint: 'Start it.',
      where: {},
      usage: { ...usageOfCall, tokens: 7 },
    })
    const model = { name: 'own', complete: () => Promise.reject(error) }
    expect(await follow([], { model }).result).toMatchObject({
      failure: { code: 'MODEL_UNAVAILABLE', hint: 'Start it.' },
      usage: { tokens: 7 },
    })
  })
})
