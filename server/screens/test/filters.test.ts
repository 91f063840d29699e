import { describe, expect, it } from 'vitest'
import {
  addFilter,
  describeFilter,
  type Filter,
  parseFilter,
  readFilters,
  writeFilter,
} from '../src/data/filters'
import { conditionsOfEvents, conditionsOfPicked, sessionConditions } from '../src/data/conditions'

const filter = (field: string, operator: Filter['operator'], ...values: string[]): Filter => ({
  field,
  operator,
  values,
})
const range = {
  from: new Date('2026-10-01T00:00:00Z'),
  until: new Date('2026-11-01T00:00:00Z'),
  name: 'custom',
  title: '',
  unit: 'day' as const,
  units: [],
  before: { from: new Date(0), until: new Date(1) },
}
const asking = (...filters: Filter[]) => ({
  environment: 'production',
  bots: false,
  timeZone: 'UTC',
  range,
  filters,
})
const textsOf = (list: readonly { text: string }[]) => list.map(({ text }) => text.replaceAll(/\s+/g, ' '))

describe('a filter in the address', () => {
  it('comes back as it was, whatever its texts are', () => {
    const filters = [
      filter('path', 'is', '/pricing'),
      filter('prop.a|b', 'in', '50 % | 100 %7C', 'ü, "x"'),
      filter('utm_source', 'not', ''),
    ]
    const search = new URLSearchParams(filters.map((each) => ['filter', writeFilter(each)]))
    expect(readFilters(new URLSearchParams(search.toString()))).toEqual(filters)
  })

  it('is left out where it is none', () => {
    expect(
      readFilters(new URLSearchParams('filter=path&filter=path|looks|x&filter=&filter=path|is')),
    ).toEqual([])
  })
})

describe('parseFilter', () => {
  it.each([
    ['plan=pro', filter('prop.plan', 'is', 'pro')],
    ['Browser != Firefox', filter('browser', 'not', 'Firefox')],
    ['entry page ~ maps', filter('entry', 'contains', 'maps')],
    ['prop.path=x', filter('prop.path', 'is', 'x')],
    ['q=a=b', filter('prop.q', 'is', 'a=b')],
    ['source =', filter('utm_source', 'is', '')],
  ])('reads %s', (text, expected) => expect(parseFilter(text)).toEqual(expected))

  it('takes a name alone for a trait among people, and names traits everywhere', () => {
    expect(parseFilter('plan=pro', 'people')).toEqual(filter('trait.plan', 'is', 'pro'))
    expect(parseFilter('prop.plan=pro', 'people')).toEqual(filter('prop.plan', 'is', 'pro'))
    expect(parseFilter('Trait plan = pro')).toEqual(filter('trait.plan', 'is', 'pro'))
    expect(parseFilter('event=x', 'people')).toEqual(filter('event', 'is', 'x'))
  })

  it.each(['plan', '=pro', ''])('takes “%s” for no filter', (text) =>
    expect(parseFilter(text)).toBeUndefined(),
  )
})

describe('addFilter', () => {
  it('replaces what a field is, keeps all else, and adds nothing twice', () => {
    const before = [filter('path', 'is', '/a'), filter('path', 'not', '/b')]
    const after = addFilter(before, filter('path', 'is', '/c'))
    expect(after).toEqual([filter('path', 'not', '/b'), filter('path', 'is', '/c')])
    expect(addFilter(after, filter('path', 'not', '/b'))).toHaveLength(2)
  })
})

it('a filter is told in words', () => {
  expect(describeFilter(filter('utm_source', 'is', ''))).toBe('Source is (none)')
  expect(describeFilter(filter('prop.plan', 'out', 'pro', 'team'))).toBe('plan is none of pro, team')
})

it('what people did is told as a deed', () => {
  expect(describeFilter(filter('event', 'is', 'Order Placed'), 'people')).toBe('did Order Placed')
  expect(describeFilter(filter('event', 'not', 'Order Placed'), 'people')).toBe('did not do Order Placed')
  expect(describeFilter(filter('event', 'is', 'Order Placed'))).toBe('Event is Order Placed')
  expect(describeFilter(filter('trait.plan', 'is', 'pro'), 'people')).toBe('Trait plan is pro')
})

describe('conditions', () => {
  it('ask the person of an event, and of a session, for a trait', () => {
    const wanted = asking(filter('trait.plan', 'not', 'pro'))
    const condition =
      "person_id IN (SELECT person_id FROM analytics.persons WHERE environment = 'production' AND coalesce(NOT analytics.prop(traits, 'plan') = 'pro', true))"
    expect(textsOf(conditionsOfEvents(wanted, range))).toEqual([condition])
    expect(textsOf(sessionConditions(wanted, range))).toEqual([condition])
    expect(textsOf(conditionsOfPicked(wanted, range))).toEqual([condition])
  })

  it('are of the event itself, and of its session for what only sessions have', () => {
    const [own, ofSession] = textsOf(
      conditionsOfEvents(asking(filter('prop.plan', 'is', "it's"), filter('entry', 'is', '/')), range),
    )
    expect(own).toBe(`analytics.prop(properties, 'plan') = 'it''s'`)
    expect(ofSession).toMatch(
      /^session_id IN \(SELECT session_id FROM analytics\.sessions\(.*"entry" = '\/'\)$/,
    )
  })

  it('leave a session without such an event, where the filter says what it is not', () => {
    const [condition] = textsOf(sessionConditions(asking(filter('path', 'not', '/a')), range))
    expect(condition).toMatch(
      /^session_id NOT IN .*event = '\$pageview' AND session_id IS NOT NULL AND "path" = '\/a'\)$/,
    )
  })

  it('count a row without a value as none of any', () => {
    expect(textsOf(sessionConditions(asking(filter('device', 'out', 'phone', 'tablet')), range))).toEqual([
      `coalesce(NOT "device" IN ('phone', 'tablet'), true)`,
    ])
    expect(textsOf(sessionConditions(asking(filter('device', 'not', '')), range))).toEqual([
      `"device" IS NOT NULL`,
    ])
    expect(textsOf(sessionConditions(asking(filter('device', 'in', 'phone', '')), range))).toEqual([
      `("device" IS NULL OR "device" = 'phone')`,
    ])
  })

  it('ask for the sessions once, however many filters are of them', () => {
    const filters = [filter('browser', 'is', 'Firefox'), filter('device', 'contains', 'Ph')]
    const [condition, ...more] = textsOf(conditionsOfPicked(asking(...filters), range))
    expect(more).toEqual([])
    expect(condition).toContain(`WHERE "browser" = 'Firefox' AND contains(lower("device"), lower('Ph'))`)
  })
})
