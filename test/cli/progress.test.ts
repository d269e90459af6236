import fc from 'fast-check'
import pc from 'picocolors'
import { describe, expect, it } from 'vitest'
import { columnsOf } from '../../src/cli/fit.ts'
import { lineOf } from '../../src/cli/progress/happenings.ts'
import { createPlainProgress } from '../../src/cli/progress/plainProgress.ts'
import { createProgressBook, type ProgressModel } from '../../src/cli/progress/progressBook.ts'
import { progressLines } from '../../src/cli/progress/progressLines.ts'
import type { Step } from '../../src/plan/index.ts'
import type { StepStatus } from '../../src/runtime/index.ts'
import { fakeRun } from './fakeRun.ts'

const colours = pc.createColors(false)
const screen = (columns: number, rows = 24) => ({ columns, rows, colours, frame: 0 })
const tools = (count: number): Step[] =>
  Array.from({ length: count }, (_, index) => ({ id: `s${index}`, tool: 'work', title: `Work on ${index}` }))
const done = (id: string, startedAt: number, endedAt: number) =>
  ({ id, status: 'succeeded', attempt: 1, startedAt, endedAt }) as const
const running = (id: string, startedAt: number) => ({ id, status: 'running', attempt: 1, startedAt }) as const

describe('the book of a run', () => {
  it('counts the steps of the current revision by how far they have come', () => {
    const { run, propose, report } = fakeRun()
    const book = createProgressBook(run)
    run.transitions().subscribe((transition) => book.take(transition))
    expect(book.model(50)).toMatchObject({ total: 0, revision: 0, elapsedMs: 50, state: 'planning' })
    propose(tools(4))
    report(100, done('s0', 10, 100), running('s1', 20))
    expect(book.model(500)).toMatchObject({
      goal: 'a goal',
      state: 'dispatching',
      revision: 1,
      total: 4,
      counts: { succeeded: 1, running: 1, waiting: 2 },
      running: [{ id: 's1', title: 'Work on 1', elapsedMs: 480 }],
    })
    propose([...tools(1), { id: 'new', tool: 'work' }], { type: 'trouble', text: 's1 failed' })
    expect(book.model(500)).toMatchObject({ revision: 2, total: 2, counts: { succeeded: 1, waiting: 1 } })
  })

  it('has a line for what a step asks while it goes on, and for what came of it', () => {
    const { run, propose, happen } = fakeRun()
    const book = createProgressBook(run)
    propose(tools(1))
    run.transitions().subscribe((transition) => book.take(transition))
    const lines = [
      { type: 'step.asked', stepId: 's0', text: 'Which\u001b[2J one?' },
      { type: 'step.answered', stepId: 's0', question: 1, value: 'this', by: 'ann' },
      { type: 'step.unanswered', stepId: 's0', question: 2, failure: { code: 'X', message: 'nobody is there' } },
      { type: 'step.answered', stepId: 's0', value: 'of the step itself', by: 'ann' },
    ].map((event) => book.take(happen(10, event)).map((happening) => lineOf(happening)?.text))
    expect(lines).toEqual([
      [expect.stringMatching(/^s0 asks: Which\S+ one\?$/)],
      ['s0 was answered by ann'],
      ['s0 got no answer: nobody is there'],
      [],
    ])
    expect(lines.flat().join('')).not.toContain('\u001b')
  })

  it('estimates only when there is a basis, and then from what it has measured', () => {
    const { run, propose, report } = fakeRun('a goal', 1)
    const book = createProgressBook(run)
    run.transitions().subscribe((transition) => book.take(transition))
    propose(tools(10))
    report(3000, ...[0, 1, 2].map((index) => done(`s${index}`, index * 1000, (index + 1) * 1000)))
    expect(book.model(3000, { estimateAnew: true }).estimate).toEqual({ type: 'unknown', because: 'too_early' })
    report(4000, done('s3', 3000, 4000))
    const { estimate } = book.model(4000, { estimateAnew: true })
    expect(estimate).toMatchObject({ type: 'range', lowMs: 5400 })
  })

  it('follows an expanded list through its children, and says that an unknown list may bring more', () => {
    const { run, propose, report } = fakeRun('a goal', 1)
    const book = createProgressBook(run)
    run.transitions().subscribe((transition) => book.take(transition))
    const list: Step = { id: 'list', tool: 'work' }
    const each: Step = { id: 'each', tool: 'work', forEach: { $from: 'list', path: '' } }
    const after: Step = { id: 'after', tool: 'work', after: ['each'] }
    propose([...tools(4), list, each, after])
    report(400, ...[0, 1, 2, 3].map((index) => done(`s${index}`, index * 100, (index + 1) * 100)))
    expect(book.model(400, { estimateAnew: true }).estimate).toMatchObject({ orMore: true })
    const children = [0, 1, 2].map((index): Step => ({ id: `each[${index}]`, tool: 'work', item: String(index) }))
    propose([...tools(4), list, { ...each, expanded: 3 }, ...children, after], { type: 'expanded', text: '3 items' })
    report(500, done('list', 400, 500))
    // Three children and the step behind them, one after another, 100 ms each.
    expect(book.model(500, { estimateAnew: true }).estimate).toMatchObject({ orMore: false, lowMs: 360 })
  })

  it('keeps what a running step says of itself, until it has ended', () => {
    const { run, propose, report } = fakeRun()
    const book = createProgressBook(run)
    run.transitions().subscribe((transition) => book.take(transition))
    propose(tools(1))
    book.tell({ stepId: 's0', attempt: 1, at: 1, text: 'too early' })
    report(10, running('s0', 10))
    book.tell({ stepId: 's0', attempt: 1, at: 11, done: 3, total: 9 })
    book.tell({ stepId: 's0', attempt: 1, at: 12, text: 'reading' })
    expect(book.model(20).running[0]?.progress).toMatchObject({ done: 3, total: 9, text: 'reading' })
    report(30, done('s0', 10, 30))
    report(40, running('s0', 40))
    expect(book.model(50).running[0]?.progress).toBeUndefined()
  })
})

