import { describe, expect, it } from 'vitest'
import { askOfAlert, describeAlert, describeTest, nameFigures } from '../src/data/alerts'
import { readAlertFields } from '../src/parts/FigureFields'

const draft = {
  figures: [{ ask: { name: 'explore', event: 'Order' } }],
  timezone: 'UTC',
  page: 'https://s.example/app/',
}
const fields = { name: 'Few', label: 'Orders', column: 'figure', when: 'below', than: '3', over: 'day' }

describe('an alert about what a card shows', () => {
  it('asks without the time of the card, and of what is over time for the whole', () => {
    const time = {
      from: '2026-10-01',
      until: '2026-10-02',
      before: { from: 'x', until: 'y' },
      timezone: 'UTC',
    }
    const series = { name: 'series', environment: 'production', unit: 'day', ...time }
    expect(askOfAlert(series)).toEqual({ name: 'totals', environment: 'production' })
    expect(askOfAlert({ name: 'explore', event: 'x', interval: 'day', ...time })).toEqual({
      name: 'explore',
      event: 'x',
    })
  })

  it('is not offered for what is about no time', () => {
    expect(askOfAlert({ name: 'arrivals' })).toBeUndefined()
  })
})

describe('what is written into the form', () => {
  it('is a webhook or an e-mail address', () => {
    const to = (way: string, address: string) => readAlertFields({ ...fields, way, address }, draft).to
    expect(to('slack', 'https://x.example/y')).toEqual([{ webhook: 'https://x.example/y', format: 'slack' }])
    expect(to('mail', 'a@b.example')).toEqual([{ mail: 'a@b.example' }])
    expect(to('as:Another', '')).toBe('Another')
  })

  it('has the figure of one row, where one is chosen, and a number where it compares', () => {
    const value = readAlertFields({ ...fields, way: 'as:x', row: 'Chrome', rowColumn: 'value' }, draft)
    expect(value).toEqual({
      figures: [
        { ...draft.figures[0], label: 'Orders', column: 'figure', row: { column: 'value', is: 'Chrome' } },
      ],
      ...{ when: 'below', than: 3, over: 'day', timezone: 'UTC', to: 'x', page: draft.page },
    })
    const { than: _, ...rest } = fields
    const digest = readAlertFields({ ...rest, column: '', when: 'digest', way: 'as:x' }, draft)
    expect(digest).not.toHaveProperty('than')
    expect(digest.figures).toEqual([{ ...draft.figures[0], label: 'Orders' }])
  })
})

it('is a digest of all its figures, and an alert of the first', () => {
  const figures = ['Orders', 'Sign-ups'].map((label) => ({ ask: { name: 'explore' }, label }))
  const of = (when: string) => readAlertFields({ ...fields, when, way: 'as:x' }, { ...draft, figures })
  expect(of('digest').figures).toEqual(figures)
  expect(of('below').figures).toEqual([{ ...figures[0], column: 'figure' }])
  expect(nameFigures({ figures, when: 'digest' })).toBe('Orders · Sign-ups')
  expect(nameFigures({ figures, when: 'below' })).toBe('Orders')
})

it.each([
  ['is below 3 on the last full day', { when: 'below', than: 3, over: 'day' }],
  ['is nothing in the last 60 minutes', { when: 'nothing', over: 'minutes', minutes: 60 }],
  ['sent every week', { when: 'digest', over: 'week' }],
] as const)('says that it %s', (text, alert) => {
  expect(describeAlert({ figures: [], to: [], ...alert })).toBe(text)
})

it('says what became of a test', () => {
  const tested = { value: 2, expected: 'at least 3', would_fire: true, signing_secret: '' }
  expect(describeTest({ ...tested, sent: [{ receiver: 'x', error: null }] })).toBe(
    'Sent. Now it is 2, expected is at least 3. It would fire.',
  )
  expect(
    describeTest({ ...tested, would_fire: null, expected: null, sent: [{ receiver: 'x', error: 'No.' }] }),
  ).toBe('Not taken. x: No.')
})
