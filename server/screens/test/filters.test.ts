import { describe, expect, it } from 'vitest'
import {
  addFilter,
  describeFilter,
  type Filter,
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