const busy: ProgressModel = {
  goal: 'Audit the data files of this folder',
  state: 'replanning',
  revision: 4,
  elapsedMs: 12_345,
  total: 73,
  counts: { succeeded: 20, failed: 2, skipped: 1, running: 3, waiting: 47 },
  running: [
    {
      id: 'profile[12]',
      title: 'Profile seattle-weather.csv',
      attempt: 1,
      elapsedMs: 2100,
      progress: { stepId: 'profile[12]', attempt: 1, at: 0, done: 45, total: 1461 },
    },
    { id: 'read[7]', title: '東京の気温データを読む', attempt: 3, elapsedMs: 400 },
    { id: 'chart', title: 'Draw\u001b[2J the\nchart', attempt: 1, elapsedMs: 75_000 },
  ],
  troubles: ['read[6] failed: “flights.arrow” is not a table'],
  estimate: { type: 'range', lowMs: 21_000, highMs: 38_000, orMore: true },
}

describe('the lines on a terminal', () => {
  it('show everything at 80 columns', () => {
    expect(progressLines(busy, screen(80))).toEqual([
      '⠋ Audit the data files of this folder                                       12 s',
      '  █████░░░░░░░░░░░  23/73 done · 3 running · 2 failed · 1 given up · 47 waiting…',
      '  replanning · 20–40 s left, or more',
      '  ↻ asking the planner: read[6] failed: “flights.arrow” is not a table',
      '  ▸ profile[12] Profile seattle-weather.csv                       45/1461  2.1 s',
      '  ▸ read[7]     東京の気温データを読む                          attempt 3  0.4 s',
      '  ▸ chart       Draw\\x1b[2J the⏎chart                                 1 min 15 s',
    ])
  })

  it('show what matters most at 40 columns', () => {
    expect(progressLines(busy, screen(40))).toEqual([
      '⠋ Audit the data files of this fo…  12 s',
      '  23/73 done · 3 running · 2 failed · 1…',
      '  replanning · 20–40 s left, or more',
      '  ↻ asking the planner: read[6] failed:…',
      '  ▸ profile[12] Profile…  45/1461  2.1 s',
      '  ▸ read[7]     東京…   attempt 3  0.4 s',
      '  ▸ chart       Draw\\x1b[2J…  1 min 15 s',
    ])
  })

  it('put the counts and the estimate on one line where there is room', () => {
    expect(progressLines(busy, screen(160))[1]).toBe(
      '  █████░░░░░░░░░░░  23/73 done · 3 running · 2 failed · 1 given up · 47 waiting · revision 4 · replanning · 20–40 s left, or more',
    )
  })

  it('say that they estimate, and nothing more, as long as there is no basis', () => {
    const early: ProgressModel = {
      ...busy,
      state: 'awaiting',
      troubles: [],
      estimate: { type: 'unknown', because: 'too_early' },
    }
    expect(progressLines(early, screen(80))[2]).toBe('  estimating…')
    expect(progressLines({ ...early, total: 0, state: 'planning', running: [] }, screen(80))[1]).toBe('  planning')
    expect(progressLines({ ...early, estimate: { type: 'unknown', because: 'person' } }, screen(80))[2]).toBe(
      '  waiting for an answer',
    )
  })

  it('list the first of many running steps, and count the rest', () => {
    const many = {
      ...busy,
      running: Array.from({ length: 100 }, (_, index) => ({ ...busy.running[0]!, id: `s${index}` })),
    }
    const lines = progressLines(many, screen(80, 10))
    expect(lines).toHaveLength(8)
    expect(lines.at(-1)).toBe('  … and 97 more')
    expect(progressLines(many, screen(80, 60)).at(-1)).toBe('  … and 89 more')
  })

  it('are never wider than the terminal nor taller, and hold nothing that it would obey', () => {
    const statuses = fc.constantFrom<StepStatus>('succeeded', 'failed', 'waiting', 'running', 'backing_off', 'skipped')
    const text = fc.string({ unit: 'binary', maxLength: 60 })
    const step = fc.record({
      id: fc.stringMatching(/^[a-z][a-z0-9[\]]{0,60}$/),
      title: text,
      attempt: fc.integer({ min: 1, max: 5 }),
      elapsedMs: fc.nat(10_000_000),
      progress: fc.record({ stepId: text, attempt: fc.nat(), at: fc.nat(), text, done: fc.nat(), total: fc.nat() }),
    })
    const model = fc.record({
      goal: text,
      state: fc.constantFrom('planning', 'awaiting', 'replanning', 'paused', 'approving', 'stopping'),
      revision: fc.nat(100),
      elapsedMs: fc.nat(100_000_000),
      total: fc.nat(100_000),
      counts: fc.dictionary(statuses, fc.nat(100_000)),
      running: fc.array(step, { maxLength: 30 }),
      troubles: fc.array(text, { maxLength: 3 }),
      estimate: fc.record({
        type: fc.constant('range'),
        lowMs: fc.nat(9_000),
        highMs: fc.nat(9_000_000),
        orMore: fc.boolean(),
      }),
    })
    fc.assert(
      fc.property(model, fc.integer({ min: 10, max: 200 }), fc.integer({ min: 2, max: 50 }), (drawn, columns, rows) => {
        const lines = progressLines(drawn, screen(columns, rows))
        expect(lines.length).toBeLessThan(rows)
        expect(lines.filter((line) => columnsOf(line) > columns)).toEqual([])
        // eslint-disable-next-line no-control-regex -- control characters are what it looks for
        expect(lines.join('')).not.toMatch(/[\u0000-\u001f\u007f-\u009f\u202a-\u202e\u2066-\u2069]/)
      }),
    )
  })
})

