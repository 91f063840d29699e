import { describe, expect, it } from 'vitest'
import { type Filter, writeConditions } from '../src/data/filters'
import { askFunnel, readFunnel } from '../src/pages/funnel/funnelSearch'
import { readAnswer } from '../src/pages/funnel/readAnswer'
import { moveStep } from '../src/pages/funnel/StepList'
import { readTimeRange } from '../src/address/timeRange'

const range = readTimeRange(new URLSearchParams(), new Date(2026, 2, 29, 12))
const asking = {
  environment: "o'clock",
  bots: false,
  anonymous: false,
  range,
  within: '1d',
} as const

it('the funnel is asked with its hours, and its people by a step', () => {
  const steps = ["it's", '/pricing']
  const conditions: Filter[][] = [[], [{ field: 'prop.total', operator: 'above', values: ['50'] }]]
  expect(askFunnel('funnel', { ...asking, steps, conditions }, { breakdown: "a'b" })).toMatchObject({
    ...{ name: 'funnel', environment: "o'clock", steps, within_hours: 24, breakdown: "a'b" },
    step_where: conditions,
  })
})

describe('readFunnel', () => {
  const read = (text: string) => readFunnel(new URLSearchParams(text))

  it('reads steps in their order, and usual values for what the address does not say', () => {
    expect(read('step=b&step=a')).toEqual({
      steps: ['b', 'a'],
      conditions: [[], []],
      within: '7d',
      by: undefined,
      people: undefined,
    })
    expect(read('within=9y').within).toBe('7d')
  })

  it('knows no people of a step that is not there, and nobody drops out after the last', () => {
    expect(read('step=a&step=b&people=reached-2').people).toEqual({ kind: 'reached', step: 2 })
    expect(read('step=a&step=b&people=dropped-1').people).toEqual({ kind: 'dropped', step: 1 })
    for (const people of ['dropped-2', 'reached-3', 'reached-0', 'all-1'])
      expect(read(`step=a&step=b&people=${people}`).people).toBeUndefined()
  })

  it('has the conditions of each step, which the address keeps', () => {
    const filter: Filter = { field: 'prop.a|b', operator: 'in', values: ['x', 'y'] }
    const texts = writeConditions([[], [filter, { ...filter, operator: 'out', join: 'or' }]])
    expect(texts[0]).toBe('2|prop.a%7Cb|in|x|y')
    const search = new URLSearchParams([['step', 'a'], ['step', 'b'], ...texts.map((text) => ['when', text])])
    expect(readFunnel(search).conditions).toEqual([[], [filter, { ...filter, operator: 'out', join: 'or' }]])
  })

  it('takes as many steps as the macro does', () => {
    expect(read(Array.from({ length: 20 }, () => 'step=a').join('&')).steps).toHaveLength(10)
  })
})

describe('moveStep', () => {
  it('puts a step at another place', () => {
    expect(moveStep(['a', 'b', 'c'], 2, 0)).toEqual(['c', 'a', 'b'])
    expect(moveStep(['a', 'b', 'c'], 0, 1)).toEqual(['b', 'a', 'c'])
  })
})

describe('readAnswer', () => {
  it('has the values with most people first, and none apart from an empty text', () => {
    const groups = readAnswer([
      [null, 1, 'a', 2, 1, null, null],
      [null, 2, 'b', 1, 0.5, 0.5, 3.5],
      ['', 1, 'a', 5, 1, null, null],
      ['', 2, 'b', 0, 0, 0, null],
    ])
    expect(groups.map(({ value }) => value)).toEqual(['', null])
    expect(groups[1]?.steps[1]).toEqual({
      step: 2,
      name: 'b',
      people: 1,
      conversion: 0.5,
      stepConversion: 0.5,
      medianSeconds: 3.5,
    })
  })
})
