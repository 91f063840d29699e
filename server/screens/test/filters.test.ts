import { describe, expect, it } from 'vitest'
import {
  addFilter,
  changeFilter,
  describeFilter,
  type Filter,
  joinsOf,
  parseFilter,
  readFilters,
  writeFilter,
} from '../src/data/filters'

const filter = (field: string, operator: Filter['operator'], ...values: string[]): Filter => ({
  field,
  operator,
  values,
})

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
    ['total >= 20', filter('prop.total', 'at_least', '20')],
    ['total<7.5', filter('prop.total', 'below', '7.5')],
    ['Referrer = (Direct)', filter('referrer_host', 'is', '')],
    ['source =', filter('utm_source', 'is', '')],
  ])('reads %s', (text, expected) => expect(parseFilter(text)?.filter).toEqual(expected))

  it('takes a name alone for a trait among people, and names traits everywhere', () => {
    expect(parseFilter('plan=pro', 'people')?.filter).toEqual(filter('trait.plan', 'is', 'pro'))
    expect(parseFilter('prop.plan=pro', 'people')?.filter).toEqual(filter('prop.plan', 'is', 'pro'))
    expect(parseFilter('Trait plan = pro')?.filter).toEqual(filter('trait.plan', 'is', 'pro'))
    expect(parseFilter('event=x', 'people')?.filter).toEqual(filter('event', 'did', 'x'))
    expect(parseFilter('event != x', 'people')?.filter).toEqual(filter('event', 'did_not', 'x'))
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
  expect(describeFilter(filter('event', 'did', 'Order Placed'))).toBe('did Order Placed')
  expect(describeFilter(filter('event', 'did_not', 'A', ''))).toBe('did not do A or anything')
  expect(describeFilter({ ...filter('event', 'did', 'A'), times: 3, days: 1 })).toBe(
    'did A at least 3 times in the last 1 day',
  )
  const soon = { ...filter('event', 'did', 'A'), days: 7 }
  expect(describeFilter({ ...soon, after: 'Signed Up' })).toBe('did A within 7 days of Signed Up')
  expect(describeFilter({ ...soon, after: '' })).toBe('did A within 7 days of being first seen')
  expect(describeFilter(filter('person_id', 'in', 'a', 'b', 'c', 'd', 'e'))).toBe(
    'Person is one of a, b, c, 2 more',
  )
  expect(describeFilter(filter('prop.total', 'between', '1', '9'))).toBe('total is between 1 and 9')
})

describe('filters that are joined', () => {
  const deed: Filter = { ...filter('event', 'did', 'Order Placed'), times: 3, days: 30 }
  const filters: Filter[] = [
    deed,
    { ...filter('prop.total', 'above', '50'), join: 'with' },
    { ...filter('event', 'did_not', 'Left'), join: 'or' },
    filter('country', 'is', 'DE'),
  ]
  it('come back from the address as they were', () => {
    const texts = filters.map(writeFilter)
    expect(texts[0]).toBe('event|did:3:30|Order Placed')
    expect(texts[1]).toBe('with|prop.total|above|50')
    expect(readFilters(new URLSearchParams(texts.map((each) => ['filter', each])))).toEqual(filters)
    expect(writeFilter({ ...deed, times: 1 })).toBe('event|did:1:30|Order Placed')
  })

  it.each(['', 'Signed Up', 'a:b|c%'])('come back with the event “%s” that they are behind', (after) => {
    const soon = { ...deed, after }
    const { times: _, ...often } = soon
    for (const each of [soon, often])
      expect(readFilters(new URLSearchParams([['filter', writeFilter(each)]]))).toEqual([each])
  })

  it('lose a join that has nothing before it', () => {
    expect(changeFilter(filters, deed).map(({ join }) => join)).toEqual([undefined, 'or', undefined])
    expect(joinsOf([], deed)).toEqual(['and'])
    expect(joinsOf([deed], filter('entry', 'is', '/'))).toEqual(['and', 'or'])
    expect(joinsOf([deed], filter('path', 'is', '/'))).toContain('with')
  })
})