describe('what is worth a line', () => {
  const lines = (act: (fake: ReturnType<typeof fakeRun>) => void): string[] => {
    const fake = fakeRun()
    const book = createProgressBook(fake.run)
    const found: string[] = []
    fake.run.transitions().subscribe((transition) => {
      for (const happening of book.take(transition)) {
        const line = lineOf(happening)
        if (line) found.push(`${line.mark} ${line.text}`)
      }
    })
    act(fake)
    return found
  }
  const failure = { code: 'X', message: 'no\u001b[31m luck', retryable: true }

  it('is each outcome, each change of the plan with its reason, and what a person did', () => {
    expect(
      lines(({ propose, report, enter }) => {
        propose(tools(3))
        report(5, running('s0', 0))
        report(10, done('s0', 0, 1500))
        report(20, { id: 's1', status: 'backing_off', attempt: 1, failure })
        report(30, { id: 's1', status: 'failed', attempt: 2, failure })
        report(31, { id: 's1', status: 'failed', attempt: 2, failure })
        const other = { id: 'other', tool: 'work' }
        propose([...tools(3), other], { type: 'trouble', text: 's1 failed, so “other” does it' }, [
          { op: 'insert', step: other },
          { op: 'rewire', id: 's2', from: 's1', to: 'other' },
          { op: 'abandon', id: 's1', because: 'it failed' },
        ])
        propose(tools(3), { type: 'streamed', text: 'still being written' })
        report(40, { id: 's2', status: 'skipped', attempt: 0, causedBy: 's1' })
        enter(50, 'paused')
        enter(60, 'awaiting')
      }),
    ).toEqual([
      '◆ planned 3 steps (fixed)',
      '✓ s0  Work on 0  1.5 s',
      '↺ s1  Work on 1 will be tried again (attempt 1 failed): no\\x1b[31m luck',
      '✗ s1  Work on 1 failed: no\\x1b[31m luck',
      '↻ replanned, revision 2 (+1 →1 ⊘1): s1 failed, so “other” does it',
      '– s2  Work on 2 skipped because of s1',
      '‖ paused: nothing new is started',
      '▸ resumed',
    ])
  })
})

