import { describe, expect, it } from 'vitest'
// @ts-expect-error Plain JavaScript.
import { countFunnel } from '../../e2e/equality/truth/countFunnel.mjs'
// @ts-expect-error Plain JavaScript.
import { countRetention } from '../../e2e/equality/truth/countRetention.mjs'
// @ts-expect-error Plain JavaScript.
import { countDays, listTouches, listTraits } from '../../e2e/equality/truth/listPeople.mjs'
// @ts-expect-error Plain JavaScript.
import { countPaths, listSessions } from '../../e2e/equality/truth/listSessions.mjs'
import type { Row, TrueEvent, Truth } from '../../e2e/equality/types'

const minuteMs = 60_000
const hour = 60
const day = 24 * hour
const monday = Date.UTC(2026, 2, 2)

/** Events by person, at a minute after Monday's beginning; a text that begins with `/` is a page view. */
const truthOf = (list: [who: string, minute: number, what: string, more?: Partial<TrueEvent>][]): Truth => ({
  events: list.map(([who, minute, what, more], index) => ({
    mark: `m${String(index).padStart(2, '0')}`,
    name: what.startsWith('/') ? '$pageview' : what,
    at: monday + minute * minuteMs,
    device: `${who}/phone`,
    visitor: who,
    session: who,
    path: what.startsWith('/') ? what : '/',
    isFromNews: false,
    address: {},
    registered: {},
    utm: {},
    isBot: false,
    properties: {},
    ...more,
  })),
  traits: [],
  personOf: (id) => id,
  isNamed: () => false,
})

describe('own answers to what SQL is asked', () => {
  it('counts in a funnel the steps that follow each other in time', () => {
    const truth = truthOf([
      ['ada', 0, '/'],
      ['ada', 10, 'Order'],
      ['ada', 30, 'Order'],
      ['bob', 0, 'Order'],
      ['bob', 20, '/'],
    ])
    expect(countFunnel(truth, { steps: ['/', 'Order'] })).toEqual([
      [null, 1, '/', 2, 1, null, null],
      [null, 2, 'Order', 1, 0.5, 0.5, 20],
    ])
  })

  it('lets a later start of a funnel count where the first is too long ago', () => {
    const truth = truthOf([
      ['ada', 0, '/'],
      ['ada', 100, '/'],
      ['ada', 120, 'Order'],
    ])
    const rows = countFunnel(truth, { steps: ['/', 'Order'], withinMinutes: 61 }) as Row[]
    expect(rows[1]).toEqual([null, 2, 'Order', 1, 1, 1, 40])
  })

  it('breaks a funnel down by what held at its first step', () => {
    const truth = truthOf([
      ['ada', 0, '/', { utm: { source: 'news' } }],
      ['ada', 10, 'Order', { utm: { source: 'search' } }],
    ])
    const breakdown = ({ utm }: TrueEvent) => utm.source ?? null
    expect(
      (countFunnel(truth, { steps: ['/', 'Order'], breakdown }) as Row[]).map(([value]) => value),
    ).toEqual(['news', 'news'])
  })

  it('counts who came back, in the period itself and in each one after it', () => {
    const truth = truthOf([
      ['ada', 0, '/'],
      ['ada', hour, '/'],
      ['ada', 8 * day, '/'],
      ['bob', 6 * day, '/'],
    ])
    expect(countRetention(truth, { unit: 'week' })).toEqual([
      ['2026-03-02', 2, 0, 1, 0.5],
      ['2026-03-02', 2, 1, 1, 0.5],
    ])
  })

  it('cuts days where the time zone cuts them, also on the day when clocks change, and fills those without events', () => {
    const truth = truthOf([
      ['ada', 27 * day - 30, '/'],
      ['ada', 29 * day - 2 * hour, '/'],
    ])
    expect(countDays(truth, 'Europe/Berlin')).toEqual([
      ['2026-03-29', 1, 1, 1, 1],
      ['2026-03-30', 0, 0, 0, 0],
      ['2026-03-31', 1, 1, 1, 1],
    ])
  })

  it('finds the first and the last touch, else the first and the last event', () => {
    const truth = truthOf([
      ['ada', 0, '/'],
      ['ada', 1, '/', { isFromNews: true }],
      ['ada', 2, '/', { utm: { source: 'search' } }],
      ['ada', 3, '/'],
      ['bob', 4, '/'],
    ])
    expect(listTouches(truth, 'first')).toEqual([
      ['m00', '2026-03-02 00:01', 'news', null, null, null],
      ['m04', '2026-03-02 00:04', null, null, null, null],
    ])
    expect((listTouches(truth, 'last') as Row[])[0]).toEqual([
      'm00',
      '2026-03-02 00:02',
      null,
      'search',
      null,
      null,
    ])
  })

  it('lets the trait with the latest time win, whenever it came', () => {
    const traits = [
      { user: 'ada', traits: { level: 1, city: 'Ulm' }, at: 2 },
      { user: 'ada', traits: { level: 2 }, at: 1 },
    ]
    expect(listTraits({ ...truthOf([]), traits })).toEqual([
      ['ada', 'level', '1'],
      ['ada', 'city', '"Ulm"'],
    ])
  })

  it('tells of a session where it began and ended, and its first source', () => {
    const truth = truthOf([
      ['ada', 0, 'Search'],
      ['ada', 4, '/a', { isFromNews: true }],
      ['ada', 8, '/b', { utm: { source: 'search' } }],
    ])
    expect(listSessions(truth)).toEqual([
      [
        ...['m00', 'm00', 'm00', '2026-03-02 00:00', 8, '/a', '/b', 2, 3, 'news', 'search', null, null],
        ...['referral', 'Safari', 'iOS', 'phone', 'de-AT', 'AT', 'phone'],
      ],
    ])
  })

  it('takes the channel of a session from its first medium, else from the site before', () => {
    const truth = truthOf([
      ['ada', 0, '/', { utm: { medium: 'cpc' }, isFromNews: true }],
      ['ada', 4, '/', { utm: { medium: 'social' } }],
      ['bob', 0, '/', { isFromNews: true }],
      ['eve', 0, '/'],
    ])
    expect((listSessions(truth) as Row[]).map((row) => row[13])).toEqual(['paid', 'referral', 'direct'])
  })

  it('counts a page that is seen twice running as one step of a path', () => {
    const truth = truthOf([
      ['ada', 0, '/a'],
      ['ada', 4, '/a'],
      ['ada', 8, '/b'],
      ['bob', 0, '/a'],
    ])
    expect(countPaths(truth, 3)).toEqual([
      [1, '/a', '/b', 1],
      [2, '/b', null, 1],
      [1, '/a', null, 1],
    ])
  })
})
