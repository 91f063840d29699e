import { describe, expect, it } from 'vitest'
import type { Alert } from '../../src/alerts/alert.js'
import { judge, lastSpan, pick, show } from '../../src/alerts/judge.js'

const alert = (more: Partial<Alert>): Alert => ({
  figures: [{ ask: { name: 'totals' }, column: 'events' }],
  over: 'day',
  when: 'below',
  than: 10,
  to: 'x',
  ...more,
})
const spanAt = (more: Partial<Alert>, at: string) => {
  const { fromMs, untilMs } = lastSpan(alert(more), Date.parse(at))
  return [fromMs, untilMs].map((ms) => new Date(ms).toISOString().slice(0, 16))
}

describe('the last time', () => {
  it.each<[string, Partial<Alert>, string, string[]]>([
    ['hour', { over: 'hour' }, '2026-03-02T10:59:59Z', ['2026-03-02T09:00', '2026-03-02T10:00']],
    [
      'hour, half an hour from others',
      { over: 'hour', timezone: 'Asia/Kolkata' },
      '2026-03-02T10:59:59Z',
      ['2026-03-02T09:30', '2026-03-02T10:30'],
    ],
    ['day', {}, '2026-03-02T00:00:00Z', ['2026-03-01T00:00', '2026-03-02T00:00']],
    [
      'day elsewhere',
      { timezone: 'America/New_York' },
      '2026-03-02T04:59:00Z',
      ['2026-02-28T05:00', '2026-03-01T05:00'],
    ],
    [
      'day of 23 hours',
      { timezone: 'Europe/Vienna' },
      '2026-03-30T01:00:00Z',
      ['2026-03-28T23:00', '2026-03-29T22:00'],
    ],
    [
      'day of 25 hours',
      { timezone: 'Europe/Vienna' },
      '2026-10-26T01:00:00Z',
      ['2026-10-24T22:00', '2026-10-25T23:00'],
    ],
    [
      'day of 25 hours far in the east',
      { timezone: 'Australia/Sydney' },
      '2026-04-05T20:00:00Z',
      ['2026-04-04T13:00', '2026-04-05T14:00'],
    ],
    [
      'day that begins at one o’clock, west of Greenwich',
      { timezone: 'America/Havana' },
      '2026-03-09T12:00:00Z',
      ['2026-03-08T05:00', '2026-03-09T04:00'],
    ],
    [
      'day whose first hour comes twice',
      { timezone: 'America/Havana' },
      '2026-11-02T12:00:00Z',
      ['2026-11-01T04:00', '2026-11-02T05:00'],
    ],
    [
      'day before one that is an hour longer at its end',
      { timezone: 'America/Santiago' },
      '2026-04-05T12:00:00Z',
      ['2026-04-04T03:00', '2026-04-05T04:00'],
    ],
    [
      'hour that comes twice',
      { over: 'hour', timezone: 'Europe/Vienna' },
      '2026-10-25T01:10:00Z',
      ['2026-10-25T00:00', '2026-10-25T01:00'],
    ],
    ['week, from Monday', { over: 'week' }, '2026-03-04T12:00:00Z', ['2026-02-23T00:00', '2026-03-02T00:00']],
    [
      'minutes',
      { over: 'minutes', minutes: 30 },
      '2026-03-02T10:07:59Z',
      ['2026-03-02T09:37', '2026-03-02T10:07'],
    ],
    [
      'many minutes, every fifth',
      { over: 'minutes', minutes: 90 },
      '2026-03-02T10:07:59Z',
      ['2026-03-02T08:35', '2026-03-02T10:05'],
    ],
  ])('is a whole %s', (_, more, at, expected) => expect(spanAt(more, at)).toEqual(expected))
})