describe('progress without a terminal', () => {
  const told = (count: number) => {
    const fake = fakeRun()
    const book = createProgressBook(fake.run)
    const plain = createPlainProgress(book)
    const lines: string[] = []
    fake.run
      .transitions()
      .subscribe((transition) => lines.push(...plain.happened(book.take(transition), transition.at)))
    fake.propose(tools(count))
    return { ...fake, plain, lines }
  }

  it('has a line per outcome in a plan of up to 200 steps', () => {
    const { lines, report } = told(200)
    for (let index = 0; index < 200; index++) report(index * 10, done(`s${index}`, 0, index * 10))
    expect(lines).toHaveLength(201)
    expect(lines[100]).toBe('   1.0 s ✓ s99  Work on 99  1.0 s')
  })

  it('counts successes of a larger plan, and tells of them every two seconds', () => {
    const { lines, report } = told(1000)
    for (let index = 0; index < 1000; index++) report(index * 10, done(`s${index}`, index * 10 - 10, index * 10))
    expect(lines).toHaveLength(1 + 4)
    expect(lines[1]).toMatch(/^ {3}2\.0 s … 201 of 1000 steps succeeded, 0 running, .* left$/)
  })

  it('has a line for the first fifty failures of any plan, and counts the others', () => {
    const { lines, report } = told(1000)
    const failure = { code: 'X', message: 'broken', retryable: false }
    for (let index = 0; index < 1000; index++) report(index, { id: `s${index}`, status: 'failed', attempt: 1, failure })
    expect(lines.filter((line) => line.includes('broken'))).toHaveLength(50)
    report(5000, done('s0', 0, 1))
    expect(lines.at(-1)).toContain('999 failed')
  })

  it('gives a sign of life after a long silence, with what takes so long', () => {
    const { lines, report, plain } = told(2)
    report(0, running('s0', 0))
    expect(plain.tick(29_000)).toEqual([])
    expect(plain.tick(31_000)).toEqual([
      '    31 s … 0 of 2 steps succeeded, 1 running, estimating…; longest: s0 Work on 0 (31 s)',
    ])
    expect(plain.tick(32_000)).toEqual([])
    expect(lines).toHaveLength(1)
  })
})
