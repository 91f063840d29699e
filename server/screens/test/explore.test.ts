import { describe, expect, it } from 'vitest'
import { toCycle } from '../src/pages/explore/exploreLines'
import {
  askExplore,
  describeQuestion,
  formatFigure,
  readQuestion,
  writeCurrency,
} from '../src/pages/explore/exploreSearch'
import { toLines } from '../src/parts/toLines'
import { readTimeRange } from '../src/address/timeRange'

const now = new Date('2026-07-10T09:15:00Z')
const range = readTimeRange(new URLSearchParams('range=7d'), now)
const asking = { environment: 'production', bots: false, range, filters: [] }
const read = (search: string) => {
  const address = new URLSearchParams(search)
  return readQuestion(address, readTimeRange(new URLSearchParams([...address, ['range', '7d']]), now))
}
const ask = (search: string) => {
  const address = new URLSearchParams([...new URLSearchParams(search), ['range', '7d']])
  return askExplore({ ...asking, range: readTimeRange(address, now) }, read(search))
}

describe('a question of the address', () => {
  it('is of events by day, and in all by the values of a field', () => {
    expect(describeQuestion(read(''))).toBe('Events by day')
    expect(describeQuestion(read('by=prop.plan'))).toBe('Events by plan')
    expect(describeQuestion(read('by=prop.plan&over=week&event=Order+Placed&show=people'))).toBe(
      'People of Order Placed by plan, by week',
    )
  })

  it('is of no hours where there are too many', () => {
    expect(read('over=hour').interval).toBe('hour')
    const year = readTimeRange(new URLSearchParams('range=365d'), now)
    expect(readQuestion(new URLSearchParams('over=hour'), year).interval).toBe('day')
  })

  it('asks sessions for nothing that only events have, but for their properties', () => {
    expect(read('show=bounce_rate&by=path').by).toBeUndefined()
    expect(read('show=bounce_rate&by=entry').by?.name).toBe('entry')
    expect(read('show=bounce_rate&by=prop.plan&event=x')).toMatchObject({
      by: { name: 'prop.plan' },
      event: '',
    })
  })

  it('waits for the property that a sum is of', () => {
    expect(ask('show=sum')).toBeUndefined()
    expect(ask('show=sum&property=price')).toMatchObject({ measure: 'sum', property: 'price' })
  })
})

describe('amounts', () => {
  const money = 'show=sum&property=total&event=Order+Placed'

  it('are in a currency, or each in that which a property names and never divided', () => {
    expect(ask(`${money}&in=EUR&per=people`)).toMatchObject({ currency: 'EUR', per: 'people' })
    const apart = read(`${money}&in=prop.currency&per=people`)
    expect(apart).toMatchObject({ by: { name: 'prop.currency' }, per: undefined, interval: undefined })
    expect(askExplore(asking, apart)).toMatchObject({ currency_property: 'currency', by: undefined })
    expect(ask(`${money}&in=EUR%7Cprop.currency&per=people&by=country`)).toMatchObject({
      currency: 'EUR',
      currency_property: 'currency',
      per: 'people',
      by: 'country',
    })
    expect(writeCurrency({ currency: 'EUR', currencyProperty: 'currency' })).toBe('EUR|prop.currency')
  })

  it('are written with their currency, and a ratio as a mean', () => {
    expect(formatFigure(read(`${money}&in=EUR`), 12.5)).toBe('€12.50')
    expect(formatFigure(read(`${money}&in=EUR`), 500)).toBe('€500')
    expect(formatFigure(read(money), 12.5)).toBe('12.5')
    expect(formatFigure(read('show=events&per=people'), 1 / 3)).toBe('0.33')
    // What is no code of a currency stays beside the figure.
    expect(formatFigure(read(money), 12.5, 'points')).toBe('12.5 points')
  })
})

describe('a measure of people over days', () => {
  it('is asked by day or in all, and of visitors without consent as the page says', () => {
    expect(ask('show=dau_mau&over=week&per=people')).toMatchObject({ interval: 'day', per: undefined })
    const question = read('show=mau&over=total&rest=1&by=country')
    expect(askExplore({ ...asking, anonymous: true }, question)).toMatchObject({
      anonymous: true,
      by: 'country',
    })
    expect(question.hasRest).toBe(false)
  })
})

describe('another time', () => {
  it('is shown where the address asks for it, and not beside lines of values', () => {
    expect(ask('')).not.toHaveProperty('before')
    expect(ask('vs=year&over=weekday')).toHaveProperty('before')
    expect(ask('vs=year&over=day&by=country')).not.toHaveProperty('before')
    expect(ask('vs=none')).not.toHaveProperty('before')
  })
})

describe('toCycle', () => {
  it('has a place for each weekday, also without rows', () => {
    expect(toCycle([[2, 5, 'Events']], [1, 2, 3], 0)).toEqual([{ title: 'Events', values: [0, 5, 0] }])
  })
})

describe('toLines', () => {
  it('makes a line of each value, and leaves out what is yet to come', () => {
    const day = (ago: number) => new Date(range.until.getTime() - (ago + 1) * 86_400_000).toISOString()
    const rows = [
      [day(1), 3, 'pro'],
      [day(0), 4, 'pro'],
      [day(6), 1, null],
    ]
    const options = { range, now: new Date(range.until.getTime() - 86_400_000), unit: 'day' as const }
    const counts = toLines(rows, { ...options, empty: 0, nameOf: (value) => value ?? '(none)' })
    expect(counts.series).toEqual([
      { title: 'pro', values: [0, 0, 0, 0, 0, 3] },
      { title: '(none)', values: [1, 0, 0, 0, 0, 0] },
    ])
    expect(counts.isOpen).toBe(true)
    const rates = toLines(rows, { ...options, empty: null, nameOf: String })
    expect(rates.series[0]?.values).toEqual([null, null, null, null, null, 3])
  })
})