describe('a judgement', () => {
  const span = { fromMs: Date.parse('2026-04-05T22:00:00Z'), untilMs: Date.parse('2026-04-06T22:00:00Z') }
  const found = async (more: Partial<Alert>, values: (number | null)[]) => {
    const asked: string[] = []
    const judged = await judge(alert(more), span, (_, { fromMs }) => {
      asked.push(new Date(fromMs).toISOString().slice(0, 13))
      return Promise.resolve({ columns: ['events'], rows: [[values[asked.length - 1]]], isCut: false })
    })
    return { ...judged, asked }
  }

  it('asks for the same time of the clock of the weeks before, also where clocks were changed', async () => {
    const { asked } = await found({ when: 'changed', timezone: 'Europe/Vienna' }, [1, 1, 1, 1, 1])
    expect(asked).toEqual([
      '2026-04-05T22',
      '2026-03-29T22',
      '2026-03-22T23',
      '2026-03-15T23',
      '2026-03-08T23',
    ])
  })

  it('compares an hour with a whole one where clocks left that out', async () => {
    const spans: number[] = []
    const hour = { fromMs: Date.parse('2026-04-05T00:00:00Z'), untilMs: Date.parse('2026-04-05T01:00:00Z') }
    await judge(alert({ over: 'hour', when: 'changed', timezone: 'Europe/Vienna' }), hour, (_, each) => {
      spans.push(each.untilMs - each.fromMs)
      return Promise.resolve({ columns: ['events'], rows: [[1]], isCut: false })
    })
    expect(spans).toEqual(Array.from({ length: 5 }, () => 3_600_000))
  })

  it.each<[string, Partial<Alert>, (number | null)[], boolean | null]>([
    ['below', { than: 10 }, [9], true],
    ['as low as allowed', { than: 10 }, [10], false],
    ['above', { when: 'above', than: 10 }, [10.5], true],
    ['as high as allowed', { when: 'above', than: 10 }, [10], false],
    ['without a value', { than: 10 }, [null], null],
    ['silent', { when: 'nothing', minutes: 5 }, [0], true],
    ['silent without a value', { when: 'nothing', minutes: 5 }, [null], true],
    ['not silent', { when: 'nothing', minutes: 5 }, [1], false],
    ['changed', { when: 'changed', than: 20 }, [70, 100, 80, 120, 100], true],
    ['hardly changed', { when: 'changed', than: 20 }, [81, 100, 80, 120, 100], false],
    ['risen', { when: 'changed', than: 20 }, [121, 100, 80, 120, 100], true],
    ['changed since there is something', { when: 'changed', than: 20 }, [99, 100, 100, 0, 0], false],
    ['gone, after a week without', { when: 'changed', than: 20 }, [100, 0, 100, 0, 100], true],
    ['new', { when: 'changed', than: 20 }, [99, 0, 0, 0, 0], null],
    ['below nothing', { when: 'changed', than: 20 }, [-130, -100, -100, -100, -100], true],
  ])('of what is %s', async (_, more, values, isBad) => {
    expect((await found(more, values)).isBad).toBe(isBad)
  })
})

describe('a figure', () => {
  const table = {
    columns: ['value', 'times'],
    rows: [
      ['a', 1],
      ['b', '2'],
      [null, 3],
    ],
    isCut: false,
  }
  const figure = (is: string, column = 'times') => ({
    ask: { name: 'ranking', most: 10 },
    column,
    row: { column: 'value', is },
  })
  it('is of the row that has a value', () => {
    expect([pick(figure('a'), table), pick(figure('b'), table), pick(figure(''), table)]).toEqual([1, 2, 3])
  })
  it('is 0 of a row that is not there, unless that may be among those that were left out', () => {
    expect(pick(figure('z'), table)).toBe(0)
    expect(() => pick(figure('z'), { ...table, isCut: true })).toThrow(/set most higher/)
    const three = { ...figure('z'), ask: { name: 'ranking', most: 3 } }
    expect(() => pick(three, table)).toThrow(/set most higher/)
  })
  it.each([
    [{ ask: { name: 'ranking' }, column: 'times' }, 'several rows'],
    [figure('a', 'toString'), 'no column "toString"; it has value, times'],
    [figure('a', 'value'), 'no number: a'],
  ])('says what is wrong', (wrong, message) => expect(() => pick(wrong, table)).toThrow(message))
})

it.each([
  [1234567, '1,234,567'],
  [0.123456, '0.1235'],
  [1234.567, '1,234.57'],
  [null, 'no value'],
])('shows %s to people', (value, text) => expect(show(value)).toBe(text))
