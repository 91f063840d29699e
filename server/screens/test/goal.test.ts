import { describe, expect, it } from 'vitest'
import { describeGoal, readGoal } from '../src/pages/overview/GoalForm'

describe('a goal', () => {
  it.each([
    [{ event: 'Order Placed', property: '', value: '' }, { event: 'Order Placed' }, 'Order Placed'],
    [{ event: '/docs/*' }, { event: '/docs/*' }, 'Page /docs/*'],
    [{ property: 'plan', value: 'pro' }, { property: 'plan', value: 'pro' }, 'Any event with plan = pro'],
    [
      { event: '/join', property: 'plan', value: 'pro' },
      { event: '/join', property: 'plan', value: 'pro' },
      'Page /join with plan = pro',
    ],
  ])('is read from what was written: %o', (fields, goal, text) => {
    expect(readGoal(fields)).toEqual(goal)
    expect(describeGoal(goal)).toBe(text)
  })

  it.each([[{}], [{ property: 'plan' }], [{ event: 'x', value: 'pro' }]])(
    'needs what is missing in %o',
    (fields) => expect(() => readGoal(fields)).toThrow(/property/),
  )
})
