// @vitest-environment node
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { askOf } from '../src/data/asks'
import type { Filter } from '../src/data/filters'
import { describeEvent } from '../src/pages/persons/describeEvent'
import { askEvents, listOffers, readEventChoice, toSearch, toValue } from '../src/pages/persons/eventChoice'
import { readOrder } from '../src/pages/persons/personOrder'
import { readTimeRange } from '../src/address/timeRange'
import { createStore, did, isCalled } from './fixtures/askStore'

const asking = (filters: readonly Filter[] = [], more: { bots?: boolean; range?: string } = {}) => ({
  environment: 'production',
  bots: more.bots ?? false,
  range: readTimeRange(new URLSearchParams({ range: more.range ?? '7d' }), new Date()),
  filters,
})
const filter = (field: string, operator: Filter['operator'], ...values: string[]): Filter => ({
  field,
  operator,
  values,
})

let store: Awaited<ReturnType<typeof createStore>>
beforeAll(async () => {
  store = await createStore(
    [
      did('ada', '$pageview', { $url: 'https://shop.example/pricing' }),
      did('ada', 'Order Placed', { plan: 'pro' }),
      did('ada', 'Web Vital', { name: 'LCP', value: 2500, id: 'v1' }),
      did('bob', '$pageview', { $url: 'https://shop.example/' }),
      did('cid', 'Order Placed', { daysAgo: 20 }),
      did('crawler', '$pageview', { $user_agent: 'Mozilla/5.0 (compatible; Googlebot/2.1)' }),
    ],
    [
      isCalled('ada', { name: 'Ada', plan: 'pro' }),
      isCalled('bob', { plan: 'free' }),
      isCalled('dan', { name: 'Dan' }),
      isCalled('old', { plan: 'pro' }, 20),
    ],
  )
})
afterAll(() => store.close())

/** The ids of who is listed. */
const list = async (of = asking(), { text = '', sort = 'person' }: { text?: string; sort?: string } = {}) => {
  const { by, isDescending } = readOrder(sort)
  const rows = await store.ask(
    askOf('people', of, { search: text || undefined, order: by, ascending: !isDescending, most: 10 }),
  )
  return rows.map(([id]) => String(id))
}

describe('the list of people', () => {
  it('has who was seen in the time, by an event or by traits alone, and no bots', async () => {
    expect(await list()).toEqual(['ada', 'bob', 'dan'])
    expect(await list(asking([], { bots: true }))).toEqual(['ada', 'bob', 'crawler', 'dan'])
    expect(await list(asking([], { range: '30d' }))).toEqual(['ada', 'bob', 'cid', 'dan', 'old'])
  })

  it('finds whoever fits at any time, a bot, too', async () => {
    expect(await list(asking(), { text: 'CI' })).toEqual(['cid'])
    expect(await list(asking(), { text: 'crawl' })).toEqual(['crawler'])
    expect(await list(asking(), { text: 'pro' })).toEqual(['ada', 'old'])
    expect(await list(asking(), { text: 'bob 1' })).toEqual(['bob'])
  })

  it('is sorted by any column, in both directions', async () => {
    expect(await list(asking(), { sort: '-events' })).toEqual(['ada', 'bob', 'dan'])
    expect(await list(asking(), { sort: '-person' })).toEqual(['dan', 'bob', 'ada'])
    expect(await list(asking(), { sort: 'traits' })).toEqual(expect.arrayContaining(['ada', 'bob', 'dan']))
    expect((await list(asking(), { sort: '-traits' }))[0]).toBe('ada')
    for (const by of ['ids', 'first', 'last'])
      expect((await list(asking(), { sort: by })).toSorted()).toEqual(['ada', 'bob', 'dan'])
    expect(readOrder('-nothing')).toEqual({ by: 'last', isDescending: true })
  })

  it('says how many there are, also where only some are asked for', async () => {
    const few = await store.ask(askOf('people', asking(), { most: 2 }))
    expect(few.map((row) => row[7])).toEqual([3, 3])
    expect(await store.ask(askOf('people', asking(), { most: null }))).toHaveLength(3)
  })

  it('has those who did, or did not do, something in the time', async () => {
    expect(await list(asking([filter('event', 'is', 'Order Placed')]))).toEqual(['ada'])
    expect(await list(asking([filter('event', 'not', 'Order Placed')]))).toEqual(['bob', 'dan'])
    // Outside of the time it does not count, whoever is found.
    expect(await list(asking([filter('event', 'is', 'Order Placed')]), { text: 'cid' })).toEqual([])
    expect(await list(asking([filter('path', 'contains', 'pric')]))).toEqual(['ada'])
    expect(await list(asking([filter('prop.plan', 'is', 'pro')]))).toEqual(['ada'])
    expect(await list(asking([filter('entry', 'is', '/')]))).toEqual(['bob'])
    expect(await list(asking([filter('event', 'is', '$pageview')]))).toEqual(['ada', 'bob'])
  })

  it('has those with, or without, a trait', async () => {
    expect(await list(asking([filter('trait.plan', 'is', 'pro')]))).toEqual(['ada'])
    expect(await list(asking([filter('trait.plan', 'not', 'pro')]))).toEqual(['bob', 'dan'])
    expect(await list(asking([filter('trait.plan', 'is', '')]))).toEqual(['dan'])
    expect(await list(asking([filter('trait.plan', 'in', 'free', 'pro')]))).toEqual(['ada', 'bob'])
  })
})

