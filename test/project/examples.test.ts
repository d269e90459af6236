import { describe, expect, it } from 'vitest'
import { examplesInMarkdown, examplesInSource, type CodeExample } from './codeExamples.ts'
import { filesUnder } from './files.ts'
import { compileExamples, runExample } from './runExamples.ts'

const sources = filesUnder('src', '.ts')
const pages = ['README.md', ...filesUnder('docs', '.md')]
const examples = [...sources.flatMap(examplesInSource), ...pages.flatMap(examplesInMarkdown)]

// Invented ones, to see that the check can fail; all are compiled as one program, since that is what takes the time.
const right = [
  `const error = new PlanloomError('A', 'b')\nerror.code // 'A'\n;({ a: [1, -2] }) // { a: [1, -2] }`,
  `const two = 1 + 1 // 2: for large values of 1\nawait Promise.resolve(two) // 2`,
  `(() => { throw new PlanloomError('A_B', 'b') })() // throws A_B`,
  `new Set(['a']) // new Set(['a'])`,
  `// a comment in prose\nconst two = 1 + 1 // and another`,
]
const wrong = [
  ['a value that is not so', '1 + 1 // 3', /1 \+ 1 \/\/ 3, but it is 2/],
  ['a declared value that is not so', 'const two = 1 + 1 // 3', /\/\/ 3, but it is 2/],
  ['an error that is another', `(() => { throw new PlanloomError('B', 'b') })() // throws A`, /but it throws B/],
  ['an error that does not come', '1 // throws A', /but it throws nothing/],
  ['a throw', `throw new PlanloomError('A', 'broken')`, /broken/],
  ['a type error', 'const text: string = 1', /not assignable to type 'string'/],
  ['an unknown name', 'unheardOf()', /Cannot find name 'unheardOf'/],
  ['prose in the place of a value', '1 + 1 // about two', /neither a value nor "throws CODE"/],
] as const
const invent = (code: string): CodeExample => ({ place: 'invented', file: 'src/errors.ts', code, runs: true })
const all = compileExamples([...examples, ...right.map(invent), ...wrong.map(([, code]) => invent(code))])
const compiled = all.slice(0, examples.length)
const compiledRight = all.slice(examples.length, examples.length + right.length)
const compiledWrong = all.slice(examples.length + right.length)

describe('the examples', () => {
  it('are found', () => {
    expect(sources.length).toBeGreaterThan(0)
    expect(examples.length).toBeGreaterThan(0)
  })

  it.each(compiled.map((one) => [one.place, one] as const))('of %s', async (_, one) => {
    expect(one.problems).toEqual([])
    if (one.runs) await runExample(one)
  })
})

describe('the check of the examples', () => {
  it.each(compiledRight.map((one) => [one.code, one] as const))('accepts %j', async (_, one) => {
    expect(one.problems).toEqual([])
    await runExample(one)
  })

  it.each(wrong.map(([title, , message], index) => [title, message, compiledWrong[index]!] as const))(
    'refuses %s',
    async (_, message, one) => {
      if (one.problems.length > 0) expect(one.problems.join('\n')).toMatch(message)
      else await expect(runExample(one)).rejects.toThrow(message)
    },
  )
})
