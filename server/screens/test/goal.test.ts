import { describe, expect, it } from 'vitest'
import { goalTotals } from '../src/pages/overview/goal'
import { describeGoal, readGoal } from '../src/pages/overview/GoalForm'
import { ranking } from '../src/pages/overview/statements'
import { readTimeRange } from '../src/shell/timeRange'

const range = readTimeRange(new URLSearchParams('range=7d'), new Date('2026-07-10T09:15:00Z'))
const asking = { environment: 'production', bots: false, timeZone: 'UTC', range, filters: [] }
const channel = { name: 'channel', title: 'Channels', of: 'sessions', none: '' } as const

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

describe('the statements about a goal', () => {
  it('ask for its events in the time shown and in the one before', () => {
    const { text } = goalTotals(asking, "Sam's goal")
    for (const { from, until } of [range, range.before ?? range])
      expect(text).toContain(
        `analytics.goal_events('Sam''s goal', TIMESTAMPTZ '${from.toISOString()}', TIMESTAMPTZ '${until.toISOString()}'`,
      )
  })

  it('count only the sessions that the filters leave', () => {
    const filters = [{ field: 'browser', operator: 'is', values: ['Firefox'] }] as const
    const { text } = goalTotals({ ...asking, filters }, 'x')
    expect(text.match(/"browser" = 'Firefox'/g)).toHaveLength(4)
  })

  it('leave cards as they are while no goal is chosen', () => {
    expect(ranking(asking, channel, { limit: 10 }).text).not.toContain('conversion')
    expect(ranking(asking, channel, { limit: 10, goal: 'x' }).text).toContain('AS conversion\nFROM')
  })
})
