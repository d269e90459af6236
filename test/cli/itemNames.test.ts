import { describe, expect, it } from 'vitest'
import { createItemNames } from '../../src/cli/progress/itemNames.ts'
import { planSchema, type Json, type Step } from '../../src/plan/index.ts'

function namesIn(steps: readonly Partial<Step>[], outputs: Readonly<Record<string, Json>>) {
  const plan = planSchema.parse({ id: 'p', goal: { text: 'g' }, steps })
  return createItemNames({ plan, output: (id) => outputs[id] })
}
const each = (id: string, from: string, path = '/list'): Partial<Step> => ({
  id,
  tool: 'x',
  forEach: { $from: from, path },
  expanded: 2,
})

describe('names of items', () => {
  const found = { find: { list: [{ name: 'a.csv' }, 'b.csv', { title: 'C' }, { id: 'd' }, { size: 5 }, 7, ''] } }

  it('are the item itself where it is a text, or its name, title or id', () => {
    const { nameOf } = namesIn([{ id: 'find', tool: 'x' }, each('read', 'find')], found)
    expect([0, 1, 2, 3, 4, 5, 6, 7].map((item) => nameOf(`read[${item}]`))).toEqual([
      'a.csv',
      'b.csv',
      'C',
      'd',
      undefined,
      undefined,
      undefined,
      undefined,
    ])
    expect(nameOf('read')).toBeUndefined()
  })

  it('stand in texts in the place of numbers, also of steps and facts that a planner made for single items', () => {
    const { inText } = namesIn([{ id: 'find', tool: 'x' }, each('read', 'find')], found)
    expect(inText('format[0] is "x" does not hold; "read[1]" failed, and so did parse[9]')).toBe(
      'format[a.csv] is "x" does not hold; "read[b.csv]" failed, and so did parse[9]',
    )
  })

  it('of two lists are told apart by the step that goes over each, and nothing is guessed', () => {
    const { nameOf } = namesIn([each('read', 'find'), each('draw', 'other')], { ...found, other: { list: ['x', 'y'] } })
    expect([nameOf('read[1]'), nameOf('draw[1]'), nameOf('made[1]')]).toEqual(['b.csv', 'y', undefined])
  })

  it('are cut where they are long, and none where there is no list', () => {
    const long = 'n'.repeat(100)
    expect(namesIn([each('read', 'find')], { find: { list: [long] } }).nameOf('read[0]')).toHaveLength(40)
    expect(namesIn([each('read', 'find')], {}).nameOf('read[0]')).toBeUndefined()
    expect(namesIn([each('read', 'find')], { find: { list: { 0: 'a' } } }).nameOf('read[0]')).toBeUndefined()
  })
})