describe('the events of a person', () => {
  const ofAda = { environment: 'production', person: 'ada', ids: ['ada'] }
  const shown = async (search: string) => {
    const choice = readEventChoice(new URLSearchParams(search))
    const rows = await store.ask({ name: 'timeline', ...ofAda, ...askEvents(choice) })
    return rows.map((row) => String(row[2])).toSorted()
  }

  it('are those of a kind or a name', async () => {
    expect(await shown('')).toEqual(['$pageview', 'Order Placed', 'Web Vital'])
    expect(await shown('kind=done')).toEqual(['$pageview', 'Order Placed'])
    expect(await shown('kind=measured')).toEqual(['Web Vital'])
    expect(await shown('event=Order+Placed')).toEqual(['Order Placed'])
    expect(await shown('kind=nonsense')).toHaveLength(3)
  })

  it('offer the kinds that tell them apart, with how many there are', async () => {
    const offers = listOffers(await store.ask({ name: 'person_events', ...ofAda }))
    expect(offers.all).toBe(3)
    expect(offers.kinds.map(({ title, times }) => [title, times])).toEqual([
      ['Page views', 1],
      ['Views and actions', 2],
      ['Vitals and engaged time', 1],
    ])
    expect(listOffers([['$pageview', 4]]).kinds).toEqual([])
    expect(offers.names.map(({ title }) => title)).toEqual(['$pageview', 'Order Placed', 'Web Vital'])
    for (const { value } of [...offers.kinds, ...offers.names]) {
      const search = new URLSearchParams(
        Object.entries(toSearch(value)).flatMap(([name, each]) => (each === undefined ? [] : [[name, each]])),
      )
      expect(toValue(readEventChoice(search))).toBe(value)
    }
  })
})

it.each([
  ['Web Vital', { name: 'LCP', value: 2512.4, rating: 'needs-improvement' }, 'LCP 2.51 s, needs improvement'],
  ['Web Vital', { name: 'CLS', value: 0.021 }, 'CLS 0.02'],
  ['Web Vital', { name: 'NEW', value: 'x' }, 'NEW x'],
  ['Error Caught', { name: 'TypeError', message: 'x is undefined' }, 'TypeError: x is undefined'],
  ['Page Engaged', { visible_ms: 61_000, scroll_percent: 80 }, '1 min 1 s, seen to 80%'],
  ['Order Placed', { name: 'LCP', value: 1 }, ''],
  ['Web Vital', null, ''],
])('%s with %j says “%s”', (event, properties, said) =>
  expect(describeEvent(event, properties).trim()).toBe(said),
)
