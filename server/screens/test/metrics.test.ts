import { expect, it } from 'vitest'
import { toMetric } from '../src/shell/Metrics'

const time = { from: '2026-10-01', until: '2026-11-01' }
const choices = { name: 'event_choices', environment: 'production', ...time }

it('a metric is what a page asks, without its time', () => {
  const asked = { name: 'explore', measure: 'sum', property: 'total', bots: false }
  const before = { from: '2026-09-01', until: '2026-10-01' }
  expect(toMetric([choices, { ...asked, ...time, before }])).toEqual(asked)
})

it('a page that asks no question of its own has none', () => {
  expect(toMetric([choices, { name: 'totals', ...time }])).toBeUndefined()
})
